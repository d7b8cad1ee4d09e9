package dev.skipjack.testkit;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job as read for assertions, live or archived.
 *
 * @param payload one JSON document
 * @param attempts executions so far
 * @param dueIn from the time of the read to its due time; negative if it is due
 * @param lastError message of its latest attempt that did not succeed
 */
record JobRow(
    JobId id,
    JobStatus status,
    String queue,
    String kind,
    String payload,
    int payloadVersion,
    int priority,
    int attempts,
    int maxAttempts,
    Instant createdAt,
    Instant scheduledAt,
    Duration dueIn,
    @Nullable String lastError,
    List<String> tags) {

  private static final int MOST_CHARACTERS = 200;

  /** The delay from its enqueue to its due time. */
  Duration delay() {
    return Duration.between(createdAt, scheduledAt);
  }

  /** Returns one line that describes the job. */
  String describe() {
    StringBuilder line =
        new StringBuilder("job %s: kind '%s', queue '%s', ".formatted(id, kind, queue));
    line.append(status.literal());
    if (status == JobStatus.PENDING) {
      line.append(dueIn.isNegative() ? ", due" : ", due in " + Texts.of(dueIn));
    }
    line.append(", attempts %d of %d".formatted(attempts, maxAttempts));
    if (priority != 0) {
      line.append(", priority ").append(priority);
    }
    if (!tags.isEmpty()) {
      line.append(", tags ").append(tags);
    }
    if (lastError != null) {
      line.append(", last error '%s'".formatted(Texts.shortened(lastError, MOST_CHARACTERS)));
    }
    return line.append(", payload ").append(Texts.shortened(payload, MOST_CHARACTERS)).toString();
  }
}
