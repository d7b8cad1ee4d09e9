package dev.skipjack.store.jooq.internal.schedule;

/**
 * A row of {@code job_schedules}. A row that cannot be read is an {@link UnreadableRow}, so that a
 * statement still reads the other rows.
 */
sealed interface StoredRow permits StoredSchedule, UnreadableRow {

  String name();

  /** Returns the failed tries since the schedule last fired. */
  StoredSchedule.Failures failures();
}
