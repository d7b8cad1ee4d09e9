package dev.skipjack.operations.diagnosis;

import static dev.skipjack.model.Tables.JOB_QUEUES;

import dev.skipjack.api.operations.Fix;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Spans;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/**
 * A pause of a queue that has not ended.
 *
 * @param until when the pause ends; null if an operator must resume the queue
 * @param by who paused the queue; null if that was not recorded
 * @param reason why the queue is paused; null if that was not recorded
 */
record PauseFacts(
    Instant since, @Nullable Instant until, @Nullable String by, @Nullable String reason) {

  /** The columns that {@link #read} needs. */
  static final List<Field<?>> COLUMNS =
      List.of(
          JOB_QUEUES.PAUSED_AT,
          JOB_QUEUES.PAUSED_UNTIL,
          JOB_QUEUES.PAUSED_BY,
          JOB_QUEUES.PAUSE_REASON);

  /** Reads a pause, or null if the queue is not paused. */
  static @Nullable PauseFacts read(Row row) throws SQLException {
    Instant since = row.instantOrNull(JOB_QUEUES.PAUSED_AT);
    return since == null
        ? null
        : new PauseFacts(
            since,
            row.instantOrNull(JOB_QUEUES.PAUSED_UNTIL),
            row.textOrNull(JOB_QUEUES.PAUSED_BY),
            row.textOrNull(JOB_QUEUES.PAUSE_REASON));
  }

  String sentence(String queue, Instant now) {
    return "Queue %s has been paused%s for %s, until %s.%s"
        .formatted(
            queue,
            by == null ? "" : " by " + by,
            Spans.between(since, now),
            until == null ? "an operator resumes it" : until,
            reason == null ? "" : " Reason: " + reason);
  }

  static Fix fix(String queue) {
    return new Fix(
        "skipjack queues resume " + Quoting.operand(queue),
        "queue.admin().resume(%s)".formatted(Quoting.java(queue)));
  }
}
