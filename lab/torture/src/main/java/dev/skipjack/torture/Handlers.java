package dev.skipjack.torture;

import dev.skipjack.api.Outcome;
import dev.skipjack.api.StoreException;
import dev.skipjack.worker.AttemptInfo;
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
  private final StepWork steps;

  /**
   * @param effects connects to the database with the table {@code torture_effects}
   */
  Handlers(DataSource effects, String schema, HistoryFile history) {
    this.effects = effects;
    this.schema = schema;
    this.history = history;
    this.steps = new StepWork(effects, schema);
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
    if (work.workload() == Workload.STEPS) {
      return steps.handle(work, context);
    }
    if (context.attempt() <= work.failures()) {
      return fail(work, context);
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

  /** Ends an attempt without success. */
  static Outcome fail(Work work, JobContext context) {
    long variant = context.executionId().value() % 3;
    if (variant == 0 && !work.isDoomed()) {
      return Outcome.snooze(RETRY_DELAY);
    } else if (variant == 1) {
      return Outcome.retry(RETRY_DELAY);
    }
    throw new IllegalStateException("planned failure");
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

  static void rollBack(Connection connection, Exception failure) {
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
      ended(EventType.ACCEPTED, e.attempt(), "succeeded");
    } else if (event instanceof WorkerEvent.Failed e) {
      ended(EventType.ACCEPTED, e.attempt(), "failed");
    } else if (event instanceof WorkerEvent.Dead e) {
      ended(EventType.ACCEPTED, e.attempt(), "dead");
    } else if (event instanceof WorkerEvent.Snoozed e) {
      ended(EventType.ACCEPTED, e.attempt(), "snoozed");
    } else if (event instanceof WorkerEvent.Cancelled e) {
      ended(EventType.ACCEPTED, e.attempt(), "cancelled");
    } else if (event instanceof WorkerEvent.Released e) {
      ended(EventType.ACCEPTED, e.attempt(), "released");
    } else if (event instanceof WorkerEvent.Lost e) {
      ended(EventType.LOST, e.attempt(), "");
    }
  }

  /** Undos and callbacks have no request, so the checker reads them from the tables only. */
  private void ended(EventType type, AttemptInfo attempt, String outcome) {
    if (!attempt.queue().equals(StepWork.FOLLOWERS)) {
      history.write(
          type, Event.NONE, attempt.jobId().value(), attempt.executionId().value(), outcome);
    }
  }
}
