package dev.skipjack.store.jooq.internal.read;

/** How much the read side may look at, so that no curious person can slow the queue down. */
final class ReadBounds {

  /** Most rows that a page looks at, and the largest count that is exact. */
  static final int EXACT = 10_000;

  /** One more than the largest exact count: tells "all" from "more". */
  static final int WINDOW = EXACT + 1;

  /** Pages of the table that an estimate looks at, about: 4 MB. */
  static final int SAMPLED_PAGES = 500;

  /** Most attempts of a job that are shown; a job may snooze for years. */
  static final int EXECUTIONS = 1_000;

  /** Most attempts of a job that are shown with their error's stack: each may be 32 kB long. */
  static final int STACKS = 20;

  /** Most groups of dead letters that are shown. */
  static final int GROUPS = 1_000;

  /** Most workers that are shown. */
  static final int WORKERS = 1_000;

  private ReadBounds() {}
}
