package dev.skipjack.steps;

import static dev.skipjack.steps.StepOptions.undo;
import static dev.skipjack.testkit.QueueAssertions.assertThatJob;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.JobRuns;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Handler;
import dev.skipjack.worker.Worker;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Tests durable steps with started workers. */
@QueueTest
class StepsIT {

  private static final JobType<String> FLOW = JobType.of("flow", String.class).maxAttempts(3);
  private static final JobType<String> UNDO = JobType.of("undo", String.class);

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /**
   * Signals are sent before, during and after the waits of many jobs, so each order of the look,
   * the signal and the suspension occurs. A signal that is slept through would keep its job for a
   * week.
   */
  @Test
  void everySignalIsDeliveredOnceWheneverItIsSent(QueueDatabase database) throws Exception {
    int jobs = 300;
    Map<String, AtomicInteger> delivered = new ConcurrentHashMap<>();
    BlockingQueue<String> ended = new LinkedBlockingQueue<>();
    try (HikariDataSource pool = database.newDataSource(12)) {
      JobQueue queue = JobQueue.on(pool);
      Signals signals = Signals.on(queue);
      Worker.Builder builder =
          Worker.on(queue)
              .handle(
                  FLOW,
                  (payload, job) -> {
                    Steps steps = Steps.of(job);
                    String mine =
                        steps.await("mine", String.class, Duration.ofDays(7)).orElseThrow();
                    String keyed =
                        steps
                            .awaitKey("k" + payload, "keyed", String.class, Duration.ofDays(7))
                            .orElseThrow();
                    delivered
                        .computeIfAbsent(mine + keyed, unused -> new AtomicInteger())
                        .incrementAndGet();
                    ended.add(payload);
                    return Outcome.completed();
                  })
              .queue("default", 4);
      try (Worker worker = builder.build()) {
        worker.start();
        Random random = new Random(42);
        List<Runnable> late = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
          String payload = Integer.toString(i);
          JobId job = queue.enqueue(FLOW, payload);
          List<Runnable> sends =
              List.of(
                  () -> signals.send(job, "mine", payload + "-"),
                  () -> signals.sendToKey("k" + payload, "keyed", payload));
          for (Runnable send : sends) {
            if (random.nextInt(3) == 0) {
              late.add(send);
            } else {
              send.run();
            }
          }
          if (late.size() > random.nextInt(20)) {
            late.remove(random.nextInt(late.size())).run();
          }
        }
        late.forEach(Runnable::run);
        for (int i = 0; i < jobs; i++) {
          assertThat(ended.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS)).as("job " + i).isNotNull();
        }
      }
    }
    assertThat(delivered).hasSize(jobs);
    assertThat(delivered.keySet()).allMatch(each -> each.matches("(\\d+)-\\1"));
    assertThat(delivered.values()).allMatch(count -> count.get() == 1);
    assertThat(
            StepRows.query(database, "SELECT 1 FROM @job_steps UNION ALL SELECT 1 FROM @job_waits"))
        .isEmpty();
  }

  /**
   * The first attempt loses its job while its transaction is open, and the second one runs the same
   * step. The primary key of the memos makes the second wait, and then fail.
   */
  @Test
  void stepInATransactionTakesEffectOnceThoughTwoAttemptsRunIt(QueueDatabase database)
      throws Exception {
    StepRows.query(database, "CREATE TABLE ledger (attempt integer)");
    ExecutorService second = Executors.newSingleThreadExecutor();
    try {
      JobQueue queue = JobQueue.on(database.dataSource());
      AtomicInteger attempts = new AtomicInteger();
      AtomicReference<Handler<String>> self = new AtomicReference<>();
      List<Future<Integer>> runs = new ArrayList<>();
      Handler<String> handler =
          (payload, job) -> {
            int attempt = attempts.incrementAndGet();
            try (Connection connection = database.connection()) {
              connection.setAutoCommit(false);
              Steps.of(job)
                  .runIn(
                      connection,
                      "book",
                      () -> {
                        try (Statement insert = connection.createStatement()) {
                          insert.execute("INSERT INTO ledger VALUES (" + attempt + ")");
                        }
                      });
              if (attempt == 1) {
                database.loseLease(job.jobId(), queue);
                runs.add(
                    second.submit(() -> runs(queue, database, requireNonNull(self.get())).due()));
                awaitBlocked(database);
              }
              connection.commit();
            }
            return Outcome.completed();
          };
      self.set(handler);
      JobId job = queue.enqueue(FLOW, "x");
      runs(queue, database, handler).due();
      assertThat(runs.get(0).get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo(1);
      assertThatJob(database, job)
          .isPending()
          .hasLastErrorContaining("Step 'book' of job " + job + " was recorded by another attempt");
      runs(queue, database, handler).toTheEnd();
      assertThatJob(database, job).isCompleted();
      assertThat(StepRows.query(database, "SELECT attempt FROM ledger")).containsExactly("1");
    } finally {
      second.shutdownNow();
      StepRows.query(database, "DROP TABLE ledger");
    }
  }

  private static JobRuns runs(JobQueue queue, QueueDatabase database, Handler<String> handler) {
    return JobRuns.with(
        Worker.on(queue).handle(FLOW, handler).queue("default", 1).build(), database);
  }

  private static void awaitBlocked(QueueDatabase database) throws InterruptedException {
    awaitRow(
        database,
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type ="
            + " 'Lock' AND query ILIKE '%job_steps%'");
  }

  @Test
  void jobIsWokenBySignalsOfAnotherProcessAndUndoneByTheSweep(QueueDatabase database)
      throws Exception {
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    try (HikariDataSource pool = database.newDataSource(10)) {
      JobQueue queue = JobQueue.on(pool);
      try (Worker worker =
          Worker.on(queue)
              .handle(
                  FLOW,
                  (payload, job) -> {
                    Steps steps = Steps.of(job);
                    steps.run(
                        "account", String.class, key -> "acc", undo(UNDO, acc -> "delete " + acc));
                    events.add("waits");
                    events.add(
                        steps.await("review", String.class, Duration.ofDays(1)).orElse("none"));
                    steps.sleep("nap", Duration.ofDays(1));
                    return Outcome.completed();
                  })
              .handle(
                  UNDO,
                  (payload, job) -> {
                    events.add(payload);
                    return Outcome.completed();
                  })
              .queue("default", 2)
              .build()) {
        worker.start();
        JobId job = queue.enqueue(FLOW, "x");
        awaitEvent(events, "waits");
        JobQueue other = JobQueue.on(database.dataSource());
        Signals.on(other).send(job, "review", "ok");
        awaitEvent(events, "ok");
        awaitSleep(database);
        other.admin().cancel(List.of(job));
        awaitEvent(events, "delete acc");
      }
    }
  }

  private static void awaitEvent(BlockingQueue<String> events, String expected)
      throws InterruptedException {
    String event;
    do {
      event = events.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertThat(event).as("waiting for " + expected).isNotNull();
    } while (!event.equals(expected));
  }

  private static void awaitSleep(QueueDatabase database) throws InterruptedException {
    awaitRow(database, "SELECT 1 FROM @jobs WHERE status = 'pending' AND awaits = 'nap'");
  }

  private static void awaitRow(QueueDatabase database, String query) throws InterruptedException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (StepRows.query(database, query).isEmpty()) {
      assertThat(System.nanoTime()).as(query).isLessThan(deadline);
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }
}
