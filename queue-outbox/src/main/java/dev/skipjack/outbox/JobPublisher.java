package dev.skipjack.outbox;

import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.StoredKey;
import dev.skipjack.store.jooq.JobQueue;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Function;

/**
 * A publisher that enqueues a job for each event, for example in the database of another service.
 * The idempotency key contains the event's id, so an event that is published again within 24 hours
 * enqueues no second job. The aggregate is the ordering key, so its jobs run in the order of its
 * events.
 */
public final class JobPublisher<T> implements Publisher {

  private final JobQueue queue;
  private final JobType<T> type;
  private final Function<RecordedEvent, T> payload;

  private JobPublisher(JobQueue queue, JobType<T> type, Function<RecordedEvent, T> payload) {
    this.queue = queue;
    this.type = type;
    this.payload = payload;
  }

  /**
   * Creates a publisher.
   *
   * @param <T> the type of the payload
   * @param queue the queue in which the jobs are enqueued
   * @param type the jobs' type
   * @param payload creates the payload of an event's job; a new object for each call
   * @return the publisher
   */
  public static <T> JobPublisher<T> to(
      JobQueue queue, JobType<T> type, Function<RecordedEvent, T> payload) {
    return new JobPublisher<>(queue, type, payload);
  }

  @Override
  public List<PublishResult> publish(EventBatch batch) {
    IdentityHashMap<T, RecordedEvent> events = new IdentityHashMap<>();
    List<T> payloads =
        batch.events().stream()
            .map(
                event -> {
                  T job = payload.apply(event);
                  if (events.put(job, event) != null) {
                    throw new IllegalStateException(
                        "Two events have the same payload object. Create a new one for each.");
                  }
                  return job;
                })
            .toList();
    queue.enqueueAllOnce(
        type,
        payloads,
        (job, options) -> {
          RecordedEvent event = events.get(job);
          if (event == null) {
            throw new IllegalStateException("A payload belongs to no event.");
          }
          return options
              .idempotencyKey(idempotencyKey(event))
              .orderingKey(orderingKey(event.aggregate()));
        });
    return batch.events().stream().map(event -> PublishResult.sent()).toList();
  }

  /**
   * The position comes first because jobs with idempotency keys are inserted in the order of their
   * keys, and ids of the same millisecond are not ordered.
   */
  private static String idempotencyKey(RecordedEvent event) {
    return "outbox/%016x/%s".formatted(event.position(), event.id());
  }

  private static String orderingKey(Aggregate aggregate) {
    return StoredKey.of("Aggregate", "outbox", aggregate.type() + "/" + aggregate.id()).text();
  }
}
