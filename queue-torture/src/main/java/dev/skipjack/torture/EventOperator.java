package dev.skipjack.torture;

import dev.skipjack.api.StoreException;
import dev.skipjack.outbox.Aggregate;
import dev.skipjack.outbox.OutboxAdmin;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Lets aggregates continue without their dead events. Safe for any number of threads. */
final class EventOperator {

  private static final String BLOCKED =
      "SELECT aggregate_id FROM %s.outbox_blocked WHERE retry_at IS NULL";

  private final OutboxAdmin admin;
  private final DataSource dataSource;
  private final String sql;
  private final HistoryFile history;

  EventOperator(OutboxAdmin admin, DataSource dataSource, String schema, HistoryFile history) {
    this.admin = admin;
    this.dataSource = dataSource;
    this.sql = BLOCKED.formatted(schema);
    this.history = history;
  }

  /** Unblocks every aggregate that a dead event blocks. */
  void unblockAggregates() {
    try {
      for (String id : blocked()) {
        admin.unblock(new Aggregate(Change.AGGREGATE_TYPE, id));
      }
    } catch (SQLException | StoreException failure) {
      history.write(EventType.UNKNOWN, Event.NONE, 0, 0, String.valueOf(failure));
    }
  }

  /** The API lists the dead events only, most of which block nothing any more. */
  private List<String> blocked() throws SQLException {
    List<String> ids = new ArrayList<>();
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        ids.add(row.getString(1));
      }
    }
    return ids;
  }
}
