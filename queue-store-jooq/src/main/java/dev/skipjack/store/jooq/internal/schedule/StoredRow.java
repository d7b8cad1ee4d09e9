package dev.skipjack.store.jooq.internal.schedule;

/**
 * A row of {@code job_schedules}, as this program could read it. Any role that enqueues can write
 * the table, so one row that cannot be read must not keep a statement from reading the others.
 */
sealed interface StoredRow permits StoredSchedule, UnreadableRow {

  String name();

  /** Returns how often firing has failed since the last success. */
  StoredSchedule.Failures failures();
}
