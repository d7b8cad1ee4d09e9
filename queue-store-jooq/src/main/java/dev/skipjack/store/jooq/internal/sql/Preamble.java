package dev.skipjack.store.jooq.internal.sql;

/**
 * The settings of the queue's own transactions, in the flights of their statements.
 *
 * <p>{@code search_path} goes back to the session's at the end of each flight. PostgreSQL reports
 * it there to the driver from 18 on, and a driver that hears of another prepares every statement of
 * the connection anew. Set by a function, because older drivers look for SET. Why there are such
 * settings, and what they cost: docs/adr/0007 and 0017.
 */
enum Preamble {
  /** As it is for most. */
  OWN("", "READ COMMITTED"),

  /**
   * For statements that look at a stretch of an index: of a table without statistics the planner
   * believes that a bitmap is cheaper, and a bitmap is made of all there is before the limit
   * counts.
   */
  READ_ONLY(", " + Settings.set("enable_bitmapscan", "off"), "READ COMMITTED READ ONLY"),

  /** For statements that may meet a key which somebody holds, with rows locked already. */
  IMPATIENT(", " + Settings.set("lock_timeout", "100ms"), "READ COMMITTED"),

  /**
   * For statements that wait for a transaction which has written the same key: one that stays open
   * must not hold a pooled connection for ever. A role's own bound, longer or shorter, stands.
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

  /** Before the first statement of a transaction that the driver begins; answers one row. */
  String first() {
    return first;
  }

  /** Before a statement that is a transaction in one flight, and begins it; answers one row. */
  String whole() {
    return whole;
  }
}
