package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.worker.WorkerEvent.Claimed;
import dev.skipjack.worker.WorkerEvent.Succeeded;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/**
 * Tests that jobs are claimed by queue, priority, kind and payload version, and never more than the
 * worker can run.
 */
class ClaimingTest extends WorkerFixture {

  @Test
  void everyJobRunsOnceAndEveryQueueIsServed() {
    for (int i = 0; i < 1_000; i++) {
      store.add(job().queue(i % 3 == 0 ? "a" : "b").payload("job " + i).priority(i % 2));
    }
    Set<String> seen = ConcurrentHashMap.newKeySet();
    AtomicInteger runs = new AtomicInteger();
    Handler<String> handler =
        (payload, context) -> {
          seen.add(payload);
          runs.incrementAndGet();
          return Outcome.completed();
        };

    start(Worker.on(store).handle(TYPE, handler).queue("a", 4).queue("b", 4), config());

    await().until(() -> store.count(JobStatus.COMPLETED) == 1_000);
    assertThat(seen).hasSize(1_000);
    assertThat(runs).hasValue(1_000);
    await().until(() -> events.all(Succeeded.class).size() == 1_000);
    assertThat(events.all(Claimed.class)).hasSize(1_000);
  }

  @Test
  void noQueueRunsMoreThanItsConcurrency() {
    for (int i = 0; i < 300; i++) {
      store.add(job().priority(i % 5));
    }
    AtomicInteger now = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();

    start(
        on(
            (payload, context) -> {
              most.accumulateAndGet(now.incrementAndGet(), Math::max);
              Thread.onSpinWait();
              now.decrementAndGet();
              return Outcome.completed();
            },
            3),
        config());

    await().until(() -> store.count(JobStatus.COMPLETED) == 300);
    assertThat(most.get()).isBetween(1, 3);
  }

  @Test
  void aFullQueueClaimsNothingMore() {
    CountDownLatch release = new CountDownLatch(1);
    store.addAll(50, job());

    Worker worker =
        start(
            on(
                (payload, context) -> {
                  release.await();
                  return Outcome.completed();
                },
                2),
            config().prefetch(3));

    await().until(() -> worker.status().running() == 2);
    assertThat(worker.status()).isEqualTo(new WorkerStatus(true, 0, 2, 0, 0));
    assertThat(store.count(JobStatus.RUNNING)).isEqualTo(2);
    int claims = calls("claim");
    await().during(Duration.ofMillis(100)).until(() -> calls("claim") == claims);
    release.countDown();
    await().until(() -> store.count(JobStatus.COMPLETED) == 50);
  }

  @Test
  void jobsOfKindsWithoutHandlerStayPendingAndHideNoOthers() {
    for (int i = 0; i < 5; i++) {
      store.add(job().kind("foreign").priority(9));
      store.add(job().queue("other").kind("foreign").priority(9));
    }
    JobId own = store.add(job());

    start(on((payload, context) -> Outcome.completed(), 2).queue("other", 2), config());

    await().until(() -> store.status(own) == JobStatus.COMPLETED);
    assertThat(store.count(JobStatus.PENDING)).isEqualTo(10);
  }

  @Test
  void aJobWithHigherPriorityOvertakesABacklog() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    store.addAll(20, job().payload("low"));
    CountDownLatch high = new CountDownLatch(1);
    start(
        on(
            (payload, context) -> {
              if (payload.equals("high")) {
                high.countDown();
              } else if (!stop.get()) {
                store.add(job().payload("low")); // so that the backlog never ends
              }
              return Outcome.completed();
            },
            1),
        config());

    await().until(() -> store.count(JobStatus.COMPLETED) > 50);
    store.add(job().payload("high").priority(5));

    assertThat(high.await(30, TimeUnit.SECONDS)).isTrue();
    stop.set(true);
  }

  @Test
  void anIdleWorkerListsLanesOncePerPollAndClaimsNothing() {
    start(
        on((payload, context) -> Outcome.completed(), 5),
        config().pollInterval(Duration.ofMillis(100)));

    await().until(() -> calls("dueLanes") >= 5);

    assertThat(calls("claim")).isZero();
    assertThat(calls("complete")).isZero();
    assertThat(calls("heartbeat")).isZero();
  }

  @Test
  void anEarlierPayloadVersionIsUpcastAndALaterOneIsSnoozed() {
    JobType<String> type =
        TYPE.payloadVersion(2).upcast((json, version) -> json + " from " + version);
    List<String> seen = new CopyOnWriteArrayList<>();
    JobId earlier = store.add(job().payload("earlier"));
    JobId same = store.add(job().payload("same").payloadVersion(2));
    JobId later = store.add(job().payload("later").payloadVersion(3));

    start(
        onPlatformThreads(
            type,
            (payload, context) -> {
              seen.add(payload);
              return Outcome.completed();
            },
            1),
        config());

    await().until(() -> store.uncountedAttempts(later) == 1);
    await().until(() -> store.count(JobStatus.COMPLETED) == 2);
    assertThat(store.status(earlier)).isEqualTo(JobStatus.COMPLETED);
    assertThat(store.status(same)).isEqualTo(JobStatus.COMPLETED);
    assertThat(store.status(later)).isEqualTo(JobStatus.PENDING);
    assertThat(seen).containsExactlyInAnyOrder("earlier from 1", "same");
  }
}
