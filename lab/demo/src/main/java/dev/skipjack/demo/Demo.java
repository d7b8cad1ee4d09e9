package dev.skipjack.demo;

import dev.skipjack.dedup.UniqueJobs;
import dev.skipjack.embedded.EmbeddedPostgres;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import dev.skipjack.worker.WorkerEvent;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jooq.Record;

/**
 * Runs the demo: sends deliveries, handles their jobs until none is left, and verifies the result.
 */
public final class Demo {

  private static final int WORKERS = 2;
  private static final long PAUSE_MILLIS = 50;
  private static final Duration BETWEEN_PROGRESS = Duration.ofSeconds(1);
  private static final Duration PATIENCE_AT_SHUTDOWN = Duration.ofSeconds(30);

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

  private final DemoOptions options;
  private final DemoOutput output;
  private final CountDownLatch stop = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private long shown = System.nanoTime();

  private Demo(DemoOptions options, DemoOutput output) {
    this.options = options;
    this.output = output;
  }

  /**
   * Runs the demo once. A shutdown of the JVM, for example after Ctrl-C, waits at most 30 s until
   * the workers have stopped.
   *
   * @return whether every delivery had exactly its expected effect; false also if the run was
   *     stopped before the end
   * @throws RefusedException if the run cannot begin, or the queue refuses a delivery
   * @throws SQLException if the database failed
   */
  public static boolean run(DemoOptions options, DemoOutput output)
      throws SQLException, InterruptedException {
    return run(options, output, "demo");
  }

  /**
   * @param server the purpose of the embedded server, which determines its data folder
   */
  static boolean run(DemoOptions options, DemoOutput output, String server)
      throws SQLException, InterruptedException {
    Stream<Delivery> input = Delivery.input(options);
    Demo demo = new Demo(options, output);
    Runtime.getRuntime().addShutdownHook(new Thread(demo::stop, "demo-shutdown"));
    try {
      if (options.database() != null) {
        return demo.run(options.database(), input);
      }
      output.note("Starting an embedded PostgreSQL ...");
      // The server is stopped here and not by the shutdown of the JVM, because the workers need it
      // until they have stopped.
      try (EmbeddedPostgres postgres =
          EmbeddedPostgres.builder().purpose(server).stopAtExit(false).start()) {
        String how = postgres.adopted() ? "adopted" : "started";
        output.note(
            "PostgreSQL %s (%s in %s)".formatted(postgres.version(), how, postgres.dataFolder()));
        String folder = postgres.dataFolder().toString();
        return demo.run(new DemoOptions.Database(postgres.jdbcUrl("postgres"), folder), input);
      }
    } finally {
      demo.ended.countDown();
    }
  }

