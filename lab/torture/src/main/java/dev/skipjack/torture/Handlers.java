package dev.skipjack.torture;

import dev.skipjack.api.Outcome;
import dev.skipjack.api.StoreException;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.WorkerEvent;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/** Runs the jobs and records what happened. Safe for any number of threads. */
final class Handlers {

  /** The time after which an attempt that did not succeed is repeated. */
  static final Duration RETRY_DELAY = Duration.ofMillis(20);

  private final DataSource effects;
  private final String schema;
  private final HistoryFile history;

  /**
   * @param effects connects to the database with the table {@code torture_effects}
   */
  Handlers(DataSource effects, String schema, HistoryFile history) {
    this.effects = effects;
    this.schema = schema;
    this.history = history;
  }

  Outcome handle(Work work, JobContext context) throws Exception {
    note(EventType.STARTED, work, context, work.content(context.headers()));
    try {
      Outcome outcome = work(work, context);
      note(EventType.ENDED, work, context, outcome.getClass().getSimpleName());
      return outcome;
    } catch (Exception thrown) {
      note(EventType.ENDED, work, context, String.valueOf(thrown));
      throw thrown;
    }
  }

  private Outcome work(Work work, JobContext context) throws Exception {
    if (work.millis() > 0) {
      Thread.sleep(work.millis());
    }
    if (context.attempt() <= work.failures()) {
      long variant = context.executionId().value() % 3;
      if (variant == 0 && !work.isDoomed()) {
        return Outcome.snooze(RETRY_DELAY);
      } else if (variant == 1) {
        return Outcome.retry(RETRY_DELAY);
      }
      throw new IllegalStateException("planned failure");
    }
    if (work.workload() == Workload.LIMITED
        && context.executionId().value() % LimitedWork.THROTTLED == 0) {
      throttle(work, context);
    }
    if (work.workload() == Workload.EFFECT) {
      completeWithEffect(work, context);
    }
    return Outcome.completed();
  }

  private void throttle(Work work, JobContext context) {
    note(EventType.THROTTLE_REQUESTED, work, context, "");
    try {
      if (context.throttle(LimitedWork.RETRY_AFTER)) {
        note(EventType.THROTTLE_RETURNED, work, context, "");
      }
    } catch (StoreException failure) {
      history.write(EventType.UNKNOWN, Event.NONE, 0, 0, String.valueOf(failure));
    }
  }

  private void completeWithEffect(Work work, JobContext context) throws SQLException {
    try (Connection connection = effects.getConnection()) {
      connection.setAutoCommit(false);
      try (PreparedStatement insert =
          connection.prepareStatement(
              "INSERT INTO " + schema + ".torture_effects VALUES (?, ?, ?)")) {
        insert.setString(1, work.key());
        insert.setLong(2, context.jobId().value());
        insert.setLong(3, context.executionId().value());
        insert.execute();
        context.completeIn(connection);
        connection.commit();
      } catch (SQLException | RuntimeException failure) {
        rollBack(connection, failure);
        throw failure;
      }
    }
    note(EventType.COMMITTED, work, context, "");
  }

  private static void rollBack(Connection connection, Exception failure) {
    try {
      connection.rollback();
    } catch (SQLException broken) {
      failure.addSuppressed(broken);
    }
  }

  private void note(EventType type, Work work, JobContext context, String detail) {
    history.write(type, work.key(), context.jobId().value(), context.executionId().value(), detail);
  }

  /** Records the outcomes that the worker reports as accepted or lost. */
  void on(WorkerEvent event) {
    if (event instanceof WorkerEvent.Succeeded e) {
      accepted(e.attempt().jobId().value(), e.attempt().executionId().value(), "succeeded");
    } else if (event instanceof WorkerEvent.Failed e) {
      accepted(e.attempt().jobId().value(), e.attempt().executionId().value(), "failed");
    } else if (event instanceof WorkerEvent.Dead e) {
      accepted(e.attempt().jobId().value(), e.attempt().executionId().value(), "dead");
    } else if (event instanceof WorkerEvent.Snoozed e) {
      accepted(e.attempt().jobId().value(), e.attempt().executionId().value(), "snoozed");
    } else if (event instanceof WorkerEvent.Cancelled e) {
      accepted(e.attempt().jobId().value(), e.attempt().executionId().value(), "cancelled");
    } else if (event instanceof WorkerEvent.Released e) {
      accepted(e.attempt().jobId().value(), e.attempt().executionId().value(), "released");
    } else if (event instanceof WorkerEvent.Lost e) {
      history.write(
          EventType.LOST,
          Event.NONE,
          e.attempt().jobId().value(),
          e.attempt().executionId().value(),
          "");
    }
  }

  private void accepted(long job, long execution, String outcome) {
    history.write(EventType.ACCEPTED, Event.NONE, job, execution, outcome);
  }
}
