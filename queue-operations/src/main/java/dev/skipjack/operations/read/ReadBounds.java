package dev.skipjack.operations.read;

/** Limits the reads of the reader's queries, so that no dashboard slows the queue down. */
final class ReadBounds {

  /** The maximum number of rows that a page reads, and the largest count that is exact. */
  static final int EXACT = 10_000;

  /**
   * The maximum number of payloads that a page reads. Payloads may be large and stored outside the
   * row.
   */
  static final int PAYLOADS = 1_000;

  /** One more than the largest exact count, to detect that there are more. */
  static final int WINDOW = EXACT + 1;

  /** The approximate number of table pages that an estimate reads: 4 MB. */
  static final int SAMPLED_PAGES = 500;

  /** The maximum number of attempts of a job that are shown; a job may be snoozed for years. */
  static final int EXECUTIONS = 1_000;

  /**
   * The maximum number of attempts that are shown with the stack trace of their error, which may
   * have the maximum length of {@code JobError}.
   */
  static final int STACKS = 20;

  /** The maximum number of groups of errors of dead jobs that are shown. */
  static final int GROUPS = 1_000;

  /** The maximum number of workers that are shown. */
  static final int WORKERS = 1_000;

  /** The maximum number of limits, and of fair or limited queues, that are shown. */
  static final int LIMITS = 1_000;

  /** The maximum number of groups of jobs that are shown. */
  static final int JOB_GROUPS = 1_000;

  /** The maximum number of blocked ordering keys that are shown. */
  static final int BLOCKED_KEYS = 1_000;

  /** The maximum number of waiting jobs that are counted for each blocked ordering key. */
  static final int WAITING_JOBS = 1_000;

  private ReadBounds() {}
}
