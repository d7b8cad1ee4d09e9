package dev.skipjack.steps;

import static dev.skipjack.steps.StepOptions.undo;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests durable steps with started workers. */
@QueueTest
class StepsIT {

  private static final JobType<String> FLOW = JobType.of("flow", String.class).maxAttempts(3);
  private static final JobType<String> UNDO = JobType.of("undo", String.class);

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /**
   * Signals are sent before, during and after the waits of many jobs, so each order of the look, the
   * signal and the suspension occurs. A signal that is slept through would keep its job for a week.
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
    assertThat(StepRows.query(database, "SELECT 1 FROM @job_steps UNION ALL SELECT 1 FROM @job_waits"))
        .isEmpty();
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
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (StepRows.query(
            database, "SELECT 1 FROM @jobs WHERE status = 'pending' AND awaits = 'nap'")
        .isEmpty()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }
}
