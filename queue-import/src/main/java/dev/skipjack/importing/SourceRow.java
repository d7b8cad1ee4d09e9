package dev.skipjack.importing;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A row of another queue.
 *
 * @param name the name by which jobs are mapped to kinds, for example that of a task
 * @param id the id of the row in reports. A later row with the same key has another id, unless it
 *     is recurring
 * @param key the values by which the source finds and locks the row, as text
 * @param due when the job is due
 * @param priority its priority, where a higher one is served first; null if it has none
 * @param used the number of failed attempts
 * @param maxAttempts the maximum number of attempts; null if the source keeps none
 * @param uniqueKey the key that the source keeps unique within the name; null if there is none
 * @param queue the queue of the source; null if it has none
 * @param tags labels of the job
 * @param data the payload as the source stores it; null if there is none
 * @param recurrence the schedule that the row becomes; null if it becomes a job
 * @param failure why the job failed for good; null if it has not
 * @param stays why the row cannot be moved; null if it can
 */
@SuppressWarnings("ArrayRecordComponent") // rows are never compared with each other
record SourceRow(
    String name,
    String id,
    Key key,
    Instant due,
    @Nullable Integer priority,
    int used,
    @Nullable Integer maxAttempts,
    @Nullable String uniqueKey,
    @Nullable String queue,
    List<String> tags,
    byte @Nullable [] data,
    @Nullable Recurrence recurrence,
    @Nullable Failure failure,
    @Nullable String stays) {

  /**
   * The values by which a source finds a row and detects whether it has changed.
   *
   * @param first the first value, never null
   * @param second the second value, empty if the source needs none
   * @param version the version of the row
   */
  record Key(String first, String second, String version) {}

  /**
   * The last error of a job that has no attempts left.
   *
   * @param message the message of the error
   * @param type the class of the exception; null if it is unknown
   */
  record Failure(String message, @Nullable String type) {}
}
