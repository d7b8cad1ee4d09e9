package dev.skipjack.store.jooq.internal.sql;

/**
 * The settings of the queue's own transactions, sent in the round trips of their statements.
 *
 * <p>{@code search_path} is reset to the session's value at the end of each round trip. PostgreSQL
 * 18 and later reports it to the driver at that point, and a driver that receives another value
 * prepares every statement of the connection again. It is set with a function because older drivers
 * search statements for SET. docs/adr/0007 and 0017 explain the settings and their cost.
 */
enum Preamble {
  /** The settings of most statements. */
  OWN("", "READ COMMITTED"),

  /**
   * The settings of statements that read a range of an index. Without statistics, the planner
   * assumes that a bitmap scan is cheaper, but its bitmap covers the whole range before the limit
   * applies.
   */
  READ_ONLY(", " + Settings.set("enable_bitmapscan", "off"), "READ COMMITTED READ ONLY"),

  /** The settings of several statements that read the same state of the database. */
  SNAPSHOT(", " + Settings.set("enable_bitmapscan", "off"), "REPEATABLE READ READ ONLY"),

  /**
   * The settings of statements that may have to wait, with rows locked, for a key that another
   * transaction holds.
   */
  IMPATIENT(", " + Settings.set("lock_timeout", "100ms"), "READ COMMITTED"),

  /**
   * The settings of statements that wait for a transaction that has written the same key. Such a
   * transaction may stay open, and must not block a pooled connection indefinitely. The role's own
   * limit takes precedence, whether longer or shorter.
   */
  BOUNDED(
      ", pg_catalog.set_config('lock_timeout', CASE WHEN pg_catalog.current_setting('lock_timeout') OPERATOR(pg_catalog.=) '0' THEN '30s'"
          + " ELSE pg_catalog.current_setting('lock_timeout') END, true)",
      "READ COMMITTED");

  private final String first;
  private final String whole;

  Preamble(String more, String isolation) {
    String settings =
        Settings.set("enable_seqscan", "off")
            + ", "
            + Settings.set("plan_cache_mode", "force_generic_plan")
            + more
            + "; ";
    this.first =
        "SET TRANSACTION ISOLATION LEVEL "
            + isolation
            + "; SELECT "
            + Settings.borrow("search_path", Settings.SEARCH_PATH)
            + ", "
            + settings;
    this.whole =
        "BEGIN ISOLATION LEVEL "
            + isolation
            + "; SELECT "
            + Settings.set("search_path", Settings.SEARCH_PATH)
            + ", "
            + settings;
  }

  /**
   * Returns the text that precedes the first statement of a transaction that the driver begins. It
   * returns one row.
   */
  String first() {
    return first;
  }

  /**
   * Returns the text that precedes a statement that runs as a whole transaction in one round trip.
   * It begins that transaction and returns one row.
   */
  String whole() {
    return whole;
  }
}
