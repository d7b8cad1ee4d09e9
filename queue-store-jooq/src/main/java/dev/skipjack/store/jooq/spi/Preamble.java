package dev.skipjack.store.jooq.spi;

/** How a transaction of the queue's own begins, in the flight of its first statement. */
enum Preamble {
  /** As it is for most. */
  OWN("SET LOCAL enable_seqscan = off; SET TRANSACTION ISOLATION LEVEL READ COMMITTED; "),

  /**
   * For statements that look at a stretch of an index: of a table without statistics the planner
   * believes that a bitmap is cheaper, and a bitmap is made of all there is before the limit
   * counts.
   */
  READ_ONLY(
      "SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off;"
          + " SET TRANSACTION ISOLATION LEVEL READ COMMITTED READ ONLY; "),

  /** For statements that may meet a key which somebody holds, with rows locked already. */
  IMPATIENT(
      "SET LOCAL enable_seqscan = off; SET LOCAL lock_timeout = '100ms';"
          + " SET TRANSACTION ISOLATION LEVEL READ COMMITTED; ");

  private final String sql;

  Preamble(String sql) {
    this.sql = sql;
  }

  String sql() {
    return sql;
  }
}
