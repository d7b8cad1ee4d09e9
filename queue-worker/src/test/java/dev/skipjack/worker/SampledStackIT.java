package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.operations.HandlerStack;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workers show where the handlers of long attempts are. */
@QueueTest
@Timeout(60)
class SampledStackIT {

  private static final JobType<Integer> TYPE = JobType.of("long", Integer.class);

  private static final StackSampler.Pace QUICK =
      new StackSampler.Pace(Duration.ofMillis(100), Duration.ofMillis(90));

  private final QueueDatabase database;
  private final JobQueue queue;
  private final CountDownLatch end = new CountDownLatch(1);

  SampledStackIT(QueueDatabase database) {
    this.database = database;
    this.queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
  }

  private Worker start(HandlerThreads threads, Handler<Integer> handler) {
    return Worker.on(queue)
        .handle(TYPE, handler)
        .handlerThreads(threads)
        .queue("default", 2)
        .sampling(QUICK)
        .build()
        .start();
  }

  private Outcome waitForEnd() throws InterruptedException {
    end.await();
    return Outcome.completed();
  }

  private @Nullable HandlerStack stackOf(JobId job) {
    return queue.reader().find(job).orElseThrow().stack();
  }

  /** Checks that the stack is shown while the handler runs, and removed when it has ended. */
  private void assertSampled(HandlerThreads threads) {
    JobId job = queue.enqueue(TYPE, 1);
    try (Worker worker = start(threads, (payload, context) -> waitForEnd())) {
      await().until(() -> stackOf(job) != null);
      assertThat(worker.status().running()).isEqualTo(1);
      HandlerStack stack = Objects.requireNonNull(stackOf(job));
      assertThat(stack.problem()).isNull();
      assertThat(stack.stack())
          .contains("\tat ")
          .contains("SampledStackIT.waitForEnd(SampledStackIT.java:")
          .doesNotContain("AttemptRunner");

      end.countDown();
      await().until(() -> rows() == 0);
      assertThat(stackOf(job)).isNull();
    }
  }

  private long rows() throws Exception {
    try (var connection = database.connection();
        var statement = connection.createStatement();
        var result =
            statement.executeQuery(
                "SELECT count(*) FROM %s.job_stacks".formatted(database.schema()))) {
      result.next();
      return result.getLong(1);
    }
  }

  @Test
  void aHandlerOnAPlatformThreadIsSampled() {
    assertSampled(HandlerThreads.platform());
  }

  @Test
  void aHandlerOnAVirtualThreadIsSampled() {
    assumeTrue(Runtime.version().feature() >= 21, "Java 17 has no virtual threads");
    assertSampled(HandlerThreads.virtual());
  }

  @Test
  void aHandlerOnAnotherExecutorIsSampled() {
    ExecutorService executor = Executors.newFixedThreadPool(2);
    try {
      assertSampled(HandlerThreads.of(executor));
    } finally {
      executor.shutdown();
    }
  }

  @Test
  void aHandlerThatReturnedAStageSaysSo() {
    JobId job = queue.enqueue(TYPE, 1);
    CompletableFuture<Outcome> stage = new CompletableFuture<>();
    try (Worker worker =
        start(HandlerThreads.platform(), (payload, context) -> Outcome.async(stage))) {
      await().until(() -> stackOf(job) != null);
      assertThat(worker.status().running()).isEqualTo(1);
      assertThat(Objects.requireNonNull(stackOf(job)).problem()).contains("returned a stage");
      stage.complete(Outcome.completed());
    }
  }

  @Test
  void workersWithoutLongAttemptsHaveNoThreadForIt() throws InterruptedException {
    queue.enqueue(TYPE, 1);
    try (Worker worker =
        Worker.on(queue)
            .name("short")
            .handle(TYPE, (payload, context) -> Outcome.completed())
            .queue("default", 2)
            .build()
            .start()) {
      await().until(() -> queue.reader().counts().isEmpty());
      assertThat(worker.status().started()).isTrue();
      WorkerFixture.pause(Duration.ofSeconds(1)); // two runs of the watchdog
      assertThat(WorkerFixture.threads("queue-short-sampler")).isEmpty();
      assertThat(WorkerFixture.threads("queue-short-watchdog")).isNotEmpty();
    }
  }
}
