package dev.skipjack.store.jooq.internal.sql;

/**
 * The settings of the queue's own transactions, sent in the round trips of their statements.
 *
 * <p>{@code search_path} is reset to the session's at the end of each round trip. From 18 on
 * PostgreSQL reports it there to the driver, and a driver that receives another value prepares
 * every statement of the connection again. It is set by a function because older drivers search
 * statements for SET. docs/adr/0007 and 0017 explain the settings and their cost.
 */
enum Preamble {
  /** For most statements. */
  OWN("", "READ COMMITTED"),

  /**
   * For statements that read a range of an index. Without statistics the planner assumes that a
   * bitmap is cheaper, and a bitmap covers the whole range before the limit applies.
   */
  READ_ONLY(", " + Settings.set("enable_bitmapscan", "off"), "READ COMMITTED READ ONLY"),

  /** For statements that may wait for a key that another transaction holds, with rows locked. */
  IMPATIENT(", " + Settings.set("lock_timeout", "100ms"), "READ COMMITTED"),

  /**
   * For statements that wait for a transaction that has written the same key. Such a transaction
   * may stay open, and must not block a pooled connection forever. A role's own limit, longer or
   * shorter, has precedence.
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

  /** Precedes the first statement of a transaction that the driver begins; returns one row. */
  String first() {
    return first;
  }

  /**
   * Precedes a statement that runs as a whole transaction in one round trip. It begins that
   * transaction and returns one row.
   */
  String whole() {
    return whole;
  }
}
