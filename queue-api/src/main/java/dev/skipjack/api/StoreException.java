package dev.skipjack.api;

import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The database did not do what was asked, or its answer was lost. After a lost answer the work may
 * have been done: an enqueue may have created its jobs, a claim may hold jobs until their lease
 * ends.
 */
public final class StoreException extends QueueException {

  private static final long serialVersionUID = 1L;

  /** With the database's own exception as cause. */
  public StoreException(String message, SQLException cause) {
    super(message, cause);
  }

  /** PostgreSQL's five-character error code; empty when it never answered. */
  public Optional<String> sqlState() {
    @Nullable Throwable cause = getCause();
    return cause instanceof SQLException sql
        ? Optional.ofNullable(sql.getSQLState())
        : Optional.empty();
  }
}
