package dev.skipjack.sql;

/**
 * The settings of the queue's own transactions, sent in the round trips of their statements.
 *
 * <p>{@code search_path} is reset to the session's value at the end of each round trip. PostgreSQL
 * 18 and later reports it to the driver at that point, and a driver that receives another value
 * prepares every statement of the connection again. It is set with a function because older drivers
 * search statements for SET. docs/adr/0007 and 0017 explain the settings and their cost.
 *
 * <p>If the client disappears between a statement and its COMMIT, the server could keep the locked
 * jobs for hours, and no rescue could free them. Transactions that lock rows therefore limit the
 * time for which they may be idle, unless the role or the database has its own {@code
 * idle_in_transaction_session_timeout}.
 */
enum Preamble {
  /** The settings of most statements. */
  OWN(", " + Settings.DEFAULT_IDLE_LIMIT, "READ COMMITTED"),

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
  IMPATIENT(
      ", " + Settings.set("lock_timeout", "100ms") + ", " + Settings.DEFAULT_IDLE_LIMIT,
      "READ COMMITTED"),

  /**
   * The settings of statements that wait for a transaction that has written the same key. Such a
   * transaction may stay open, and must not block a pooled connection indefinitely. The role's own
   * limit takes precedence, whether longer or shorter.
   */
  BOUNDED(
      ", " + Settings.setUnlessLimited("lock_timeout", "30s") + ", " + Settings.DEFAULT_IDLE_LIMIT,
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
