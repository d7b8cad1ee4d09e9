package dev.skipjack.steps;

import static dev.skipjack.model.Tables.JOB_BATCHES;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.sql.Row;
import java.sql.SQLException;
import java.util.List;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jspecify.annotations.Nullable;

/**
 * A job that is enqueued when something happens to a batch.
 *
 * @param payload the payload as JSON
 * @param priority the priority, or null for the default of the queue
 * @param maxAttempts the maximum number of attempts, or null for the default of the queue
 */
record Callback(
    String kind,
    String queue,
    String payload,
    int payloadVersion,
    @Nullable Integer priority,
    @Nullable Integer maxAttempts) {

  /** The events of a batch that a callback can follow, with the columns of the callback. */
  @SuppressWarnings("ImmutableEnumChecker") // jOOQ's fields are immutable
  enum Event {
    FINISH(
        JOB_BATCHES.FINISH_KIND,
        JOB_BATCHES.FINISH_QUEUE,
        JOB_BATCHES.FINISH_PAYLOAD,
        JOB_BATCHES.FINISH_PAYLOAD_VERSION,
        JOB_BATCHES.FINISH_PRIORITY,
        JOB_BATCHES.FINISH_MAX_ATTEMPTS),
    SUCCESS(
        JOB_BATCHES.SUCCESS_KIND,
        JOB_BATCHES.SUCCESS_QUEUE,
        JOB_BATCHES.SUCCESS_PAYLOAD,
        JOB_BATCHES.SUCCESS_PAYLOAD_VERSION,
        JOB_BATCHES.SUCCESS_PRIORITY,
        JOB_BATCHES.SUCCESS_MAX_ATTEMPTS),
    FIRST_DEAD(
        JOB_BATCHES.FIRST_DEAD_KIND,
        JOB_BATCHES.FIRST_DEAD_QUEUE,
        JOB_BATCHES.FIRST_DEAD_PAYLOAD,
        JOB_BATCHES.FIRST_DEAD_PAYLOAD_VERSION,
        JOB_BATCHES.FIRST_DEAD_PRIORITY,
        JOB_BATCHES.FIRST_DEAD_MAX_ATTEMPTS);

    final Field<String> kind;
    final Field<String> queue;
    final Field<JSONB> payload;
    final Field<Integer> payloadVersion;
    final Field<Short> priority;
    final Field<Integer> maxAttempts;

    Event(
        Field<String> kind,
        Field<String> queue,
        Field<JSONB> payload,
        Field<Integer> payloadVersion,
        Field<Short> priority,
        Field<Integer> maxAttempts) {
      this.kind = kind;
      this.queue = queue;
      this.payload = payload;
      this.payloadVersion = payloadVersion;
      this.priority = priority;
      this.maxAttempts = maxAttempts;
    }

    List<Field<?>> columns() {
      return List.of(kind, queue, payload, payloadVersion, priority, maxAttempts);
    }

    /** Reads the callback of a batch from {@link #columns}, or null if it has none. */
    @Nullable Callback read(Row row) throws SQLException {
      String stored = row.textOrNull(kind);
      if (stored == null) {
        return null;
      }
      String queueOrNull = row.textOrNull(queue);
      String payloadOrNull = row.textOrNull(payload);
      Integer version = row.integerOrNull(payloadVersion);
      return new Callback(
          stored,
          queueOrNull == null ? JobType.DEFAULT_QUEUE : queueOrNull,
          payloadOrNull == null ? "null" : payloadOrNull,
          version == null ? 1 : version,
          row.integerOrNull(priority),
          row.integerOrNull(maxAttempts));
    }
  }

  /**
   * Creates a callback from the job that it enqueues.
   *
   * @throws IllegalArgumentException if the type gives the job an ordering key or a group, because
   *     callbacks have none
   */
  static Callback of(NewJob job) {
    if (job.orderingKey() != null || job.group() != null) {
      throw new IllegalArgumentException(
          "Kind '%s' cannot be a callback of a batch, because its type gives the job an ordering key or a group. Use a type without them."
              .formatted(job.kind()));
    }
    return new Callback(
        job.kind(),
        job.queue(),
        job.payload(),
        job.payloadVersion(),
        job.priority(),
        job.maxAttempts());
  }

  /**
   * Returns the job to enqueue.
   *
   * @param owner the batch that contains the batch, or null
   */
  NewJob job(@Nullable Long owner) {
    // The column may hold any number, and a batch must finish nevertheless.
    JobType<Object> type =
        JobType.of(kind, Object.class).onQueue(queue).payloadVersion(Math.max(payloadVersion, 1));
    type = priority == null ? type : type.priority(priority);
    type = maxAttempts == null ? type : type.maxAttempts(maxAttempts);
    NewJob job = NewJob.of(type, payload, EnqueueOptions.none());
    return owner == null ? job : job.ownedBy(owner);
  }
}
