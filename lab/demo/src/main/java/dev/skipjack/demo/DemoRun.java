package dev.skipjack.demo;

import dev.skipjack.dedup.UniqueJobs;
import dev.skipjack.migrations.Migrations;
import dev.skipjack.store.jooq.JobQueue;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import javax.sql.DataSource;
import org.jooq.impl.DSL;

/**
 * One run of the demo on a database. It sends and handles deliveries, waits until no job is left,
 * and verifies the result.
 */
final class DemoRun {

  private static final Duration LOOK_AGAIN = Duration.ofMillis(50);

  private final DemoDatabase database;
  private final DataSource service;
  private final DemoOptions options;
  private final StopRequest stop;
  private final Backlog backlog;

  DemoRun(DemoDatabase database, DemoOptions options, StopRequest stop) {
    this.database = database;
    this.service = database.service();
    this.options = options;
    this.stop = stop;
    this.backlog = new Backlog(service);
  }

  /**
   * The result of the run.
   *
   * @param summary the report; empty if a stop was requested before the end
   * @param found the jobs that still had to run when the run began
   * @param left the jobs that still have to run
   * @param badInput the reason why the input was not read completely; empty if it was
   * @param stored the number of deliveries that this run stored
   */
  record Ending(
      Optional<Summary> summary,
      long found,
      Backlog.Left left,
      Optional<BadInputException> badInput,
      long stored) {}

  /**
   * Creates the tables of the queue and of the demo.
   *
   * @param place a description of the database for messages
   * @throws RefusedException if there is no run to resume, in which case nothing is created
   */
  void prepare(String place) {
    if (options.resume() && !DemoSchema.holdsARun(service)) {
      throw new RefusedException(
          "There is nothing to resume: no demo has run in %s.".formatted(place));
    }
    Migrations.migrate(service);
    DemoSchema.migrate(service);
  }

  /**
   * Sends the deliveries of {@code input} and handles all jobs in the queue.
   *
   * @throws SQLException if the database failed while a delivery was sent
   */
  @SuppressWarnings("try") // workers and line work without being called
  Ending run(UUID run, Lookahead input, PrintWriter err, LiveLine.Style style)
      throws SQLException, InterruptedException {
    JobQueue queue = JobQueue.on(database.workers());
    RunLog log = new RunLog(service, run);
    long found = backlog.left().total();
    Progress progress =
        new Progress(options.resume() ? OptionalLong.of(found) : options.expected());
    long salt = Fate.saltFor(input.ids());
    DeliverySender sender = new DeliverySender(service, UniqueJobs.on(queue), run, salt);
    Producers producers = new Producers(input, sender, backlog, progress);
    if (!options.resume()) {
      log.begin();
    }
    Instant begin =
        DemoSchema.on(service).fetchSingle(DSL.field("clock_timestamp()", Instant.class)).value1();
    long beginNanos = System.nanoTime();
    try (DemoWorkers workers =
            DemoWorkers.start(
                queue,
                new WebhookHandler(database.handlers()),
                options.workers(),
                progress,
                new WorkerTroubles(err));
        LiveLine line = LiveLine.start(progress, err, style)) {
      send(producers, progress, log);
      drain();
    }
    Duration took = Duration.ofNanos(System.nanoTime() - beginNanos);
    Optional<Summary> summary =
        stop.isMade() ? Optional.empty() : Optional.of(summary(run, begin, took));
    return new Ending(summary, found, backlog.left(), producers.badInput(), progress.storedSoFar());
  }

  private void send(Producers producers, Progress progress, RunLog log)
      throws SQLException, InterruptedException {
    producers.start();
    try {
      while (!stop.isMade() && !producers.isDone()) {
        stop.await(LOOK_AGAIN);
      }
    } finally {
      producers.stop();
    }
    producers.rethrowFailure();
    if (!stop.isMade() && !options.resume()) {
      log.finish(progress.sends());
    }
  }

  private void drain() throws InterruptedException {
    while (!stop.isMade() && !backlog.isEmpty()) {
      stop.await(LOOK_AGAIN);
    }
  }

  private Summary summary(UUID run, Instant begin, Duration took) throws SQLException {
    Optional<UUID> scope = options.resume() ? Optional.empty() : Optional.of(run);
    return new Summary(
        new SummaryNumbers(service, scope).read(begin), took, Verification.run(service));
  }
}
