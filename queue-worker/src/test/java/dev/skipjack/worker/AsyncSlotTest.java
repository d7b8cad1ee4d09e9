package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.worker.HandlerRegistry.Registration;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BiConsumer;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that the slot of an asynchronous attempt becomes free again after any end of the attempt.
 */
@Timeout(30)
class AsyncSlotTest {

  private static final Duration LEASE = Duration.ofMinutes(1);

  private final MemoryStore store = new MemoryStore();
  private final RunningJobs running = new RunningJobs();
  private final Reporter reporter = new Reporter(List.of());
  private final WorkerThreads threads = new WorkerThreads("slots");
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
  private final HandlerThreads.Running handlerThreads = HandlerThreads.platform().open(threads);
  private final ServedQueue queue =
      new ServedQueue(
          "q", 1, 10, new Wakeup(), LaneOrder.Reserve.A_TENTH, new PayloadBudget(Long.MAX_VALUE));
  private final List<Long> begun = new CopyOnWriteArrayList<>();
  private final CompletableFuture<Outcome> stage = new CompletableFuture<>();
  private volatile CompletionStage<Outcome> answered = stage;
  private volatile boolean exhausted;
  private Slots slots;

  @BeforeEach
  void open() {
    Handler<String> handler =
        (payload, context) -> {
          begun.add(context.jobId().value());
          return context.jobId().value() == 1 ? Outcome.async(answered) : Outcome.completed();
        };
    HandlerRegistry handlers =
        new HandlerRegistry(
            Map.of("k", new Registration<>(JobType.of("k", String.class), handler)));
    OutcomeWriter writer =
        new OutcomeWriter(store, LEASE, running, reporter, new SplittableRandom(1));
    OutcomeFlusher flusher = new OutcomeFlusher(writer, running, new Wakeup(), Duration.ZERO);
    LongSnapshots snapshots = new LongSnapshots(LEASE.dividedBy(3));
    AttemptRunner runner =
        new AttemptRunner(
            new Invocation(handlers, store, List.of(), reporter),
            (attempt, lease) -> {},
            snapshots,
            handlers,
            (attempt, deadline) ->
                new AttemptContext(attempt, deadline, WorkerId.boot("slots"), store, reporter),
            timer,
            new StageFollower(threads),
            new AttemptEnder(
                handlers,
                new EndingRules(
                    store::encodeResult, this::random, new Redaction(ErrorRedactor.NONE)),
                snapshots,
                running,
                flusher,
                flusher::offer,
                (execution, retryAfter) -> {},
                reporter),
            reporter);
    slots = new Slots(queue, handlerThreads, runner, reporter);
  }

  @AfterEach
  void close() {
    timer.shutdownNow();
    handlerThreads.close();
  }

  /** Simulates an exhausted heap at the last moment, when a failure is recorded. */
  private RandomGenerator random() {
    if (exhausted) {
      throw new OutOfMemoryError("no heap for a failure");
    }
    return new SplittableRandom(1);
  }

  @Test
  void slotIsFreeAfterAResultThatCouldNotBeRecordedForLackOfMemory() {
    Attempt attempt = add(1);
    add(2);
    await().until(() -> begun.equals(List.of(1L)));
    exhausted = true;

    stage.completeExceptionally(new IllegalStateException("boom"));

    await().until(() -> begun.equals(List.of(1L, 2L)));
    // The worker neither renews nor holds the attempt, so that its job is rescued.
    assertThat(attempt.lease().isRenewable()).isFalse();
    assertThat(running.all()).doesNotContain(attempt);
  }

  /** Reading the cause of an exception may run the user's code. */
  @Test
  void slotIsFreeAfterAnExceptionWhoseCauseCannotBeRead() {
    Attempt attempt = add(1);
    add(2);
    await().until(() -> begun.equals(List.of(1L)));

    stage.completeExceptionally(
        new CompletionException("boom", null) {
          @Override
          public synchronized Throwable getCause() {
            throw new OutOfMemoryError("no heap for a cause");
          }
        });

    await().until(() -> begun.equals(List.of(1L, 2L)));
    assertThat(attempt.lease().isRenewable()).isFalse();
    assertThat(running.all()).doesNotContain(attempt);
  }

  @Test
  void slotIsFreeAfterAResultThatIsAnError() {
    Attempt attempt = add(1);
    add(2);
    await().until(() -> begun.equals(List.of(1L)));

    stage.completeExceptionally(new OutOfMemoryError("the handler's own"));

    await().until(() -> begun.equals(List.of(1L, 2L)));
    assertThat(attempt.isUnwritten()).isTrue(); // as a failure
  }

  /** A custom stage may violate the contract of {@code CompletionStage}. */
  @Test
  void slotIsFreeAfterAStageThatCannotBeFollowed() {
    answered =
        new CompletableFuture<>() {
          @Override
          public CompletableFuture<Outcome> whenComplete(
              BiConsumer<? super Outcome, ? super Throwable> action) {
            throw new StackOverflowError("a stage of stages");
          }
        };
    Attempt attempt = add(1);
    add(2);

    await().until(() -> begun.equals(List.of(1L, 2L)));
    await().until(attempt::isUnwritten);
  }

  private Attempt add(long id) {
    ClaimedJob job =
        new ClaimedJob(
            new Execution(new JobId(id), new ExecutionId(id), Instant.EPOCH),
            "q",
            "k",
            "payload",
            1,
            0,
            1,
            0,
            3,
            Instant.EPOCH,
            Map.of());
    Attempt attempt = new Attempt(job, queue, LEASE, System.nanoTime());
    running.add(attempt);
    assertThat(slots.add(attempt)).isTrue();
    return attempt;
  }
}
