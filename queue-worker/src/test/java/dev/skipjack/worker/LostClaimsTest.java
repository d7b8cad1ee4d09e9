package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.UnknownClaimException;
import dev.skipjack.api.spi.Verdict;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class LostClaimsTest {

  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Instant DUE = Instant.parse("2026-01-01T00:00:00Z");

  /** The verdict about each job. A job without a verdict was not claimed. */
  private final Map<JobId, Verdict> held = new HashMap<>();

  private final List<Requeue> released = new ArrayList<>();
  private @Nullable StoreException failure;
  private long now = 1_000;
  private int calls;
  private int reported;
  private final List<Long> searchedAfter = new ArrayList<>();
  private final RunningJobs running = new RunningJobs();
  private final List<ClaimedJob> inDatabase = new ArrayList<>();
  private final LostClaims lost =
      new LostClaims(
          this::held, running, this::requeue, LEASE, () -> now, jobs -> reported += jobs);

  @Test
  void jobsOfACommittedClaimAreReleasedAtOnceAndKeepTheirDueTimes() {
    lost.add(claim(1, 2));
    held.put(new JobId(1), Verdict.DONE);
    held.put(new JobId(2), Verdict.DONE);

    assertThat(lost.pause(LEASE.toNanos())).isZero();
    assertThat(lost.release()).isTrue();

    assertThat(released).extracting(one -> one.execution().id().value()).containsExactly(11L, 12L);
    assertThat(released).extracting(Requeue::as).containsOnly(ExecutionStatus.RELEASED);
    assertThat(released).extracting(Requeue::until).containsOnly(DUE);
    assertThat(reported).isEqualTo(2);
    assertThat(lost.release()).isFalse();
  }

  @Test
  void aClaimThatIsCommittedLaterIsFoundLater() {
    lost.add(claim(1));
    assertThat(lost.release()).isTrue();
    assertThat(lost.release()).as("again at once").isFalse();
    assertThat(released).isEmpty();

    held.put(new JobId(1), Verdict.BUSY); // its transaction is being committed
    now += lost.pause(LEASE.toNanos());
    assertThat(lost.release()).isTrue();
    assertThat(released).isEmpty();

    held.put(new JobId(1), Verdict.DONE);
    now += lost.pause(LEASE.toNanos());
    assertThat(lost.release()).isTrue();
    assertThat(released).hasSize(1);
  }

  @Test
  void aClaimThatWasNotCommittedIsForgottenWhenItsLeaseWouldHaveEnded() {
    lost.add(claim(1));
    while (calls < 100 && lost.pause(LEASE.toNanos()) < LEASE.toNanos()) {
      now += lost.pause(LEASE.toNanos());
      assertThat(lost.release()).isTrue();
    }

    assertThat(lost.pause(LEASE.toNanos())).isEqualTo(LEASE.toNanos());
    assertThat(calls).isBetween(5, 15);
    assertThat(released).isEmpty();
    assertThat(reported).isZero();
  }

  @Test
  void onlyTheJobsThatAreHeldAreReleased() {
    lost.add(claim(1, 2, 3));
    held.put(new JobId(2), Verdict.DONE);

    lost.release();

    assertThat(released).extracting(one -> one.execution().jobId().value()).containsExactly(2L);
    assertThat(reported).isEqualTo(1);
  }

  @Test
  void aLargeClaimIsReleasedInBatches() {
    long[] ids = LongStream.rangeClosed(1, 450).toArray();
    LongStream.of(ids).forEach(id -> held.put(new JobId(id), Verdict.DONE));
    lost.add(claim(ids));

    lost.release();

    assertThat(released).hasSize(450);
    assertThat(calls).isEqualTo(3);
  }

  @Test
  void anUnavailableDatabaseIsReportedAndAskedAgain() {
    lost.add(claim(1));
    held.put(new JobId(1), Verdict.DONE);
    failure = new StoreException("unavailable", new SQLException("unavailable", "08006"));
    assertThatThrownBy(lost::release).isSameAs(failure);

    failure = null;
    assertThat(lost.release()).isTrue();
    assertThat(released).hasSize(1);
  }

  @Test
  void jobsThatCannotBeReleasedDoNotKeepOthersFromBeingClaimed() {
    lost.add(claim(1));
    failure = new StoreException("refused", new SQLException("refused", "P0001"));

    assertThat(lost.release()).isTrue();
    assertThat(lost.release()).isFalse();
  }

  @Nested
  class WithoutNames {

    private static final ExecutionId BEFORE = new ExecutionId(10);

    private final ServedQueue queue =
        new ServedQueue(
            "q", 1, 0, new Wakeup(), LaneOrder.fair().reserve(), new PayloadBudget(Long.MAX_VALUE));

    @Test
    void aJobIsReleasedWhenASecondSearchFindsItToo() {
      hold(1);
      lost.search(BEFORE);
      assertThat(lost.pause(LEASE.toNanos())).isZero();

      assertThat(lost.release()).isTrue();
      assertThat(released).as("an enqueue may be about to start it").isEmpty();
      assertThat(lost.pause(LEASE.toNanos())).isEqualTo(Duration.ofSeconds(1).toNanos());

      now += lost.pause(LEASE.toNanos());
      assertThat(lost.release()).isTrue();
      assertThat(released).extracting(one -> one.execution().id().value()).containsExactly(11L);
      assertThat(released).extracting(Requeue::until).containsExactly(DUE);
      assertThat(reported).isEqualTo(1);
    }

    @Test
    void theLastSearchReleasesAtOnce() {
      hold(1);
      lost.search(BEFORE);

      lost.releaseLast();

      assertThat(released).hasSize(1);
    }

    @Test
    void jobsOfKnownAttemptsAndOfEarlierOnesAreLeftAlone() {
      hold(1, 2, 3);
      assertThat(running.add(attempt(3))).isTrue();
      lost.search(new ExecutionId(11));

      releaseTwice();

      assertThat(released).extracting(one -> one.execution().id().value()).containsExactly(12L);
    }

    @Test
    void anAttemptThatArrivesBetweenTheSearchesRuns() {
      hold(1);
      lost.search(BEFORE);
      lost.release();

      assertThat(running.add(attempt(1))).isTrue();
      now += lost.pause(LEASE.toNanos());
      lost.release();

      assertThat(released).isEmpty();
    }

    @Test
    void anAttemptThatArrivesLaterMustNotRun() {
      hold(1);
      lost.search(BEFORE);
      releaseTwice();

      assertThat(running.add(attempt(1))).isFalse();
      assertThat(running.size()).isZero();
    }

    /** The handler may have run, so the rescue must count the attempt. */
    @Test
    void anAttemptThatIsLeftToTheRescueIsNotReleased() {
      hold(1);
      Attempt abandoned = attempt(1);
      running.add(abandoned);
      running.leave(abandoned);
      lost.search(BEFORE);

      releaseTwice();

      assertThat(released).isEmpty();
    }

    @Test
    void aClaimThatIsCommittedLaterIsFoundUntilItsLeaseWouldHaveEnded() {
      lost.search(BEFORE);
      now += LEASE.toNanos() / 3;
      assertThat(lost.release()).isTrue();
      hold(1);
      while (released.isEmpty() && calls < 100) {
        now += lost.pause(LEASE.toNanos());
        calls++;
        lost.release();
      }
      assertThat(released).hasSize(1);

      inDatabase.clear();
      now += LEASE.toNanos();
      assertThat(lost.release()).isTrue();
      assertThat(lost.pause(LEASE.toNanos())).isEqualTo(LEASE.toNanos());
    }

    @Test
    void aSearchAfterTwoLossesBeginsAtTheEarlierExecution() {
      hold(1, 2);
      lost.search(new ExecutionId(11));
      lost.search(BEFORE);

      releaseTwice();

      assertThat(released).hasSize(2);
    }

    /** Otherwise each search would read all jobs that were claimed since the first loss. */
    @Test
    void theSearchAdvancesWhileLossesRepeat() {
      for (int i = 0; i < 20; i++) {
        lost.search(new ExecutionId(10 + i));
        lost.release();
        now += LEASE.toNanos() / 4;
      }

      assertThat(searchedAfter).isSorted().last().isEqualTo(25L);
    }

    @Test
    void aJobThatWasFoundOnceIsReleasedEvenIfItsLossHasExpired() {
      lost.search(BEFORE);
      lost.release();
      now += LEASE.toNanos();
      lost.search(new ExecutionId(13));
      hold(1);

      releaseTwice();

      assertThat(released).extracting(one -> one.execution().id().value()).containsExactly(11L);
    }

    @Test
    void moreJobsThanOneStatementFindsAreAllFound() {
      hold(LongStream.rangeClosed(1, 2_500).toArray());
      lost.search(BEFORE);

      releaseTwice();

      assertThat(released).hasSize(2_500);
    }

    @Test
    void aLockedJobIsReleasedLater() {
      hold(1);
      held.put(new JobId(1), Verdict.BUSY);
      lost.search(BEFORE);
      releaseTwice();
      assertThat(released).isEmpty();

      held.put(new JobId(1), Verdict.DONE);
      now += lost.pause(LEASE.toNanos());
      lost.release();

      assertThat(released).hasSize(1);
    }

    private void releaseTwice() {
      lost.release();
      now += lost.pause(LEASE.toNanos());
      lost.release();
    }

    private void hold(long... ids) {
      for (long id : ids) {
        inDatabase.add(job(id));
        held.put(new JobId(id), Verdict.DONE);
      }
    }

    private Attempt attempt(long id) {
      return new Attempt(job(id), queue, LEASE, System.nanoTime());
    }
  }

  private List<Ended> requeue(List<Requeue> attempts) {
    calls++;
    if (failure != null) {
      throw failure;
    }
    List<Ended> ended = new ArrayList<>();
    for (Requeue attempt : attempts) {
      Verdict verdict = held.getOrDefault(attempt.execution().jobId(), Verdict.LOST);
      if (verdict == Verdict.DONE) {
        released.add(attempt);
      }
      ended.add(new Ended(verdict, verdict == Verdict.DONE ? JobStatus.PENDING : null));
    }
    return ended;
  }

  private List<ClaimedJob> held(ExecutionId after, int limit) {
    searchedAfter.add(after.value());
    return inDatabase.stream()
        .filter(job -> job.execution().id().value() > after.value())
        .limit(limit)
        .toList();
  }

  private static ClaimedJob job(long id) {
    return new ClaimedJob(
        new Execution(new JobId(id), new ExecutionId(10 + id), DUE.plusSeconds(60)),
        "q",
        "k",
        "{}",
        1,
        0,
        1,
        0,
        3,
        DUE,
        Map.of());
  }

  private static UnknownClaimException claim(long... ids) {
    List<ClaimedJob> jobs = LongStream.of(ids).mapToObj(LostClaimsTest::job).toList();
    return new UnknownClaimException(
        new StoreException("lost", new SQLException("lost", "08006"), true), jobs);
  }
}
