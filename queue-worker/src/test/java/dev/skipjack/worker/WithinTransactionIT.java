package dev.skipjack.worker;

import static dev.skipjack.testkit.QueueAssertions.assertThat;
import static dev.skipjack.testkit.QueueAssertions.assertThatJobs;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests jobs that run in the transaction that has enqueued them. */
@QueueTest
class WithinTransactionIT {

  private static final JobType<String> MAIL =
      JobType.of("mail", String.class).onQueue("emails").maxAttempts(2);

  @Test
  void jobsOfTheTransactionRunInItAndAreRolledBackWithIt(QueueDatabase database)
      throws SQLException {
    JobQueue queue = JobQueue.on(database.dataSource());
    try (Connection connection = database.connection()) {
      connection.setAutoCommit(false);
      Worker worker =
          Worker.on(queue.within(() -> connection))
              .handle(
                  MAIL,
                  (mail, context) -> {
                    switch (mail) {
                      case "fail" -> throw new IllegalStateException("no mail");
                      case "in" -> context.completeIn(connection);
                      case "follow" -> context.enqueueIn(connection).enqueue(MAIL, "result");
                      default -> {}
                    }
                    return mail.equals("result")
                        ? Outcome.completed("sent")
                        : mail.equals("later")
                            ? Outcome.snooze(Duration.ofHours(1))
                            : Outcome.completed();
                  })
              .queue("emails", 1)
              .build();
      JobId fails = queue.in(connection).enqueue(MAIL, "fail");
      JobId follows = queue.in(connection).enqueue(MAIL, "follow");
      JobId inside = queue.in(connection).enqueue(MAIL, "in");
      JobId later = queue.in(connection).enqueue(MAIL, "later");
      JobId ordered =
          queue.in(connection).enqueue(MAIL, "ordered", options -> options.orderingKey("a"));
      JobId next = queue.in(connection).enqueue(MAIL, "next", options -> options.orderingKey("a"));
      JobId delayed =
          queue
              .in(connection)
              .enqueue(MAIL, "delayed", options -> options.delay(Duration.ofMinutes(1)));

      int attempts = 0;
      while (worker.runNext()) {
        attempts++;
      }

      assertThat(attempts).isEqualTo(7);
      var jobs = assertThatJobs(connection, database.schema());
      jobs.job(fails).isPending().hasLastErrorContaining("no mail");
      jobs.job(follows).isCompleted();
      jobs.job(inside).isCompleted();
      jobs.job(later).isDueIn(Duration.ofHours(1));
      jobs.job(ordered).isCompleted();
      jobs.job(next).isCompleted();
      jobs.job(delayed).isPending().hasAttempts(0);
      jobs.hasEnqueued(MAIL).withPayload("result").onlyJob().isCompleted();
      connection.rollback();
    }
    assertThat(database).hasNoJobs();
  }

  @Test
  void failedStatementDoesNotAbortTheTransaction(QueueDatabase database) throws SQLException {
    JobQueue queue = JobQueue.on(database.dataSource());
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      JobId job = queue.in(connection).enqueue(MAIL, "x");
      statement.execute(
          "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'refused';"
              + " END$$; CREATE TRIGGER refuse BEFORE INSERT ON skipjack.job_executions FOR EACH"
              + " ROW EXECUTE FUNCTION refuse()");
      Worker worker =
          Worker.on(queue.within(() -> connection))
              .handle(MAIL, (mail, context) -> Outcome.completed())
              .queue("emails", 1)
              .build();
      assertThatThrownBy(worker::runNext).hasMessageContaining("refused");
      assertThatJobs(connection, database.schema()).job(job).isPending();
      connection.rollback();
    }
  }

  @Test
  void workerCannotBeStarted(QueueDatabase database) throws SQLException {
    JobQueue queue = JobQueue.on(database.dataSource());
    try (Connection connection = database.connection()) {
      Worker worker =
          Worker.on(queue.within(() -> connection))
              .handle(MAIL, (mail, context) -> Outcome.completed())
              .queue("emails", 1)
              .build();
      assertThatThrownBy(worker::start)
          .isInstanceOf(UnsupportedOperationException.class)
          .hasMessageContaining("cannot be started");
      assertThatThrownBy(worker::runNext)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("auto-commit");
    }
  }
}
