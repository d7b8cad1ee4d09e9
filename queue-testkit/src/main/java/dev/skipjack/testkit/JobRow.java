package dev.skipjack.testkit;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A live or archived job, as read for assertions.
 *
 * @param payload the payload, as a JSON document
 * @param attempts the number of attempts so far
 * @param dueIn the time between the read and the due time; negative if the job is due
 * @param lastError the error message of the latest unsuccessful attempt; null if there is none
 * @param steps the names of the recorded durable steps, in the order in which they were recorded
 * @param waitsFor the durable step in which the job is suspended; null if it is not
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
    List<String> tags,
    List<String> steps,
    @Nullable String waitsFor) {

  private static final int MOST_CHARACTERS = 200;

  /** Returns the delay between the enqueue and the due time. */
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
    if (!steps.isEmpty()) {
      line.append(", steps ").append(steps);
    }
    if (waitsFor != null) {
      line.append(", waits for '%s'".formatted(waitsFor));
    }
    if (lastError != null) {
      line.append(", last error '%s'".formatted(Texts.shortened(lastError, MOST_CHARACTERS)));
    }
    return line.append(", payload ").append(Texts.shortened(payload, MOST_CHARACTERS)).toString();
  }
}
