package dev.skipjack.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.spi.JobStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.concurrent.TimeUnit;

/**
 * The steps that the tests of {@link JobStoreContract} share. Jobs are read through the reader of
 * the store. SQL is used only to read the database clock and the sessions, and to lock rows as
 * another transaction would.
 */
final class StoreFixture extends AttemptFixture {

  final QueueDatabase database;
  final StorePorts ports;

  StoreFixture(QueueDatabase database, StorePorts ports) {
    this.database = database;
    this.ports = ports;
  }

  @Override
  JobStore store() {
    return ports.store();
  }

  @Override
  JobEnqueuer enqueuer() {
    return ports.enqueuer();
  }

  @Override
  JobDetails find(JobId job) {
    return ports.reader().find(job).orElseThrow(() -> new AssertionError("No job " + job + "."));
  }

  /** Returns the current time of the database clock. */
  Instant now() throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT clock_timestamp()")) {
      row.next();
      return row.getObject(1, OffsetDateTime.class).toInstant();
    }
  }

  @Override
  Connection transaction() throws SQLException {
    Connection connection = database.connection();
    connection.setAutoCommit(false);
    return connection;
  }

  @Override
  Connection hold(JobId job) throws SQLException {
    Connection rival = transaction();
    try (PreparedStatement statement =
        rival.prepareStatement(
            "SELECT FROM \"%s\".jobs WHERE id = ? FOR UPDATE".formatted(database.schema()))) {
      statement.setLong(1, job.value());
      assertThat(statement.executeQuery().next()).as("job %s is live", job).isTrue();
      return rival;
    } catch (SQLException | AssertionError failure) {
      rival.close();
      throw failure;
    }
  }

  /** Waits until a session of the database is waiting for a lock. */
  void awaitBlockedSession() throws SQLException, InterruptedException {
    Instant deadline = Instant.now().plus(DEADLINE);
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      while (true) {
        try (ResultSet row =
            statement.executeQuery(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()")) {
          row.next();
          if (row.getInt(1) > 0) {
            return;
          }
        }
        assertThat(Instant.now()).as("no session waits for a lock").isBefore(deadline);
        TimeUnit.MILLISECONDS.sleep(5);
      }
    }
  }
}
