package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.Lane;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Counts the store calls of the claim loop, each of which is a round trip to the database. */
class ClaimLoopTest {

  private static final Duration POLL_INTERVAL = Duration.ofMillis(1_250);
  private static final int ROOM = 5;
  private static final Duration A_MINUTE = Duration.ofMinutes(1);

  private static final WorkerId WORKER = WorkerId.boot("test");

  private final MemoryStore store = new MemoryStore();
  private final HeardLanes heard = new HeardLanes(new Wakeup());
  private final Map<String, ServedQueue> queues = new LinkedHashMap<>();
  private final List<Attempt> claimed = new ArrayList<>();
  private final RunningJobs running = new RunningJobs();
  private long now;
  private long wakesAt;
  private boolean woken = true;

  /** Completing the job requires one more call, which is not counted here. */
  @Test
  void isolatedJobRequiresOneClaimAndFourListings() {
    ClaimLoop loop = loop("q");
    passes(loop, A_MINUTE);
    store.add(job());
    wakeUp("q", 0);
    store.calls.clear();

    passes(loop, Duration.ofMillis(1_600)); // an idle worker does not poll earlier

    assertThat(claimed).hasSize(1);
    assertThat(store.calls)
        .containsExactly("claim", "dueLanes", "dueLanes", "dueLanes", "dueLanes");
  }

  @Test
  void anIdleWorkerListsLanesAtThePollInterval() {
    ClaimLoop loop = loop("q");

    passes(loop, A_MINUTE);

    assertThat(store.calls).containsOnly("dueLanes");
    assertThat(store.calls.size()).isBetween(40, 60);
  }

  @Test
  void wakeUpForAJobThatAnotherWorkerClaimedRequiresOneClaimAndOneListing() {
    ClaimLoop loop = loop("q");
    passes(loop, A_MINUTE);
    wakeUp("q", 0);
    store.calls.clear();

    passes(loop, Duration.ofMillis(900));

    assertThat(store.calls).containsExactly("claim", "dueLanes");
  }

  /** A sender sends at most one wake-up for all lanes of a queue in five milliseconds. */
  @Test
  void jobOfAnotherLaneShortlyAfterAWakeUpIsClaimedWithinSixMilliseconds() {
    ClaimLoop loop = loop("q", "other");
    passes(loop, A_MINUTE);
    store.add(job());
    wakeUp("q", 0);
    passes(loop, Duration.ofMillis(1));
    store.add(job().priority(3));

    passes(loop, Duration.ofMillis(6));

    assertThat(claimed).extracting(attempt -> attempt.job().priority()).containsExactly(0, 3);
  }

  @Test
  void jobOfAnotherLaneIsClaimedAlthoughAnotherWorkerClaimedTheJobOfTheWakeUp() {
    ClaimLoop loop = loop("q");
    passes(loop, A_MINUTE);
    wakeUp("q", 0);
    passes(loop, Duration.ofMillis(1));
    store.add(job().priority(3));

    passes(loop, Duration.ofMillis(6));

    assertThat(claimed).hasSize(1);
  }

  @Test
  void aStreamOfJobsIsClaimedEveryFiveMillisecondsAndRarelyListed() {
    ClaimLoop loop = loop("q");
    for (int milli = 0; milli < 1_000; milli++) {
      store.add(job());
      if (milli % 6 == 0) {
        wakeUp("q", 0);
      }
      passes(loop, Duration.ofMillis(1));
    }

    assertThat(claimed.size()).isGreaterThan(990);
    assertThat(calls("claim")).isBetween(150L, 210L);
    assertThat(calls("dueLanes")).isBetween(30L, 55L);
  }

  @Test
  void withoutWakeUpsAStreamOfJobsIsClaimedAtTheSameRate() {
    ClaimLoop loop = loop("q");
    store.addAll(2, job());
    for (int milli = 0; milli < 1_000; milli++) {
      store.add(job());
      passes(loop, Duration.ofMillis(1));
    }

    assertThat(claimed.size()).isGreaterThan(990);
    assertThat(calls("claim")).isBetween(150L, 210L);
    assertThat(calls("dueLanes")).isBetween(30L, 55L);
  }

  @Test
  void duringAStreamOfJobsAnotherLaneWaitsForFortyMillisecondsAtMost() {
    ClaimLoop loop = loop("q", "other");
    for (int milli = 0; milli < 1_000; milli++) {
      store.add(job().priority(5));
      if (milli % 6 == 0) {
        wakeUp("q", 5);
      }
      if (milli % 100 == 50) {
        store.add(job().payload("low"));
        store.add(job().queue("other").payload("other"));
      }
      if (milli % 100 == 90) {
        assertThat(claimed)
            .filteredOn(attempt -> !attempt.job().payload().equals("job"))
            .as("after %d ms", milli)
            .hasSize(2 * (milli / 100 + 1));
      }
      passes(loop, Duration.ofMillis(1));
    }
  }

  @Test
  void afterAClaimOfFewJobsTheNextOneIsCommittedInOneRoundTrip() {
    ClaimLoop loop = loop("q");
    arrive(loop, 1);
    assertThat(store.fewClaims).as("the sizes of payloads are unknown").isEmpty();

    arrive(loop, 1);

    assertThat(claimed).hasSize(2);
    assertThat(store.fewClaims).extracting(ClaimRequest::limit).containsExactly(Claimer.FEW);
  }

