package dev.skipjack.sql;

import dev.skipjack.api.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the queue's own transactions, which are short and, unless a method says otherwise, READ
 * COMMITTED. Each connection is returned to the pool in its original auto-commit mode. Safe for any
 * number of threads.
 */
public final class OwnTransactions {

  private static final Logger LOG = LoggerFactory.getLogger(OwnTransactions.class);

  /** The SQLSTATE of a serialization failure. */
  public static final String SERIALIZATION_FAILURE = "40001";

  /** SQLSTATEs of a missing table and a missing schema. */
  private static final Set<String> NO_SUCH_SCHEMA = Set.of("42P01", "3F000");

  /** SQLSTATEs of a refused user or password. */
  private static final Set<String> WRONG_LOGIN = Set.of("28P01", "28000");

  /**
   * The beginning of the JDK's message if no driver accepts a URL. Its SQLSTATE is that of a lost
   * connection.
   */
  private static final String NO_DRIVER = "No suitable driver";

  /**
   * SQLSTATEs of prepared statements that are unknown or duplicate, because a pooler has switched
   * to another session.
   */
  private static final Set<String> UNKNOWN_PREPARED_STATEMENT = Set.of("42P05", "26000", "08P01");

  private final OwnConnections connections;
  private final Preamble preamble;
  private final Runnable onReadOnlyServer;

  /**
   * Supplies the connection of the caller's transaction. Null if this object runs its own
   * transactions.
   */
  private final @Nullable Supplier<Connection> callers;

  /**
   * Creates an instance that uses connections from {@code dataSource}.
   *
   * @param dataSource connections to the database
   */
  public OwnTransactions(DataSource dataSource) {
    this(new OwnConnections(dataSource));
  }

  /**
   * Creates an instance that uses these connections.
   *
   * @param connections provides the connections
   */
  public OwnTransactions(OwnConnections connections) {
    this(connections, Preamble.OWN, () -> {}, null);
  }

  private OwnTransactions(
      OwnConnections connections,
      Preamble preamble,
      Runnable onReadOnlyServer,
      @Nullable Supplier<Connection> callers) {
    this.connections = connections;
    this.preamble = preamble;
    this.onReadOnlyServer = onReadOnlyServer;
    this.callers = callers;
  }

  /**
   * {@return a copy that runs in the transaction which is open on the supplied connection, and
   * neither commits it nor closes the connection} Each unit of work runs in a savepoint, so that a
   * failure does not abort the transaction. The settings of the transaction apply, without the
   * limits of {@link #impatient()} and {@link #bounded()}.
   *
   * @param transaction returns the connection of the caller's transaction
   */
  public OwnTransactions within(Supplier<Connection> transaction) {
    return new OwnTransactions(connections, preamble, onReadOnlyServer, transaction);
  }

  /**
   * {@return whether all work runs in a transaction of the caller} That transaction keeps the locks
   * of each unit of work until the transaction ends.
   */
  public boolean areCallers() {
    return callers != null;
  }

  /**
   * {@return a copy that calls {@code action} when a server turns out to be read-only (25006)}
   *
   * @param action what to do then
   */
  public OwnTransactions onReadOnlyServer(Runnable action) {
    return new OwnTransactions(connections, preamble, action, callers);
  }

  /**
   * {@return a copy that cannot write, and whose queries with a limit read no more of an index than
   * the limit requires}
   */
  public OwnTransactions readOnly() {
    return new OwnTransactions(connections, Preamble.READ_ONLY, onReadOnlyServer, callers);
  }

  /**
   * {@return a copy that cannot write, like that of {@link #readOnly}, and in which all statements
   * of one transaction read the database as it was when the first of them ran}
   */
  public OwnTransactions snapshot() {
    return new OwnTransactions(connections, Preamble.SNAPSHOT, onReadOnlyServer, callers);
  }

  /** {@return a copy whose statements wait for a lock for at most a tenth of a second (55P03)} */
  public OwnTransactions impatient() {
    return new OwnTransactions(connections, Preamble.IMPATIENT, onReadOnlyServer, callers);
  }

  /**
   * {@return a copy whose statements wait for a lock for at most 30 seconds (55P03), unless the
   * role or the database has its own {@code lock_timeout}}
   */
  public OwnTransactions bounded() {
    return new OwnTransactions(connections, Preamble.BOUNDED, onReadOnlyServer, callers);
  }

  /**
   * Runs one statement in a transaction and commits.
   *
   * @param <Q> the type of the request
   * @param <R> the type of the value read from a row
   * @param statement the statement
   * @param request the values of its parameters
   * @return the value read from each row
   * @throws StoreException if the database rejected the statement or could not be reached, or its
   *     response was lost
   * @throws IllegalStateException if the data source provides a connection on which a transaction
   *     is open
   */
  public <Q, R> List<R> run(Statement<Q, R> statement, Q request) {
    BoundStatement<R> bound = statement.bind(request);
    return inOne(session -> session.run(bound));
  }

  /**
   * Runs a statement without parameters, like {@link #run(Statement, Object)}.
   *
   * @param <R> the type of the value read from a row
   * @param statement the statement
   * @return the value read from each row
   */
  public <R> List<R> run(Statement<NoRequest, R> statement) {
    return run(statement, NoRequest.NONE);
  }

