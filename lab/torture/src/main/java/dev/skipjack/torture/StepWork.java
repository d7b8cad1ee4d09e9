package dev.skipjack.torture;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.steps.StepOptions;
import dev.skipjack.steps.Steps;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/**
 * The jobs with durable steps: a step with an undo, one in a transaction, the wait for a signal,
 * and another one with an undo. Each run of a step writes a row. The last two steps return what the
 * earlier ones returned. Safe for any number of threads.
 */
final class StepWork {

  /** Creates the table of the runs. {@code @} stands for the schema. */
  static final List<String> TABLES =
      List.of(
          "CREATE TABLE IF NOT EXISTS @torture_step_runs (job_id bigint NOT NULL, execution_id"
              + " bigint NOT NULL, step text NOT NULL, seen text NOT NULL)");

  /** The queue of the undos and callbacks. */
  static final String FOLLOWERS = "torture-followers";

  static final String ACCOUNT = "account";
  static final String LEDGER = "ledger";
  static final String SIGNAL = "go";
  static final String SHIPMENT = "shipment";

  /** What a job continues with if it got no signal in time. */
  static final String NO_SIGNAL = "none";

  /** Separates the results that the last step returns. */
  static final String SEPARATOR = "/";

  static final JobType<Undo> UNDO =
      JobType.of("torture-undo", Undo.class).onQueue(FOLLOWERS).maxAttempts(Work.MANY_ATTEMPTS);

  static final JobType<Callback> CALLBACK =
      JobType.of("torture-callback", Callback.class)
          .onQueue(FOLLOWERS)
          .maxAttempts(Work.MANY_ATTEMPTS);

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

  /** Undoes a step. */
  record Undo(long job, String step) {}

  /** Follows the finish of a batch. */
  record Callback(long batch) {}

  private final DataSource dataSource;
  private final String schema;

  StepWork(DataSource dataSource, String schema) {
    this.dataSource = dataSource;
    this.schema = schema;
  }

  Outcome handle(Work work, JobContext context) throws Exception {
    Steps steps = Steps.of(context);
    String account =
        steps.run(
            ACCOUNT, String.class, key -> record(context, ACCOUNT, ""), undo(context, ACCOUNT));
    if (!work.isDoomed() && context.attempt() <= work.failures()) {
      return Handlers.fail(work, context);
    }
    runInTransaction(steps, context, account);
    String signal =
        steps.awaitKey(work.key(), SIGNAL, String.class, LONGEST_WAIT).orElse(NO_SIGNAL);
    String all = account + SEPARATOR + signal;
    String unused =
        steps.run(
            SHIPMENT,
            String.class,
            key -> {
              String ignored = record(context, SHIPMENT, all);
              return all;
            },
            undo(context, SHIPMENT));
    if (work.isDoomed()) {
      return context.jobId().value() % 2 == 0
          ? steps.compensate("planned end")
          : Handlers.fail(work, context);
    }
    return Outcome.completed();
  }

  /** Adds the handlers of undos and callbacks, which only have to run. */
  static void handleFollowers(Worker.Builder builder) {
    Object unused =
        builder
            .handle(UNDO, (undo, context) -> Outcome.completed())
            .handle(CALLBACK, (callback, context) -> Outcome.completed());
  }

  private static StepOptions<String> undo(JobContext context, String step) {
    return StepOptions.undo(UNDO, result -> new Undo(context.jobId().value(), step));
  }

  private void runInTransaction(Steps steps, JobContext context, String account) throws Exception {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      try {
        String unused =
            steps.runIn(
                connection,
                LEDGER,
                String.class,
                key -> record(connection, context, LEDGER, account));
        connection.commit();
      } catch (Exception failure) {
        Handlers.rollBack(connection, failure);
        throw failure;
      }
    }
  }

  /** Writes the row of a run in a transaction of its own, and returns the attempt. */
  String record(JobContext context, String step, String seen) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      return record(connection, context, step, seen);
    }
  }

  private String record(Connection connection, JobContext context, String step, String seen)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO " + schema + ".torture_step_runs VALUES (?, ?, ?, ?)")) {
      insert.setLong(1, context.jobId().value());
      insert.setLong(2, context.executionId().value());
      insert.setString(3, step);
      insert.setString(4, seen);
      insert.execute();
    }
    return String.valueOf(context.executionId().value());
  }
}
