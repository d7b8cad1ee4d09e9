package dev.skipjack.torture;

import java.util.List;

/**
 * The database at the end, read once. All times are microseconds by this machine's clock, 0 where
 * there is none.
 *
 * @param keys jobs that an idempotency key leads to
 * @param clockError how wrong, in microseconds, a time of the database may be by this machine's
 *     clock; 0 if both are one
 */
record FinalRead(
    List<JobRow> jobs,
    List<ExecutionRow> executions,
    List<EffectRow> effects,
    List<Long> keys,
    long clockError) {

  /**
   * A job, live or archived; one that is both has two rows. What its payload does not tell is
   * empty.
   *
   * @param ended when it was archived, or died
   * @param execution that ended it; 0 if none did
   */
  record JobRow(
      long id,
      String status,
      boolean archived,
      String key,
      String workload,
      String unique,
      int attempts,
      int uncountedAttempts,
      int maxAttempts,
      long created,
      long ended,
      long execution) {}

  /** An attempt in the audit. */
  record ExecutionRow(
      long id,
      long job,
      int attempt,
      String status,
      long started,
      long finished,
      String process,
      String error) {}

  /** A row that a handler wrote together with its completion. */
  record EffectRow(String key, long job, long execution) {}
}
