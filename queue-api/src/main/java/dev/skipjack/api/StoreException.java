package dev.skipjack.api;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransientException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the database rejects a statement or cannot be reached, or its response is lost. In
 * the last case, the operation may have taken effect: an enqueue may have created its jobs, and a
 * claim may hold jobs until their leases expire.
 */
public class StoreException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** Whether the transaction may have been committed. */
  private final boolean outcomeUnknown;

  /**
   * Creates an exception for a transaction that had no effect, caused by a database exception.
   *
   * @param message the message
   * @param cause the cause
   */
  public StoreException(String message, SQLException cause) {
    this(message, cause, false);
  }

  /**
   * Creates an exception caused by a database exception.
   *
   * @param message the message
   * @param cause the cause
   * @param outcomeUnknown whether the transaction may have been committed; see {@link
   *     #isOutcomeUnknown()}
   */
  public StoreException(String message, SQLException cause, boolean outcomeUnknown) {
    super(message, cause);
    this.outcomeUnknown = outcomeUnknown;
  }

  /**
   * Creates an exception with a new message and the cause of {@code failure}.
   *
   * @param message the message
   * @param failure the failure
   */
  protected StoreException(String message, StoreException failure) {
    super(message, failure.getCause());
    this.outcomeUnknown = failure.outcomeUnknown;
  }

  /**
   * {@return whether the transaction may have been committed although the operation failed, because
   * the connection broke during the commit or during a statement that commits} If this method
   * returns false, the transaction had no effect. An enqueue with an idempotency key can be
   * repeated in either case.
   */
  public boolean isOutcomeUnknown() {
    return outcomeUnknown;
  }

  /**
   * {@return whether the operation failed because no connection of the pool became free before the
   * pool's timeout, rather than because the server could not be reached} The operation had no
   * effect. This is detected for HikariCP, and for other pools that throw a {@link
   * SQLTransientConnectionException} without a cause.
   */
  public boolean isPoolExhausted() {
    return getCause() instanceof SQLTransientConnectionException none
        && none.getSQLState() == null
        && none.getCause() == null;
  }

  /**
   * {@return whether the transaction may succeed if it is repeated from the beginning, that is,
   * whether the cause is a {@link SQLTransientException} but not a {@link
   * SQLTransientConnectionException}} An attempt whose {@code completeIn} failed in this way does
   * not count.
   */
  public boolean isTransient() {
    return getCause() instanceof SQLTransientException
        && !(getCause() instanceof SQLTransientConnectionException);
  }

  /** {@return PostgreSQL's five-character error code, or empty if there was no response} */
  public Optional<String> sqlState() {
    @Nullable Throwable cause = getCause();
    return cause instanceof SQLException sql
        ? Optional.ofNullable(sql.getSQLState())
        : Optional.empty();
  }
}
