package dev.skipjack.steps;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.api.spi.OwnedJobs;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.worker.Handler;
import dev.skipjack.worker.Worker;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;

/** The steps that tests of batches share. */
final class BatchFixture {

  record Row(long number) {}

  record Report(long batch) {}

  /** A job that does what its number says: 0 succeeds, 1 dies, 2 cancels itself. */
  static final JobType<Row> ROW = JobType.of("row", Row.class).onQueue("rows").maxAttempts(1);

  static final JobType<Report> REPORT = JobType.of("report", Report.class).onQueue("reports");
  static final JobType<Report> SUCCESS = JobType.of("success", Report.class).onQueue("reports");
  static final JobType<Report> ALARM = JobType.of("alarm", Report.class).onQueue("reports");

  final QueueDatabase database;
  final JobQueue queue;
  final Batches batches;

  /** The callbacks that have run, as kind/batch. */
  final List<String> callbacks = new CopyOnWriteArrayList<>();

  BatchFixture(QueueDatabase database) {
    this.database = database;
    this.queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
    this.batches = Batches.on(queue);
  }

  /** Returns a worker that runs rows with a handler, and records callbacks. */
  Worker.Builder worker(Handler<Row> rows) {
    return Worker.on(queue)
        .handle(ROW, rows)
        .handle(REPORT, (report, job) -> called("report", report))
        .handle(SUCCESS, (report, job) -> called("success", report))
        .handle(ALARM, (report, job) -> called("alarm", report))
        .queue("rows", 4)
        .queue("reports", 2);
  }

  Worker.Builder worker() {
    return worker(
        (row, job) ->
            switch ((int) row.number()) {
              case 1 -> Outcome.dead("no luck");
              case 2 -> Outcome.cancelled("no use");
              default -> Outcome.completed();
            });
  }

  private Outcome called(String kind, Report report) {
    callbacks.add(kind + "/" + report.batch());
    return Outcome.completed();
  }

  static List<Row> rows(long... numbers) {
    return LongStream.of(numbers).mapToObj(Row::new).toList();
  }

  static List<Row> succeeding(int count) {
    return LongStream.range(0, count).mapToObj(number -> new Row(0)).toList();
  }

  /** Opens a batch with all callbacks. */
  Batch open(String name) {
    return withCallbacks(batches.open(name));
  }

  static Batch withCallbacks(Batch batch) {
    return batch
        .onFinish(REPORT, id -> new Report(id.value()))
        .onSuccess(SUCCESS, id -> new Report(id.value()))
        .onFirstDead(ALARM, id -> new Report(id.value()));
  }

  BatchStatus status(BatchId batch) {
    return batches.find(batch).orElseThrow();
  }

  boolean isFinished(BatchId batch) {
    return status(batch).finishedAt().isPresent();
  }

  /** Claims jobs of the queue of rows. */
  List<Execution> claim(int limit) {
    return queue
        .store()
        .claim(
            new ClaimRequest(
                WorkerId.boot("test"),
                List.of(new LaneShare(new Lane("rows", 0), limit, null)),
                List.of(ROW.kind()),
                limit,
                Duration.ofMinutes(1)))
        .stream()
        .map(ClaimedJob::execution)
        .toList();
  }

  OwnedJobs checks() {
    return queue.ownedJobs().orElseThrow();
  }

  /** Returns the number of callbacks of a kind that were enqueued, whether or not they have run. */
  long enqueued(JobType<?> kind) {
    return Long.parseLong(
        value(
            "SELECT (SELECT count(*) FROM @jobs WHERE kind = '%1$s') + (SELECT count(*) FROM @jobs_archive WHERE kind = '%1$s')"
                .formatted(kind.kind())));
  }

  List<JobId> jobsOf(BatchId batch) {
    return List.of(
            value(
                    "SELECT string_agg(id::text, ',' ORDER BY id) FROM @jobs WHERE owner_id = "
                        + batch)
                .split(",", -1))
        .stream()
        .map(id -> new JobId(Long.parseLong(id)))
        .toList();
  }

  /** Runs work in a transaction and commits. */
  void inTransaction(Work work) throws SQLException {
    try (Connection connection = database.connection()) {
      connection.setAutoCommit(false);
      work.run(connection);
      connection.commit();
    }
  }

  /** Returns the only value of a query, as text. */
  String value(String sql) {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(inSchema(sql))) {
      return row.next() ? String.valueOf(row.getString(1)) : "(no row)";
    } catch (SQLException failure) {
      throw new AssertionError(sql, failure);
    }
  }

  void execute(String sql) {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute(inSchema(sql));
    } catch (SQLException failure) {
      throw new AssertionError(sql, failure);
    }
  }

  /** Replaces each {@code @} in a statement with the schema's prefix. */
  String inSchema(String sql) {
    return sql.replace("@", "\"" + database.schema().replace("\"", "\"\"") + "\".");
  }

  /** The work of a transaction. */
  @FunctionalInterface
  interface Work {
    void run(Connection connection) throws SQLException;
  }
}