  /** Requests the stop, and lets the shutdown of the JVM wait for it. */
  private void stop() {
    stop.countDown();
    try {
      ended.await(PATIENCE_AT_SHUTDOWN.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @SuppressWarnings("try") // the lock is held, but not used
  private boolean run(DemoOptions.Database target, Stream<Delivery> input)
      throws SQLException, InterruptedException {
    try (DemoDatabase database = new DemoDatabase(target.jdbcUrl());
        Connection lock = database.lock()) {
      if (options.database() == null && !options.resume()) {
        database.clear();
      }
      database.createTables();
      DataSource pool = database.pool();
      if (options.resume() && jobs(pool).get("stored", long.class) == 0) {
        throw new RefusedException(
            "There is nothing to resume: no demo has run in %s.".formatted(target));
      }
      Instant begin =
          DemoDatabase.on(pool).fetchSingle("SELECT clock_timestamp()").get(0, Instant.class);
      long beginNanos = System.nanoTime();
      Sender sender = sendAndHandle(pool, input);
      double seconds = (System.nanoTime() - beginNanos) / 1e9;
      if (isStopped()) {
        Record jobs = jobs(pool);
        output.note(
            "Stopped. %,d jobs are pending and %,d running; none is lost. `skipjack demo --resume` finishes them, with the same --url if there was one."
                .formatted(jobs.get("pending", long.class), jobs.get("running", long.class)));
        return false;
      }
      Instant from = options.resume() ? Instant.EPOCH : begin;
      Report report =
          new Report(
              Report.numbers(pool, from, begin, seconds),
              Verification.run(pool, begin, sender.sends()));
      output.out().println(output.json() ? report.json() : report.text());
      output.out().flush();
      return report.verified();
    }
  }

  /**
   * Repeats 5 in 100 deliveries immediately, and 1 in 100 when no job is left, because real senders
   * repeat deliveries too.
   */
  private Sender sendAndHandle(DataSource pool, Stream<Delivery> input)
      throws SQLException, InterruptedException {
    JobQueue queue = JobQueue.on(pool);
    Sender sender = new Sender(pool, UniqueJobs.on(queue));
    List<Delivery> later = new ArrayList<>();
    List<Worker> workers = new ArrayList<>();
    try {
      for (int n = 1; n <= WORKERS; n++) {
        workers.add(worker("demo-" + n, queue, pool));
      }
      Iterator<Delivery> deliveries = input.iterator();
      for (long number = 1; deliveries.hasNext() && !isStopped(); number++) {
        Delivery delivery = deliveries.next();
        boolean stored = sender.send(delivery, Fate.of(number));
        if (stored && number % 20 == 3) {
          sender.send(delivery, Fate.of(number));
        } else if (stored && number % 100 == 13) {
          later.add(delivery);
        }
        showProgress(pool);
      }
      drain(pool);
      for (Delivery delivery : later) {
        if (!isStopped()) {
          sender.send(delivery, Fate.SUCCEEDS);
        }
      }
      drain(pool);
    } finally {
      workers.forEach(Worker::close);
    }
    return sender;
  }

  private Worker worker(String name, JobQueue queue, DataSource pool) {
    return Worker.on(queue)
        .name(name)
        .config(CONFIG)
        .handle(WebhookJob.TYPE, new WebhookHandler(pool))
        .queue(WebhookJob.QUEUE, DemoDatabase.SLOTS)
        .listener(
            event -> {
              if (event instanceof WorkerEvent.LoopFailed failed) {
                output.note(
                    "A worker's %s has failed and tries again: %s"
                        .formatted(failed.loop(), failed.error()));
              }
            })
        .start();
  }

  private boolean isStopped() {
    return stop.getCount() == 0;
  }

  private void drain(DataSource pool) throws InterruptedException {
    while (!isStopped() && left(pool) > 0) {
      showProgress(pool);
      stop.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private static long left(DataSource pool) {
    Record jobs = jobs(pool);
    return jobs.get("pending", long.class) + jobs.get("running", long.class);
  }

  /** Returns how many deliveries and jobs there are; the report has the numbers of this run. */
  private static Record jobs(DataSource pool) {
    return DemoDatabase.on(pool)
        .fetchSingle(
            """
            SELECT (SELECT count(*) FROM skipjack_demo.deliveries) AS stored,
                   (SELECT count(*) FROM skipjack_demo.effects) AS completed,
                   count(*) FILTER (WHERE status = 'pending') AS pending,
                   count(*) FILTER (WHERE status = 'running') AS running,
                   count(*) FILTER (WHERE status = 'dead') AS dead
              FROM skipjack.jobs
             WHERE queue = 'webhooks'""");
  }

  private void showProgress(DataSource pool) {
    if (!output.json() && System.nanoTime() - shown >= BETWEEN_PROGRESS.toNanos()) {
      shown = System.nanoTime();
      output.note(
          String.format(
              Locale.ROOT,
              "stored %,d  completed %,d  pending %,d  running %,d  dead %,d",
              jobs(pool).intoArray()));
    }
  }
}
