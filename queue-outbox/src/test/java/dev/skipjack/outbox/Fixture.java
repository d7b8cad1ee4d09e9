package dev.skipjack.outbox;

import dev.skipjack.api.Backoff;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.awaitility.Awaitility;

/** The steps that tests of the outbox share. */
final class Fixture {

  final QueueDatabase database;
  final JobQueue queue;
  final Outbox outbox;

  Fixture(QueueDatabase database) {
    this.database = database;
    this.queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
    this.outbox = Outbox.on(queue);
  }

  static Event event(Object aggregateId, String type) {
    return Event.of("order", aggregateId, type);
  }

  /** Records events in a transaction of their own. */
  void record(Event... events) {
    inTransaction(connection -> outbox.in(connection).recordAll(List.of(events)));
  }

  /** Runs work in a transaction and commits. */
  <R> R inTransaction(Work<R> work) {
    try (Connection connection = database.connection()) {
      connection.setAutoCommit(false);
      R result = work.run(connection);
      connection.commit();
      return result;
    } catch (SQLException failure) {
      throw new AssertionError(failure);
    }
  }

  /** Returns a relay that retries without waiting. */
  Relay.Builder relay(Publisher publisher) {
    return outbox.relay(publisher).backoff(Backoff.fixed(Duration.ZERO));
  }

  /** Waits until the only value of a query is true. */
  void awaitTrue(String condition) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .pollInterval(Duration.ofMillis(5))
        .until(() -> value(condition).equals("t"));
  }

  UUID id(String type) {
    return UUID.fromString(
        value("SELECT event_id FROM @outbox_events WHERE event_type = '" + type + "'"));
  }

  long count(String table) {
    return Long.parseLong(value("SELECT count(*) FROM @" + table));
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
  interface Work<R> {
    R run(Connection connection) throws SQLException;
  }
}
