package dev.skipjack.sql;

/**
 * SQL fragments that change settings until the end of the transaction, as columns of a SELECT. They
 * may run under any {@code search_path}, so all functions in them are qualified.
 */
final class Settings {

  /**
   * The search path of statements, except {@linkplain Statement#selfContained self-contained} ones.
   * Statements qualify the names of tables. The temporary schema is listed last, because otherwise
   * it would be searched first, and it can contain types.
   */
  static final String SEARCH_PATH = "pg_catalog, pg_temp";

  /**
   * The text that precedes a later statement of the queue's own transaction. It returns one row.
   */
  static final String NEXT = "SELECT " + set("search_path", SEARCH_PATH) + "; ";

  /** The text that follows a statement of the queue's own transaction. */
  static final String AFTER = "; SELECT " + giveBack("search_path");

  /** The column that limits how long a transaction may be idle; see {@link Preamble}. */
  static final String DEFAULT_IDLE_LIMIT =
      setUnlessLimited("idle_in_transaction_session_timeout", "5s");

  private Settings() {}

  static String set(String setting, String value) {
    return "pg_catalog.set_config('%s', '%s', true)".formatted(setting, value);
  }

  /** Returns the text that sets a timeout, unless the session already has one. */
  static String setUnlessLimited(String timeout, String value) {
    return ("pg_catalog.set_config('%1$s', CASE WHEN pg_catalog.current_setting('%1$s') OPERATOR(pg_catalog.=) '0' THEN '%2$s'"
            + " ELSE pg_catalog.current_setting('%1$s') END, true)")
        .formatted(timeout, value);
  }

  /**
   * Returns the text that sets a value and saves the current one, which may come from the session,
   * the role or an earlier SET LOCAL.
   */
  static String borrow(String setting, String value) {
    return "pg_catalog.set_config('skipjack.%1$s', pg_catalog.current_setting('%1$s'), true), "
            .formatted(setting)
        + set(setting, value);
  }

  static String giveBack(String setting) {
    return "pg_catalog.set_config('%1$s', pg_catalog.current_setting('skipjack.%1$s'), true)"
        .formatted(setting);
  }
}
