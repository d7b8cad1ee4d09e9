package dev.skipjack.store.jooq.internal.sql;

/**
 * Texts that change settings until the transaction ends, as columns of a SELECT. They may run under
 * any {@code search_path}, so they name the schema of what they call.
 */
final class Settings {

  /**
   * Of every statement. All its tables are qualified; temporary ones, which are looked into first
   * where nobody says otherwise, hold types too.
   */
  static final String SEARCH_PATH = "pg_catalog, pg_temp";

  /** Before a statement that is not the first of a transaction of our own; answers one row. */
  static final String NEXT = "SELECT " + set("search_path", SEARCH_PATH) + "; ";

  /** After a statement of our own transaction. */
  static final String AFTER = "; SELECT " + giveBack("search_path");

  private Settings() {}

  static String set(String setting, String value) {
    return "pg_catalog.set_config('%s', '%s', true)".formatted(setting, value);
  }

  /**
   * Remembers the value that stands, which may come from the session, the role or an earlier SET
   * LOCAL.
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
