package dev.skipjack.torture;

import dev.skipjack.torture.Destination.Response;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;

/**
 * A relay in plain SQL that publishes the pending events in their order, and tries a failed event
 * again before the next. While it is the only relay and never fails, it breaks only one guarantee.
 */
final class NaiveRelay implements Runnable {

  private static final String PENDING =
      "SELECT event_id, position, attempts, convert_from(payload, 'UTF8') FROM @outbox_events"
          + " WHERE status = 'pending' AND position > ? ORDER BY position LIMIT 1000";

  private static final String MARK = "DELETE FROM @outbox_events WHERE event_id = ?";

  private static final String DIE =
      "UPDATE @outbox_events SET status = 'dead', died_at = clock_timestamp() WHERE event_id = ?";

  private static final String FAIL =
      "UPDATE @outbox_events SET attempts = attempts + 1 WHERE event_id = ?";

  private static final long POLL_MILLIS = 10;

  private record Row(UUID event, long position, int failures, String text) {}

  private final BrokenOutbox broken;
  private final Sql sql;
  private final Destination destination;
  private long cursor;
  private volatile boolean stopped;

  NaiveRelay(BrokenOutbox broken, Sql sql, Destination destination) {
    this.broken = broken;
    this.sql = sql;
    this.destination = destination;
  }

  /** Publishes until {@link #stop} is called. */
  @Override
  public void run() {
    try (Connection connection = sql.dataSource().getConnection()) {
      while (!stopped) {
        for (Row row : pending(connection)) {
          publish(connection, row);
        }
        Thread.sleep(POLL_MILLIS);
      }
    } catch (SQLException failure) {
      throw new IllegalStateException(failure);
    } catch (InterruptedException unexpected) {
      throw new IllegalStateException(unexpected);
    }
  }

  /** Lets the relay finish the events that it has read, and no others. */
  void stop() {
    stopped = true;
  }

  private List<Row> pending(Connection connection) throws SQLException {
    List<Row> rows = new ArrayList<>();
    try (PreparedStatement select = prepare(connection, PENDING)) {
      select.setLong(1, broken == BrokenOutbox.READS_BY_A_CURSOR ? cursor : 0);
      try (ResultSet row = select.executeQuery()) {
        while (row.next()) {
          rows.add(
              new Row(
                  row.getObject(1, UUID.class), row.getLong(2), row.getInt(3), row.getString(4)));
        }
      }
    }
    rows.sort(Comparator.comparingInt(row -> broken.rank(Change.parse(row.text()))));
    return rows;
  }

  private void publish(Connection connection, Row row) throws SQLException, InterruptedException {
    cursor = row.position();
    if (broken == BrokenOutbox.MARKS_BEFORE_PUBLISHING) {
      write(connection, MARK, row);
    }
    Response response;
    int failures = row.failures();
    do {
      response = destination.send(row.event().toString(), row.text(), failures++);
      if (response == Response.BUSY) {
        write(connection, FAIL, row);
      }
    } while (response == Response.BUSY && triesAgainAtOnce());
    if (response == Response.ACCEPTED) {
      write(connection, MARK, row);
    } else if (response == Response.REJECTED) {
      write(connection, DIE, row);
    }
  }

  private boolean triesAgainAtOnce() {
    return broken != BrokenOutbox.CONTINUES_AFTER_A_FAILED_EVENT
        && broken != BrokenOutbox.MARKS_BEFORE_PUBLISHING;
  }

  private void write(Connection connection, String statement, Row row) throws SQLException {
    try (PreparedStatement write = prepare(connection, statement)) {
      write.setObject(1, row.event());
      write.execute();
    }
  }

  private PreparedStatement prepare(Connection connection, String statement) throws SQLException {
    return connection.prepareStatement(statement.replace("@", sql.schema() + "."));
  }
}
