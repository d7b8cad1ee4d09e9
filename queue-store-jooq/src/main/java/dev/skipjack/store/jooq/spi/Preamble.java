package dev.skipjack.store.jooq.spi;

/** How a transaction of the queue's own begins, in the flight of its first statement. */
enum Preamble {
  /** As it is for most. */
  OWN("", " READ COMMITTED; "),

  /**
   * For statements that look at a stretch of an index: of a table without statistics the planner
   * believes that a bitmap is cheaper, and a bitmap is made of all there is before the limit
   * counts.
   */
  READ_ONLY("SET LOCAL enable_bitmapscan = off; ", " READ COMMITTED READ ONLY; "),

  /** For statements that may meet a key which somebody holds, with rows locked already. */
  IMPATIENT("SET LOCAL lock_timeout = '100ms'; ", " READ COMMITTED; ");

  /** Why, and what it costs: docs/adr/0007 and 0017. */
  private static final String COMMON =
      "SET LOCAL search_path = "
          + HotStatement.SEARCH_PATH
          + "; SET LOCAL enable_seqscan = off; SET LOCAL plan_cache_mode = force_generic_plan; ";

  private final String sql;
  private final String withBegin;

  Preamble(String settings, String isolation) {
    this.sql = COMMON + settings + "SET TRANSACTION ISOLATION LEVEL" + isolation;
    this.withBegin = "BEGIN ISOLATION LEVEL" + isolation + COMMON + settings;
  }

  /** For a transaction that the driver begins. */
  String sql() {
    return sql;
  }

  /** For a transaction that begins with it. */
  String withBegin() {
    return withBegin;
  }
}