  @Test
  void aBacklogIsClaimedInLargeClaims() {
    ClaimLoop loop = loop("q");
    arrive(loop, 1);

    arrive(loop, 1_000);

    assertThat(claimed).hasSize(1_001);
    assertThat(store.fewClaims).hasSize(1);
    assertThat(store.claims).extracting(ClaimRequest::limit).contains(ClaimRequest.LARGEST);
  }

  @Test
  void afterALargePayloadClaimsAreCommittedWhenTheirJobsHaveArrived() {
    ClaimLoop loop = loop("q");
    arrive(loop, 1);
    store.add(job().payload("x".repeat(100_000)));
    arrive(loop, 0);
    store.fewClaims.clear();

    arrive(loop, 1);

    assertThat(claimed).hasSize(3);
    assertThat(store.fewClaims).isEmpty();
  }

  @Test
  void jobsOfAClaimWhoseResponseWasLostAreClaimedAgainAfterASecond() {
    ClaimLoop loop = loop("q");
    arrive(loop, 1);
    store.loseNextFew(() -> {});
    JobId id = store.add(job());
    wakeUp("q", 0);
    assertThatThrownBy(loop::run).isInstanceOf(StoreException.class);
    assertThat(store.status(id)).isEqualTo(JobStatus.RUNNING);

    woken = true;
    passes(loop, Duration.ofMillis(900));
    assertThat(claimed).hasSize(1);
    passes(loop, Duration.ofSeconds(1));

    assertThat(claimed).extracting(attempt -> attempt.execution().jobId()).contains(id);
    assertThat(store.uncountedAttempts(id)).isEqualTo(1);
    assertThat(store.attempts(id)).isEqualTo(2);
  }

  @Test
  void aStoppedLoopReleasesTheJobsOfALostClaim() {
    ClaimLoop loop = loop("q");
    arrive(loop, 1);
    store.loseNextFew(() -> {});
    JobId id = store.add(job());
    wakeUp("q", 0);
    assertThatThrownBy(loop::run).isInstanceOf(StoreException.class);

    loop.end();

    assertThat(store.status(id)).isEqualTo(JobStatus.PENDING);
    assertThat(store.uncountedAttempts(id)).isEqualTo(1);
  }

  /** The senders of jobs can enqueue again at the same time, before wake-ups arrive again. */
  @Test
  void aJobThatIsEnqueuedShortlyAfterAnOutageDoesNotWaitForThePollInterval() {
    ClaimLoop loop = loop("q");
    passes(loop, A_MINUTE);
    store.fault =
        new MemoryStore.Fault() {
          @Override
          public void before(String call, int size) {
            throw new StoreException("unavailable", new SQLException("unavailable", "08006"));
          }
        };
    assertThatThrownBy(loop::run).isInstanceOf(StoreException.class);
    store.fault = new MemoryStore.Fault() {};
    woken = true;
    passes(loop, Duration.ofMillis(100));
    store.add(job());

    passes(loop, Duration.ofMillis(700));

    assertThat(claimed).hasSize(1);
  }

  /** Adds jobs, wakes the loop, and runs it for a minute. */
  private void arrive(ClaimLoop loop, int jobs) {
    store.addAll(jobs, job());
    wakeUp("q", 0);
    passes(loop, A_MINUTE);
  }

  @Test
  void aQueueThatGetsRoomIsClaimedAtOnceWhileJobsOfAnotherGather() {
    ClaimLoop loop = loop("q", "full");
    store.addAll(3, job());
    store.addAll(ROOM + 1, job().queue("full"));
    passes(loop, Duration.ofMillis(1));
    assertThat(claimed).hasSize(3 + ROOM);

    Attempt ended = claimed.get(claimed.size() - 1);
    assertThat(ended.queue().name()).isEqualTo("full");
    running.settle(ended);
    loop.run();

    assertThat(claimed).hasSize(4 + ROOM);
  }

  private ClaimLoop loop(String... names) {
    PayloadBudget payloads = new PayloadBudget(Long.MAX_VALUE);
    for (String name : names) {
      int concurrency = name.equals("full") ? ROOM : 10_000;
      queues.put(
          name,
          new ServedQueue(
              name, concurrency, 0, new Wakeup(), LaneOrder.fair().reserve(), payloads));
    }
    Claimer claimer =
        new Claimer(
            store,
            WORKER,
            List.of("k"),
            Duration.ofSeconds(30),
            queues,
            LaneOrder.fair(),
            new LowWaterMarks(Claimers.ALWAYS_FAST),
            payloads,
            () -> now,
            Claimer.Watch.NOBODY);
    return new ClaimLoop(
        claimer,
        new LostClaims(
            (after, limit) -> store.heldBy(WORKER, after, limit),
            running,
            store::requeue,
            A_MINUTE,
            () -> now,
            jobs -> {}),
        queues.values(),
        POLL_INTERVAL,
        attempts -> {
          attempts.forEach(running::add);
          claimed.addAll(attempts);
        },
        new PollSchedule(POLL_INTERVAL, new SplittableRandom()),
        heard,
        () -> now,
        () -> {});
  }

  /** Advances the clock by the given time, and runs the loop whenever its thread would run it. */
  private void passes(ClaimLoop loop, Duration time) {
    long end = now + time.toNanos();
    while (woken || wakesAt - end < 0) {
      now = woken ? now : Math.max(now, wakesAt);
      woken = false;
      wakesAt = now + loop.run();
    }
    now = end;
  }

  private void wakeUp(String queue, int priority) {
    heard.add(new Lane(queue, priority));
    woken = true;
  }

  private long calls(String name) {
    return Collections.frequency(store.calls, name);
  }
}
