package dev.skipjack.store.jooq;

/** Recognizes the statements of a claim under a limit by their text. */
final class LimitSql {

  static final String LOCK = "for no key update skip locked";

  private LimitSql() {}

  /** Returns whether a statement locks the row of a limit. */
  static boolean locksLimit(String sql) {
    return sql.contains("job_limits") && sql.contains(LOCK) && !claims(sql);
  }

  /** Returns whether a statement locks groups. */
  static boolean locksGroups(String sql) {
    return sql.contains("pg_try_advisory_xact_lock");
  }

  /** Returns whether a statement claims jobs. */
  static boolean claims(String sql) {
    return sql.contains("job_execution_id_seq");
  }
}
