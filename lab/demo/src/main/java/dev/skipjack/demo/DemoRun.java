package dev.skipjack.demo;

import dev.skipjack.dedup.UniqueJobs;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jooq.Record;

/**
 * One run of the demo on a database. It sends and handles deliveries, waits until no job is left,
 * and verifies the result.
 */
final class DemoRun {

  private static final long PAUSE_MILLIS = 50;

  /**
   * If the demo is killed, its jobs stay in status {@code running}; these settings let the next run
   * rescue them within seconds. Closing is quick because a handler takes only milliseconds.
   */
  private static final WorkerConfig CONFIG =
      WorkerConfig.builder()
          .lease(Duration.ofSeconds(5))
          .rescueInterval(Duration.ofSeconds(1))
          .pollInterval(Duration.ofMillis(50))
          .drainTimeout(Duration.ofSeconds(5))
          .build();

  private final DataSource pool;
  private final DemoOptions options;
  private final StopRequest stop;
  private final JobQueue queue;
  private final Sender sender;
  private final Progress progress;

  /** Deliveries that their sender sends again when no job is left. */
  private final List<Delivery> later = new ArrayList<>();

  DemoRun(DataSource pool, DemoOptions options, DemoOutput output, StopRequest stop) {
    this.pool = pool;
    this.options = options;
    this.stop = stop;
    this.queue = JobQueue.on(pool);
    this.sender = new Sender(pool, UniqueJobs.on(queue));
    this.progress = new Progress(output);
  }

  /**
   * The result of the run.
   *
   * @param summary the report; empty if a stop was requested before the end
   * @param left the jobs that still have to run
   */
  record Ending(Optional<Summary> summary, Left left) {}

  /**
   * The number of jobs left.
   *
   * @param pending jobs that are waiting for their first or next attempt
   * @param running jobs that are being handled, or were being handled by a process that died
   */
  record Left(long pending, long running) {}

  /** Sends the deliveries of {@code input} and handles all jobs in the queue. */
  Ending run(Deliveries input) throws SQLException, InterruptedException {
    Instant begin =
        DemoDatabase.on(pool).fetchSingle("SELECT clock_timestamp()").get(0, Instant.class);
    long beginNanos = System.nanoTime();
    List<Worker> workers = startWorkers();
    try {
      for (long number = 1; number <= input.count() && !stop.isMade(); number++) {
        send(input.make().apply(number - 1), number);
        progress.show(sender.stored());
      }
      drain();
      for (Delivery delivery : later) {
        if (!stop.isMade()) {
          sender.send(delivery, Fate.SUCCEEDS);
        }
      }
      drain();
    } finally {
      workers.forEach(Worker::close);
    }
    Duration took = Duration.ofNanos(System.nanoTime() - beginNanos);
    Optional<Summary> summary =
        stop.isMade() ? Optional.empty() : Optional.of(summary(begin, took));
    return new Ending(summary, left());
  }

  private List<Worker> startWorkers() {
    List<Worker> workers = new ArrayList<>();
    for (int n = 1; n <= options.workers(); n++) {
      workers.add(
          Worker.on(queue)
              .name("demo-" + n)
              .config(CONFIG)
              .handle(WebhookJob.TYPE, new WebhookHandler(pool))
              .queue(WebhookJob.QUEUE, DemoDatabase.SLOTS)
              .listener(progress)
              .start());
    }
    return workers;
  }

  /** Sends a delivery; sends 5 in 100 again at once, and plans to send 1 in 100 again later. */
  private void send(Delivery delivery, long number) throws SQLException {
    boolean stored = sender.send(delivery, Fate.of(number));
    if (stored && number % 20 == 3) {
      sender.send(delivery, Fate.of(number));
    } else if (stored && number % 100 == 13) {
      later.add(delivery);
    }
  }

  private void drain() throws InterruptedException {
    while (!stop.isMade() && !left().equals(new Left(0, 0))) {
      progress.show(sender.stored());
      stop.await(PAUSE_MILLIS);
    }
  }

  private Left left() {
    Record counts =
        DemoDatabase.on(pool)
            .fetchSingle(
                """
                SELECT count(*) FILTER (WHERE status = 'pending'),
                       count(*) FILTER (WHERE status = 'running')
                  FROM skipjack.jobs
                 WHERE queue = 'webhooks' AND status IN ('pending', 'running')""");
    return new Left(counts.get(0, long.class), counts.get(1, long.class));
  }

  private Summary summary(Instant begin, Duration took) throws SQLException {
    return new Summary(
        Summary.numbers(pool, options.resume() ? Instant.EPOCH : begin, begin),
        took,
        Verification.run(pool, begin, sender.sends()));
  }
}
