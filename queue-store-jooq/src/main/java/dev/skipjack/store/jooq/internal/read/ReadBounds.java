package dev.skipjack.store.jooq.internal.read;

/** Limits on what a query of the reader may read, so that no dashboard slows the queue down. */
final class ReadBounds {

  /** The most rows that a page reads, and the largest count that is exact. */
  static final int EXACT = 10_000;

  /** One more than the largest exact count, to distinguish "all" from "more". */
  static final int WINDOW = EXACT + 1;

  /** About how many pages of the table an estimate reads: 4 MB. */
  static final int SAMPLED_PAGES = 500;

  /** The most attempts of a job that are shown; a job may snooze for years. */
  static final int EXECUTIONS = 1_000;

  /** The most attempts that are shown with the stack trace of their error, of up to 32 kB each. */
  static final int STACKS = 20;

  /** The most groups of dead jobs that are shown. */
  static final int GROUPS = 1_000;

  /** The most workers that are shown. */
  static final int WORKERS = 1_000;

  private ReadBounds() {}
}