  /**
   * Runs a statement like {@link #run(Statement, Object)}, but sends BEGIN, settings, statement and
   * COMMIT in one round trip. If the connection breaks, it is unknown whether the statement was
   * committed. Use it only for statements that may run twice, or whose caller can determine the
   * outcome.
   *
   * @param <Q> the type of the request
   * @param <R> the type of the value read from a row
   * @param statement the statement
   * @param request the values of its parameters
   * @return the value read from each row
   */
  public <Q, R> List<R> runInOneRoundTrip(Statement<Q, R> statement, Q request) {
    BoundStatement<R> bound = statement.bind(request);
    if (callers != null) {
      return inCallers(callers.get(), bound::run);
    }
    return inAutoCommit(
        connection -> bound.runWhole(connection, preamble), OwnTransactions::rollBack);
  }

  /**
   * @param clear ends a transaction that may still be open because the work failed
   */
  private <R> R inAutoCommit(ConnectionWork<R> work, ConnectionAction clear) {
    boolean sent = false;
    try (Connection connection = connections.borrow()) {
      boolean autoCommit = connection.getAutoCommit();
      connection.setAutoCommit(true);
      R rows;
      try {
        sent = true;
        rows = work.run(connection);
      } catch (Throwable failure) {
        clear(connection, autoCommit, clear, failure);
        throw failure;
      }
      sent = false;
      giveBack(connection, autoCommit);
      return rows;
    } catch (SQLException failure) {
      throw failed(failure, sent);
    }
  }

  /**
   * Runs a {@linkplain Statement#selfContained self-contained} statement in auto-commit mode. The
   * transaction has the session's isolation level. As in {@link #runInOneRoundTrip}, it is unknown
   * whether the statement was committed if the connection breaks.
   *
   * @param <Q> the type of the request
   * @param <R> the type of the value read from a row
   * @param statement the statement
   * @param request the values of its parameters
   * @return the value read from each row
   */
  public <Q, R> List<R> runAlone(Statement<Q, R> statement, Q request) {
    BoundStatement<R> bound = statement.bind(request);
    if (callers != null) {
      return inCallers(callers.get(), bound::run);
    }
    return inAutoCommit(connection -> bound.runAlone(connection, null), connection -> {});
  }

  /**
   * Runs a statement like {@link #runAlone(Statement, Object)}, but never in a caller's
   * transaction. Creates the request after a connection has been borrowed, because borrowing may
   * take a while.
   *
   * @param <Q> the type of the request
   * @param <R> the type of the value read from a row
   * @param statement the statement
   * @param request creates the request, or returns empty to run nothing
   * @return the value read from each row, or empty if nothing was run
   */
  public <Q, R> Optional<List<R>> runAloneOnceConnected(
      Statement<Q, R> statement, Supplier<Optional<Q>> request) {
    return inAutoCommit(
        connection -> {
          Optional<Q> made = request.get();
          return made.isEmpty()
              ? Optional.empty()
              : Optional.of(statement.bind(made.get()).runAlone(connection, null));
        },
        connection -> {});
  }

  /**
   * Runs several statements in one transaction and commits.
   *
   * @param <R> the type of the result
   * @param work runs the statements
   * @return the result of {@code work}
   * @throws StoreException as for {@link #run(Statement, Object)}
   */
  public <R> R inOne(Work<R> work) {
    return callers == null
        ? commit(connection -> work.run(Session.own(connection, preamble)))
        : inCallers(callers.get(), connection -> work.run(Session.in(connection)));
  }

  /**
   * Runs plain JDBC in one transaction and commits.
   *
   * @param <R> the type of the result
   * @param work runs the statements
   * @return the result of {@code work}
   * @throws StoreException as for {@link #run(Statement, Object)}
   */
  public <R> R onConnection(ConnectionWork<R> work) {
    if (callers != null) {
      return inCallers(callers.get(), work);
    }
    return commit(
        connection -> {
          try (java.sql.Statement statement = connection.createStatement()) {
            statement.execute(preamble.first());
          }
          return work.run(connection);
        });
  }

  /** Runs work in a savepoint of the caller's transaction, in one thread at a time. */
  private static <R> R inCallers(Connection connection, ConnectionWork<R> work) {
    synchronized (connection) {
      try {
        Session.requireTransaction(connection);
        Savepoint savepoint = connection.setSavepoint();
        R result;
        try {
          result = work.run(connection);
        } catch (Throwable failure) {
          rollBackTo(connection, savepoint, failure);
          throw failure;
        }
        connection.releaseSavepoint(savepoint);
        return result;
      } catch (SQLException failure) {
        throw refused(failure);
      }
    }
  }

  private static void rollBackTo(Connection connection, Savepoint savepoint, Throwable failure) {
    try {
      connection.rollback(savepoint);
    } catch (SQLException broken) {
      failure.addSuppressed(broken);
    }
  }

