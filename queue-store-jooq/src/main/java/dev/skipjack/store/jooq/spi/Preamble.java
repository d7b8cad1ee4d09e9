package dev.skipjack.store.jooq.spi;

/** How a transaction of the queue's own begins, in the flight of its first statement. */
enum Preamble {
  /** As it is for most. */
  OWN("", " READ COMMITTED; ", ""),

  /**
   * For statements that look at a stretch of an index: of a table without statistics the planner
   * believes that a bitmap is cheaper, and a bitmap is made of all there is before the limit
   * counts.
   */
  READ_ONLY("SET LOCAL enable_bitmapscan = off; ", " READ COMMITTED READ ONLY; ", ""),

  /** For statements that may meet a key which somebody holds, with rows locked already. */
  IMPATIENT("SET LOCAL lock_timeout = '100ms'; ", " READ COMMITTED; ", ""),

  /**
   * For statements that wait for a transaction which has written the same key: one that stays open
   * must not hold a pooled connection for ever. A role's own bound, longer or shorter, stands.
   */
  BOUNDED(
      "",
      " READ COMMITTED; ",
      "SELECT pg_catalog.set_config('lock_timeout', '30s', true) WHERE pg_catalog.current_setting('lock_timeout') = '0'; ");

  /** Why, and what it costs: docs/adr/0007 and 0017. */
  private static final String COMMON =
      "SET LOCAL search_path = "
          + HotStatement.SEARCH_PATH
          + "; SET LOCAL enable_seqscan = off; SET LOCAL plan_cache_mode = force_generic_plan; ";

  private final String sql;
  private final String withBegin;
  private final int results;

  Preamble(String settings, String isolation, String query) {
    this.sql = COMMON + settings + "SET TRANSACTION ISOLATION LEVEL" + isolation + query;
    this.withBegin = "BEGIN ISOLATION LEVEL" + isolation + COMMON + settings + query;
    this.results = query.isEmpty() ? 0 : 1;
  }

  /** How many results with rows, or room for rows, it has. */
  int results() {
    return results;
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
