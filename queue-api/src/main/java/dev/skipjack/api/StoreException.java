package dev.skipjack.api;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransientException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The database did not do what was asked, or its answer was lost. After a lost answer the work may
 * have been done: an enqueue may have created its jobs, a claim may hold jobs until their lease
 * ends.
 */
public class StoreException extends QueueException {

  private static final long serialVersionUID = 1L;

  private final boolean outcomeUnknown;

  /** With the database's own exception as cause; nothing was done. */
  public StoreException(String message, SQLException cause) {
    this(message, cause, false);
  }

  /**
   * With the database's own exception as cause.
   *
   * @param outcomeUnknown as {@link #isOutcomeUnknown()}
   */
  public StoreException(String message, SQLException cause, boolean outcomeUnknown) {
    super(message, cause);
    this.outcomeUnknown = outcomeUnknown;
  }

  /** With another message, and the cause of {@code failure}. */
  StoreException(String message, StoreException failure) {
    super(message, failure.getCause());
    this.outcomeUnknown = failure.outcomeUnknown;
  }

  /**
   * Whether the database may have done what was asked, because the connection broke while it was
   * told to commit. Else nothing was done. An enqueue with an idempotency key can be repeated
   * either way.
   */
  public boolean isOutcomeUnknown() {
    return outcomeUnknown;
  }

  /**
   * Whether the pool had no free connection in its time, and does not say that the server could not
   * be reached: somebody holds them all, or there are too few. Nothing was done. Known of HikariCP
   * and pools that say it likewise, by an {@link SQLTransientConnectionException} without a cause.
   */
  public boolean isPoolExhausted() {
    return getCause() instanceof SQLTransientConnectionException none
        && none.getSQLState() == null
        && none.getCause() == null;
  }

  /**
   * Whether the same transaction, repeated from its start, can work without anybody's help: its
   * cause is an {@link SQLTransientException}. An attempt whose {@code completeIn} failed so is not
   * counted.
   */
  public boolean isTransient() {
    return getCause() instanceof SQLTransientException
        && !(getCause() instanceof SQLTransientConnectionException);
  }

  /** PostgreSQL's five-character error code; empty when it never answered. */
  public Optional<String> sqlState() {
    @Nullable Throwable cause = getCause();
    return cause instanceof SQLException sql
        ? Optional.ofNullable(sql.getSQLState())
        : Optional.empty();
  }
}
