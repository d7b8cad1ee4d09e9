package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.operations.JobCount;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that slow jobs run on workers with a free slot, even if another worker has prefetched them.
 */
@QueueTest
@Timeout(120)
class HoardingIT {

  record Note(boolean slow) {}

  private static final JobType<Note> NOTE = JobType.of("note", Note.class);
  private static final int SLOTS = 4;
  private static final int QUICK = 1_000;
  private static final int SLOW = 200;

  private final JobQueue queue;
  private final List<Worker> workers = new ArrayList<>();
  private final CountDownLatch release = new CountDownLatch(1);
  private final AtomicInteger slowBegun = new AtomicInteger();
  private final Queue<Long> begun = new ConcurrentLinkedQueue<>();
  private List<JobId> slow = List.of();
  private List<Instant> slowDueAt = List.of();

  HoardingIT(QueueDatabase database) {
    this.queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
  }

  @AfterEach
  void stop() {
    release.countDown();
    workers.forEach(Worker::stopNow);
  }

  @Test
  void twoNewWorkersShareAFewSlowJobs() {
    queue.enqueueAll(NOTE, Collections.nCopies(2 * SLOTS, new Note(true)));

    Worker first = start("first");
    eventually().until(() -> first.status().running() == SLOTS);
    Worker second = start("second");

    eventually().until(() -> second.status().running() == SLOTS);
  }

  @Test
  void slowJobsBehindQuickOnesGoToAnIdleWorker() {
    Worker first = runsSlowJobsAfterQuickOnes();
    Worker second = start("second");

    eventually().until(() -> second.status().running() == SLOTS);
    eventually().until(() -> first.status().buffered() == 0);
    assertThat(first.status().running()).isEqualTo(SLOTS);
  }

  @Test
  void jobsReleasedFromTheBufferStayAheadOfLaterJobs() {
    Worker first = runsSlowJobsAfterQuickOnes();
    List<JobId> later = queue.enqueueAll(NOTE, Collections.nCopies(SLOW, new Note(false)));
    releasesItsBuffer(first, 2 * SLOW - SLOTS);

    assertThat(dueTimes(slow)).as("they keep their due times").isEqualTo(slowDueAt);

    release.countDown();
    eventually().until(() -> begun.size() == QUICK + 2 * SLOW);
    List<Long> order = List.copyOf(begun);
    for (JobId overtaken : later) {
      assertThat(order.indexOf(overtaken.value()))
          .isGreaterThanOrEqualTo(QUICK + SLOW - SLOTS); // of several slots, one may be slow
    }
  }

  @Test
  void aJobOfHigherPriorityIsNextThoughTheBufferWasFull() {
    Worker first = runsSlowJobsAfterQuickOnes();
    JobId urgent = queue.enqueue(NOTE.priority(9), new Note(false));
    releasesItsBuffer(first, SLOW - SLOTS + 1);

    release.countDown();

    eventually().until(() -> begun.contains(urgent.value()));
    assertThat(List.copyOf(begun).indexOf(urgent.value())).isLessThan(QUICK + 5 * SLOTS);
  }

  @Test
  void jobsOfAPausedQueueDoNotRunFromABuffer() {
    Worker first = runsSlowJobsAfterQuickOnes();
    queue.admin().pause("default");
    eventually().until(() -> first.status().buffered() == 0);

    release.countDown();

    eventually().until(() -> first.status().equals(new WorkerStatus(true, 0, 0, 0, 0)));
    assertThat(slowBegun).hasValue(SLOTS);
  }

  @Test
  void aJobCancelledBeforeItsHandlerWasCalledIsNeverRun() {
    ExecutorService oneThread = Executors.newSingleThreadExecutor();
    try {
      Worker worker =
          start("first", builder -> builder.handlerThreads(HandlerThreads.of(oneThread)));
      queue.enqueue(NOTE, new Note(true));
      eventually().until(() -> slowBegun.get() == 1);
      JobId waiting = queue.enqueue(NOTE, new Note(true));
      eventually().until(() -> worker.status().buffered() == 1);

      queue.admin().cancel(List.of(waiting));

      eventually().until(() -> worker.status().buffered() == 0);
      eventually()
          .until(
              () ->
                  queue.reader().find(waiting).orElseThrow().summary().status()
                      == JobStatus.CANCELLED);
      release.countDown();
      eventually().until(() -> worker.status().running() == 0);
      assertThat(slowBegun).hasValue(1);
    } finally {
      release.countDown();
      oneThread.shutdown();
    }
  }

  /** Starts a worker that claims slow jobs after it has run only quick ones. */
  private Worker runsSlowJobsAfterQuickOnes() {
    queue.enqueueAll(NOTE, Collections.nCopies(QUICK, new Note(false)));
    slow = queue.enqueueAll(NOTE, Collections.nCopies(SLOW, new Note(true)));
    slowDueAt = dueTimes(slow);
    Worker worker = start("first");
    eventually().until(() -> slowBegun.get() == SLOTS);
    return worker;
  }

  /**
   * Waits until the buffer stays empty and the given number of jobs is pending. A claim that was
   * under way when the buffer was empty fills it once more.
   */
  private void releasesItsBuffer(Worker worker, int pending) {
    eventually()
        .during(Duration.ofSeconds(1))
        .until(() -> worker.status().buffered() == 0 && pending() == pending);
  }

  private List<Instant> dueTimes(List<JobId> jobs) {
    return jobs.stream()
        .map(job -> queue.reader().find(job).orElseThrow().summary().scheduledAt())
        .toList();
  }

  private long pending() {
    return queue.reader().counts().stream()
        .filter(count -> count.status() == JobStatus.PENDING)
        .mapToLong(JobCount::jobs)
        .sum();
  }

  private Worker start(String name) {
    return start(name, UnaryOperator.identity());
  }

  private Worker start(String name, UnaryOperator<Worker.Builder> more) {
    Worker.Builder worker =
        Worker.on(queue)
            .name(name)
            .handle(
                NOTE,
                (note, context) -> {
                  begun.add(context.jobId().value());
                  if (note.slow()) {
                    slowBegun.incrementAndGet();
                    release.await();
                  }
                  return Outcome.completed();
                })
            .queue("default", SLOTS)
            .config(
                WorkerConfig.builder()
                    .pollInterval(Duration.ofMillis(100))
                    .lease(Duration.ofSeconds(3))
                    .interruptGrace(Duration.ofMinutes(1)) // so that attempts stay in the executor
                    .build());
    Worker started = more.apply(worker).start();
    workers.add(started);
    return started;
  }

  private static ConditionFactory eventually() {
    return await().atMost(Duration.ofSeconds(60));
  }
}
