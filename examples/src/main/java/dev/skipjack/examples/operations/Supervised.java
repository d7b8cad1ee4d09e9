package dev.skipjack.examples.operations;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.micrometer.MicrometerMetrics;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.ExecutionInterceptor;
import dev.skipjack.worker.HandlerThreads;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import dev.skipjack.worker.WorkerEvent;
import dev.skipjack.worker.WorkerListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * A worker under supervision: it reports events, metrics and its health. Handlers run on the
 * application's own executor.
 *
 * <p>What goes wrong: a handler hangs and ignores the interrupt after its timeout. It is reported
 * as stuck, and a new slot replaces the one that it occupies, so the queue is still served.
 */
public final class Supervised {

  static final JobType<String> CALL =
      JobType.of("call", String.class).timeout(Duration.ofMillis(200)).maxAttempts(1);

  private Supervised() {}

  // snippet: worker
  static Worker.Builder worker(
      JobQueue queue, ExecutorService threads, MeterRegistry registry, WorkerListener alarms) {
    return Worker.on(queue)
        .queue("default", 1)
        .handlerThreads(HandlerThreads.of(threads))
        .interceptor(tracing())
        .metrics(new MicrometerMetrics(registry))
        .listener(alarms);
  }

  /** Here a tracing library would continue the enqueuer's trace. */
  static ExecutionInterceptor tracing() {
    return (context, next) -> {
      Thread thread = Thread.currentThread();
      String name = thread.getName();
      thread.setName(context.kind() + " trace " + context.traceparent().orElse("none"));
      try {
        return next.proceed();
      } finally {
        thread.setName(name);
      }
    };
  }

  // end of snippet

  /**
   * Runs the example.
   *
   * @param args a JDBC URL; without one an embedded PostgreSQL is started
   */
  public static void main(String[] args) throws InterruptedException {
    try (ExampleDatabase database = ExampleDatabase.open(args)) {
      run(database.dataSource(), System.out);
    }
  }

  static void run(DataSource dataSource, PrintStream out) throws InterruptedException {
    JobQueue queue = JobQueue.on(dataSource);
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    CountDownLatch stuck = new CountDownLatch(1);
    CountDownLatch others = new CountDownLatch(5);
    CountDownLatch release = new CountDownLatch(1);
    WorkerListener alarms =
        event -> {
          if (event instanceof WorkerEvent.Stuck alarm) {
            out.println("alarm: job " + alarm.attempt().jobId() + " is stuck");
            stuck.countDown();
          } else if (event instanceof WorkerEvent.Succeeded) {
            others.countDown();
          }
        };
    ExecutorService threads = Executors.newCachedThreadPool();
    try (Worker worker =
        worker(queue, threads, registry, alarms)
            .config(WorkerConfig.builder().interruptGrace(Duration.ofMillis(200)).build())
            .handle(
                CALL,
                (number, context) -> {
                  while (number.equals("hangs") && release.getCount() > 0) {
                    Thread.onSpinWait();
                  }
                  return Outcome.completed();
                })
            .start()) {
      queue.enqueue(CALL, "hangs");
      stuck.await();
      for (int i = 0; i < 5; i++) {
        queue.enqueue(CALL, "responds");
      }
      if (!others.await(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException("The queue makes no progress.");
      }
      out.println("stuck now: " + worker.status().stuck());
      out.println("ready: " + worker.health().ready() + " " + worker.health().reasons());
      out.println("completed: " + (long) registry.get("skipjack.jobs.completed").counter().count());
      release.countDown();
    } finally {
      threads.shutdown();
    }
  }
}
