package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.WorkerId;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that other jobs still run if code of the application throws anything or interrupts the
 * worker's thread.
 */
@Timeout(60)
class ForeignCodeTest extends WorkerFixture {

  private static final String BAD = "bad";

  /** How many calls of the executor or the store misbehave before they work. */
  private static final int TIMES = 3;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicInteger left = new AtomicInteger(TIMES);

  @AfterEach
  void endThreads() {
    threads.shutdownNow();
  }

  /** A throwable that no signature declares. */
  private static final class Undeclared extends Throwable {
    private static final long serialVersionUID = 1;
  }

  /** The ways in which the foreign code misbehaves. */
  enum Deed {
    THROW_THROWABLE,
    THROW_ERROR,
    INTERRUPT;

    void commit() {
      switch (this) {
        case THROW_THROWABLE -> Deed.<RuntimeException>sneak(new Undeclared());
        case THROW_ERROR -> throw new StackOverflowError("thrown by foreign code");
        case INTERRUPT -> Thread.currentThread().interrupt();
      }
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void sneak(Throwable thrown) throws E {
      throw (E) thrown;
    }
  }

  /** The places where a worker calls foreign code. */
  enum Boundary {
    HANDLER,
    STAGE,
    RESULT,
    INTERCEPTOR,
    BACKOFF,
    REDACTOR,
    CODEC,
    LISTENER,
    METRICS,
    EXECUTOR,
    DATABASE
  }

  static Stream<Arguments> cases() {
    return Arrays.stream(Boundary.values())
        .flatMap(
            boundary -> Arrays.stream(Deed.values()).map(deed -> Arguments.of(boundary, deed)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void otherJobsRun(Boundary boundary, Deed deed) {
    Worker worker = start(misbehaving(boundary, deed), config());
    for (String payload : List.of(BAD, "one", BAD, "two", "three")) {
      store.add(TestJob.job().payload(payload).maxAttempts(2));
    }
    await()
        .untilAsserted(
            () -> {
              assertThat(store.count(JobStatus.RUNNING)).isZero();
              assertThat(store.count(JobStatus.COMPLETED)).isGreaterThanOrEqualTo(3);
            });
    assertThat(worker.health().alive()).as("%s", worker.health().reasons()).isTrue();
    await().untilAsserted(() -> assertThat(worker.health().ready()).isTrue());
    assertThat(worker.status().running()).isZero();
  }

  private Worker.Builder misbehaving(Boundary boundary, Deed deed) {
    JobType<String> type =
        boundary == Boundary.BACKOFF
            ? JobType.of("k", String.class)
                .maxAttempts(2)
                .retry(
                    (attempt, random) -> {
                      deed.commit();
                      return Duration.ZERO;
                    })
            : TYPE.maxAttempts(2);
    Worker.Builder builder =
        Worker.on(store)
            .handle(
                type,
                (payload, context) -> {
                  boolean bad = payload.equals(BAD);
                  return switch (boundary) {
                    case HANDLER -> {
                      commitIf(bad, deed);
                      yield Outcome.completed();
                    }
                    case STAGE -> bad ? Outcome.async(new BrokenStage(deed)) : Outcome.completed();
                    case RESULT -> Outcome.completed(bad ? new BrokenResult(deed) : "fine");
                    case BACKOFF, REDACTOR -> {
                      if (bad) {
                        throw new IllegalStateException("refused");
                      }
                      yield Outcome.completed();
                    }
                    default -> Outcome.completed();
                  };
                })
            .queue("q", 2)
            .interceptor(
                (context, next) -> {
                  commitIf(boundary == Boundary.INTERCEPTOR && context.jobId().value() == 1, deed);
                  return next.proceed();
                })
            .redactor(
                text -> {
                  commitIf(boundary == Boundary.REDACTOR, deed);
                  return text;
                })
            .listener(event -> commitIf(boundary == Boundary.LISTENER, deed));
    switch (boundary) {
      case CODEC -> store.onDecode = json -> commitIf(json.equals(BAD), deed);
      case METRICS -> builder.metrics(new BrokenMetrics(deed));
      case EXECUTOR ->
          builder.handlerThreads(HandlerThreads.of(new BrokenExecutor(deed, threads, left)));
      case DATABASE ->
          store.fault =
              new MemoryStore.Fault() {
                @Override
                public void before(String call, int size) {
                  commitIf(left.getAndDecrement() > 0, deed);
                }
              };
      default -> {}
    }
    return builder;
  }

  private static void commitIf(boolean condition, Deed deed) {
    if (condition) {
      deed.commit();
    }
  }

  /** A stage that misbehaves when a callback is registered. */
  private static final class BrokenStage extends CompletableFuture<Outcome> {

    private final Deed deed;

    BrokenStage(Deed deed) {
      this.deed = deed;
    }

    @Override
    public CompletableFuture<Outcome> whenComplete(
        java.util.function.BiConsumer<? super Outcome, ? super Throwable> action) {
      deed.commit();
      complete(Outcome.completed());
      return super.whenComplete(action);
    }
  }

  /** A result that misbehaves when it is encoded. */
  private record BrokenResult(Deed deed) {

    @Override
    public String toString() {
      deed.commit();
      return "fine";
    }
  }

  private record BrokenMetrics(Deed deed) implements WorkerMetrics {

    @Override
    public void count(WorkerMeter counter, String queue, String kind) {
      deed.commit();
    }

    @Override
    public void count(WorkerMeter counter, long times, String worker) {
      deed.commit();
    }

    @Override
    public void record(WorkerMeter timer, Duration took, String queue, String kind) {
      deed.commit();
    }

    @Override
    public void record(WorkerMeter timer, Duration took, String worker) {
      deed.commit();
    }

    @Override
    public Runnable gauge(WorkerMeter gauge, WorkerId worker, DoubleSupplier value) {
      deed.commit();
      return deed::commit;
    }
  }

  /** An executor that misbehaves at first. */
  private static final class BrokenExecutor extends AbstractExecutorService {

    private final Deed deed;
    private final ExecutorService working;
    private final AtomicInteger left;

    BrokenExecutor(Deed deed, ExecutorService working, AtomicInteger left) {
      this.deed = deed;
      this.working = working;
      this.left = left;
    }

    @Override
    public void execute(Runnable task) {
      commitIf(left.getAndDecrement() > 0, deed);
      working.execute(task);
    }

    @Override
    public void shutdown() {}

    @Override
    public List<Runnable> shutdownNow() {
      return List.of();
    }

    @Override
    public boolean isShutdown() {
      return false;
    }

    @Override
    public boolean isTerminated() {
      return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
      return true;
    }
  }
}
