package dev.skipjack.api.spi;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobType;
import dev.skipjack.api.OrderingPolicy;
import dev.skipjack.api.schedule.ScheduledFire;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A job to insert: its type, its encoded payload, its options and, optionally, a unique key or an
 * idempotency key. Instances are immutable; methods that change a property return a new instance.
 */
public final class NewJob {

  private final JobType<?> type;
  private final String payload;
  private final EnqueueOptions options;
  private final @Nullable UniqueKey uniqueKey;
  private final @Nullable IdempotencyKey idempotencyKey;
  private final @Nullable ScheduledFire fire;
  private final @Nullable Long owner;
  private final Map<String, String> headers;

  private NewJob(
      JobType<?> type,
      String payload,
      EnqueueOptions options,
      @Nullable UniqueKey uniqueKey,
      @Nullable IdempotencyKey idempotencyKey,
      @Nullable ScheduledFire fire,
      @Nullable Long owner) {
    if (uniqueKey != null && idempotencyKey != null) {
      throw twoKeys(type);
    }
    if (owner != null && (uniqueKey != null || idempotencyKey != null)) {
      throw new IllegalArgumentException(
          "A job of kind '%s' has an owner and a key. A job of a batch or a join can have neither a unique key nor an idempotency key."
              .formatted(type.kind()));
    }
    this.type = type;
    this.payload = payload;
    this.options = options;
    this.uniqueKey = uniqueKey;
    this.idempotencyKey = idempotencyKey;
    this.fire = fire;
    this.owner = owner;
    this.headers = headers(options, fire, owner);
  }

  private static Map<String, String> headers(
      EnqueueOptions options, @Nullable ScheduledFire fire, @Nullable Long owner) {
    Map<String, String> headers = options.headers();
    if (fire != null) {
      headers = Headers.withReserved(headers, Headers.SCHEDULE, fire.text());
    }
    return owner == null ? headers : Headers.withReserved(headers, Headers.OWNER, owner.toString());
  }

  /**
   * {@return a job of {@code type} with {@code options}, including their idempotency key}
   *
   * @param type the job's type
   * @param payload the payload, as a JSON document
   * @param options the options of the job
   */
  public static NewJob of(JobType<?> type, String payload, EnqueueOptions options) {
    IdempotencyKey key =
        options
            .idempotencyKey()
            .map(given -> IdempotencyKey.ofKind(type.kind(), given, options.idempotencyKept()))
            .orElse(null);
    return new NewJob(type, payload, options, null, key, null, null);
  }

  /**
   * {@return this job with a unique key}
   *
   * @param key the key
   * @throws IllegalArgumentException if the job has an idempotency key, because it cannot have both
   */
  public NewJob unique(UniqueKey key) {
    return new NewJob(type, payload, options, key, idempotencyKey, fire, owner);
  }

  /**
   * {@return this job with an idempotency key}
   *
   * @param key the key
   * @throws IllegalArgumentException if the job already has a key
   */
  public NewJob once(IdempotencyKey key) {
    if (idempotencyKey != null) {
      throw twoKeys(type);
    }
    return new NewJob(type, payload, options, uniqueKey, key, fire, owner);
  }

  /**
   * {@return this job, due {@code delay} after the enqueue}
   *
   * @param delay the delay
   */
  public NewJob delayed(Duration delay) {
    return with(options.delay(delay));
  }

  /**
   * {@return this job with {@code tags}, which replace its existing tags}
   *
   * @param tags the new tags
   * @throws IllegalArgumentException if a tag is invalid or there are too many; see {@link
   *     EnqueueOptions#tags(List)}
   */
  public NewJob tagged(List<String> tags) {
    return with(options.tags(tags));
  }

  /**
   * {@return this job as part of a trace}
   *
   * @param traceparent the value of the header {@code traceparent}
   * @throws IllegalArgumentException if {@code traceparent} is not valid; see {@link
   *     Traceparent#require}
   */
  public NewJob traced(String traceparent) {
    return with(options.traceparent(traceparent));
  }

  /**
   * {@return this job with {@code headers}, which replace those of the same names}
   *
   * @param headers the headers, by name
   * @throws IllegalArgumentException if a header is not allowed, or the headers are too large; see
   *     {@link EnqueueOptions#header}
   */
  public NewJob withHeaders(Map<String, String> headers) {
    return with(options.headers(headers));
  }

  /**
   * {@return this job without the header of this name, if there is one}
   *
   * @param name the name of the header
   */
  public NewJob withoutHeader(String name) {
    return with(options.withoutHeader(name));
  }

