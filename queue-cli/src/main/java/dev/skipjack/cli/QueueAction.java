package dev.skipjack.cli;

import dev.skipjack.api.StoreException;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.function.Supplier;

/** A command on a queue. */
abstract class QueueAction extends DatabaseAction {

  /** The SQLSTATE with which the server rejects a statement that reads a forbidden column. */
  private static final Optional<String> NO_PRIVILEGE = Optional.of("42501");

  @SuppressWarnings("NullAway.Init") // set before the command runs
  private KeptConnection connections;

  QueueAction(Access access) {
    super(access);
  }

  @Override
  final int run(KeptConnection connections, String schema, Output output) throws Exception {
    this.connections = connections;
    return run(JobQueue.builder(connections).schema(schema).codec(new RawJson()).build(), output);
  }

  /** Does the work and returns the exit code. */
  abstract int run(JobQueue queue, Output output) throws Exception;

  /**
   * Reads a value, without its payloads if the role may not read them.
   *
   * @throws StoreException if the role may not read the rest either
   */
  final <T> Visible<T> visible(Supplier<T> everything, Supplier<T> withoutPayloads)
      throws SQLException {
    try {
      return new Visible<>(everything.get(), null);
    } catch (StoreException refused) {
      if (!refused.sqlState().equals(NO_PRIVILEGE)) {
        throw refused;
      }
    }
    return new Visible<>(
        withoutPayloads.get(), "the role %s may not read payloads".formatted(role()));
  }

  private String role() throws SQLException {
    try (Connection connection = connections.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT current_user")) {
      row.next();
      return row.getString(1);
    }
  }
}