  private <R> R commit(ConnectionWork<R> work) {
    boolean committing = false;
    try (Connection connection = connections.borrow()) {
      boolean autoCommit = connection.getAutoCommit();
      connection.setAutoCommit(false);
      R result;
      try {
        result = work.run(connection);
        committing = true;
        connection.commit();
      } catch (Throwable failure) {
        clear(connection, autoCommit, Connection::rollback, failure);
        throw failure;
      }
      committing = false;
      giveBack(connection, autoCommit);
      return result;
    } catch (SQLException failure) {
      throw failed(failure, committing);
    }
  }

  /**
   * Returns the exception for callers.
   *
   * @param committing whether the server may have received the commit
   */
  static StoreException failed(SQLException failure, boolean committing) {
    return committing && isBroken(failure) ? unknown(failure) : refused(failure);
  }

  /**
   * Returns the connection to the pool. Ignores a failure, because the transaction has committed.
   */
  private static void giveBack(Connection connection, boolean autoCommit) {
    try {
      connection.setAutoCommit(autoCommit);
      connection.close();
    } catch (SQLException broken) {
      LOG.debug("Connection broke after its commit", broken);
    }
  }

  /**
   * Returns whether the transaction may have been committed, because the server did not respond or
   * was shutting down, or this JVM had no memory for the response.
   */
  private static boolean isBroken(SQLException failure) {
    String state = failure.getSQLState();
    return state == null
        || state.startsWith("08")
        || state.startsWith("57P")
        || failure.getCause() instanceof OutOfMemoryError;
  }

  private static StoreException unknown(SQLException failure) {
    return new StoreException(
        "Response lost during a transaction or its COMMIT (SQLSTATE %s); it may or may not have been committed: %s"
            .formatted(failure.getSQLState(), PostgresDriver.primaryMessage(failure)),
        failure,
        true);
  }

  /**
   * {@return the constraint that was violated, or empty if the server named none}
   *
   * @param failure the failure
   */
  public static Optional<String> constraintOf(SQLException failure) {
    return PostgresDriver.constraintOf(failure);
  }

  /**
   * {@return the exception to throw to the caller, with the database's exception as its cause}
   *
   * @param failure the failure
   */
  public static StoreException refused(SQLException failure) {
    String state = failure.getSQLState();
    return new StoreException(
        state == null || state.startsWith("08")
            ? "The database could not be reached, or the connection was lost (SQLSTATE %s): %s%s"
                .formatted(state, PostgresDriver.primaryMessage(failure), advice(failure))
            : "Statement failed (SQLSTATE %s): %s%s"
                .formatted(state, PostgresDriver.primaryMessage(failure), advice(failure)),
        failure);
  }

  private static String advice(SQLException failure) {
    String state = failure.getSQLState();
    if (WRONG_LOGIN.contains(String.valueOf(state))) {
      return ". Correct the user or the password of the data source.";
    }
    if (String.valueOf(failure.getMessage()).startsWith(NO_DRIVER)) {
      return ". Add org.postgresql:postgresql to the class path.";
    }
    if (state != null && NO_SUCH_SCHEMA.contains(state)) {
      return ". The queue's schema is missing, or has another name: run"
          + " Migrations.migrate(dataSource, schema), or name it with"
          + " JobQueue.builder(dataSource).schema(schema).";
    }
    return state != null && UNKNOWN_PREPARED_STATEMENT.contains(state)
        ? ". If connections go through a pooler in transaction mode, add prepareThreshold=0 to the"
            + " JDBC URL."
        : "";
  }

  private void clear(
      Connection connection, boolean autoCommit, ConnectionAction clear, Throwable failure) {
    if (abandoned(connection, failure)) {
      return;
    }
    try {
      clear.run(connection);
      connection.setAutoCommit(autoCommit);
    } catch (SQLException broken) {
      failure.addSuppressed(broken);
    }
  }

  /** Rolls back a transaction that the driver did not begin. */
  private static void rollBack(Connection connection) throws SQLException {
    try (java.sql.Statement statement = connection.createStatement()) {
      statement.execute("ROLLBACK");
    }
  }

  /**
   * Breaks a connection to a read-only server, which its pool would otherwise reuse. Returns
   * whether the connection was broken.
   */
  private boolean abandoned(Connection connection, Throwable failure) {
    boolean abandoned = ReadOnlyServer.abandon(connection, failure);
    if (abandoned) {
      onReadOnlyServer.run();
    }
    return abandoned;
  }

  /** The work of one transaction. */
  @FunctionalInterface
  public interface Work<R> {
    /**
     * Does the work and returns its result.
     *
     * @param session runs statements in the transaction
     * @return the result
     * @throws SQLException if the database refuses the statement or cannot be reached
     */
    R run(Session session) throws SQLException;
  }

  /** The work of one transaction in plain JDBC. */
  @FunctionalInterface
  public interface ConnectionWork<R> {
    /**
     * Does the work and returns its result.
     *
     * @param connection the connection
     * @return the result
     * @throws SQLException if the database refuses the statement or cannot be reached
     */
    R run(Connection connection) throws SQLException;
  }

  @FunctionalInterface
  private interface ConnectionAction {
    void run(Connection connection) throws SQLException;
  }
}