  /**
   * {@return this job, marked as enqueued by a schedule}
   *
   * @param cause the planned time that created the job
   */
  public NewJob firedBy(ScheduledFire cause) {
    return new NewJob(type, payload, options, uniqueKey, idempotencyKey, cause, owner);
  }

  /**
   * {@return this job with an owner: the batch that it belongs to, or the batch of a join} The
   * owner is stored in the row, and in a header that every claim returns. A worker that ends such a
   * job then checks whether it was the last job of its owner. The job is archived even if its queue
   * keeps no ended jobs.
   *
   * @param owner the id of the owner, above 0
   * @throws IllegalArgumentException if the job has a unique key or an idempotency key, or the
   *     headers become too large
   */
  public NewJob ownedBy(long owner) {
    return new NewJob(type, payload, options, uniqueKey, idempotencyKey, fire, owner);
  }

  private NewJob with(EnqueueOptions changed) {
    return new NewJob(type, payload, changed, uniqueKey, idempotencyKey, fire, owner);
  }

  /** {@return the queue of the job} */
  public String queue() {
    return options.queue().orElse(type.queue());
  }

  /** {@return the kind of the job} */
  public String kind() {
    return type.kind();
  }

  /** {@return the payload, as a JSON document} */
  public String payload() {
    return payload;
  }

  /** {@return the version of the payload's format} */
  public int payloadVersion() {
    return type.payloadVersion();
  }

  /** {@return the priority, or null for the default of the queue} */
  public @Nullable Integer priority() {
    return first(options.priority(), type.priority());
  }

  /** {@return the maximum number of attempts, or null for the default of the queue} */
  public @Nullable Integer maxAttempts() {
    return first(options.maxAttempts(), type.maxAttempts());
  }

  /**
   * {@return the instant at which the job is due, or null if it is due at the time of the enqueue}
   */
  public @Nullable Instant scheduledAt() {
    return options.scheduledAt().orElse(null);
  }

  /**
   * {@return the delay that is added to {@link #scheduledAt} or, if that is null, to the time of
   * the enqueue; not negative}
   */
  public Duration delay() {
    return options.delay();
  }

  /** {@return the tags, without duplicates} */
  public List<String> tags() {
    return options.tags();
  }

  /** {@return the unique key, or null if there is none} */
  public @Nullable UniqueKey uniqueKey() {
    return uniqueKey;
  }

  /**
   * {@return the idempotency key, or null if there is none} A job with a unique key never has one.
   */
  public @Nullable IdempotencyKey idempotencyKey() {
    return idempotencyKey;
  }

  /**
   * {@return the W3C traceparent of the enqueuer, which is passed to the handler, or null if there
   * is none}
   */
  public @Nullable String traceparent() {
    return headers.get(Headers.TRACEPARENT);
  }

  /** {@return the headers by name, including those that Skipjack sets; unmodifiable} */
  public Map<String, String> headers() {
    return headers;
  }

  /** {@return the ordering key, or null if the job has none} */
  public @Nullable String orderingKey() {
    return options.orderingKey().orElse(null);
  }

  /**
   * {@return what happens to the jobs behind this one in its ordering key if it becomes dead, or
   * null for {@link OrderingPolicy#BLOCK} and for a job without an ordering key}
   */
  public @Nullable OrderingPolicy orderingPolicy() {
    OrderingPolicy policy = type.orderingPolicy();
    return options.orderingKey().isEmpty() || policy == OrderingPolicy.BLOCK ? null : policy;
  }

  /**
   * {@return whether the job is ordered by commit within its ordering key; false for a job without
   * an ordering key}
   */
  public boolean hasStrictOrdering() {
    return options.orderingKey().isPresent()
        && (options.hasStrictOrdering() || type.hasStrictOrdering());
  }

  /** {@return the id of the job's owner, or null if it has none; see {@link #ownedBy}} */
  public @Nullable Long owner() {
    return owner;
  }

  /** {@return the group, or null if the job has none} */
  public @Nullable String group() {
    return options.group().orElse(null);
  }

  /** {@return whether workers are woken if the job is due immediately} */
  public boolean wakesUp() {
    return options.wakesUp();
  }

  /** Returns the kind and the queue, but not the payload, which may contain secrets. */
  @Override
  public String toString() {
    return "NewJob[%s, queue '%s']".formatted(kind(), queue());
  }

  private static @Nullable Integer first(OptionalInt ofJob, OptionalInt ofType) {
    OptionalInt given = ofJob.isPresent() ? ofJob : ofType;
    return given.isPresent() ? (Integer) given.getAsInt() : null;
  }

  private static IllegalArgumentException twoKeys(JobType<?> type) {
    return new IllegalArgumentException(
        "A job of kind '%s' has a unique key and an idempotency key. Give it one of them."
            .formatted(type.kind()));
  }
}
