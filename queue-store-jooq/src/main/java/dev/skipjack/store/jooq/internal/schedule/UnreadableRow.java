package dev.skipjack.store.jooq.internal.schedule;

import dev.skipjack.api.schedule.ScheduleOrigin;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code job_schedules} with a value that this program cannot represent. The components
 * that could not be read have their defaults.
 *
 * @param reason the column and the reason
 * @param pausedAt when it was paused, or null if it is not paused or the value could not be read
 */
record UnreadableRow(
    String name,
    String reason,
    String queue,
    String kind,
    ScheduleOrigin origin,
    @Nullable Instant pausedAt,
    StoredSchedule.Failures failures,
    Instant createdAt,
    Instant updatedAt)
    implements StoredRow {

  /** Returns a row whose values could be read but not be used. */
  static UnreadableRow of(StoredSchedule schedule, String reason) {
    return new UnreadableRow(
        schedule.name(),
        reason,
        schedule.definition().job().queue(),
        schedule.definition().job().kind(),
        schedule.source().origin(),
        schedule.pausedAt(),
        schedule.failures(),
        schedule.createdAt(),
        schedule.updatedAt());
  }
}
