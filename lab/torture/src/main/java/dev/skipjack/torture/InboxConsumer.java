package dev.skipjack.torture;

import dev.skipjack.api.StoreException;
import dev.skipjack.outbox.Inbox;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * A consumer that writes a row for each event that its inbox accepts. Every fourth event reaches it
 * twice. Safe for any number of threads.
 */
final class InboxConsumer {

  /** Creates the table of the effects. {@code @} stands for the schema. */
  static final String TABLE =
      "CREATE TABLE IF NOT EXISTS @torture_inbox_effects (event_id uuid NOT NULL)";

  private static final String EFFECT = "INSERT INTO %s.torture_inbox_effects VALUES (?)";

  private static final int REPEATED = 4;

  /** Decides whether an effect is written. */
  @FunctionalInterface
  interface Filter {
    /** Runs an effect in the transaction of the connection unless the event is a duplicate. */
    boolean once(Connection transaction, UUID event, Inbox.Effect<SQLException> effect)
        throws SQLException;
  }

  private final DataSource dataSource;
  private final String schema;
  private final Filter inbox;

  InboxConsumer(DataSource dataSource, String schema, Filter inbox) {
    this.dataSource = dataSource;
    this.schema = schema;
    this.inbox = inbox;
  }

  /** Returns whether the effect of the event is certainly committed. */
  boolean receive(String event) {
    try {
      consume(UUID.fromString(event));
      if (Math.floorMod(event.hashCode(), REPEATED) == 0) {
        consume(UUID.fromString(event));
      }
      return true;
    } catch (SQLException | StoreException failure) {
      return false;
    }
  }

  private void consume(UUID event) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      boolean unused = inbox.once(connection, event, () -> writeEffect(connection, event));
      connection.commit();
    }
  }

  private void writeEffect(Connection connection, UUID event) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(EFFECT.formatted(schema))) {
      insert.setObject(1, event);
      insert.execute();
    }
  }
}
