package dev.skipjack.api;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransientException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if the database refused a statement, could not be reached, or its response was lost. After
 * a lost response the work may have been done: an enqueue may have created its jobs, and a claim
 * may hold jobs until their lease expires.
 */
public class StoreException extends QueueException {

  private static final long serialVersionUID = 1L;

  private final boolean outcomeUnknown;

  /**
   * Creates an exception with the database's own exception as cause, for an operation that had no
   * effect.
   */
  public StoreException(String message, SQLException cause) {
    this(message, cause, false);
  }

  /**
   * Creates an exception with the database's own exception as cause.
   *
   * @param outcomeUnknown see {@link #isOutcomeUnknown()}
   */
  public StoreException(String message, SQLException cause, boolean outcomeUnknown) {
    super(message, cause);
    this.outcomeUnknown = outcomeUnknown;
  }

  /** Creates an exception with another message and the cause of {@code failure}. */
  StoreException(String message, StoreException failure) {
    super(message, failure.getCause());
    this.outcomeUnknown = failure.outcomeUnknown;
  }

  /**
   * Whether the transaction may have been committed, because the connection broke during a
   * statement that commits, or during the commit. If false, the operation had no effect. An enqueue
   * with an idempotency key can be repeated in either case.
   */
  public boolean isOutcomeUnknown() {
    return outcomeUnknown;
  }

  /**
   * Whether the pool had no free connection within its timeout, without reporting that the server
   * could not be reached: all connections are in use, or there are too few. The operation had no
   * effect. Detected with HikariCP and other pools that report it by an {@link
   * SQLTransientConnectionException} without a cause.
   */
  public boolean isPoolExhausted() {
    return getCause() instanceof SQLTransientConnectionException none
        && none.getSQLState() == null
        && none.getCause() == null;
  }

  /**
   * Whether the same transaction may succeed if it is repeated from its start: the cause is an
   * {@link SQLTransientException}. An attempt whose {@code completeIn} failed this way is not
   * counted.
   */
  public boolean isTransient() {
    return getCause() instanceof SQLTransientException
        && !(getCause() instanceof SQLTransientConnectionException);
  }

  /** PostgreSQL's five-character error code; empty if there was no response. */
  public Optional<String> sqlState() {
    @Nullable Throwable cause = getCause();
    return cause instanceof SQLException sql
        ? Optional.ofNullable(sql.getSQLState())
        : Optional.empty();
  }
}
