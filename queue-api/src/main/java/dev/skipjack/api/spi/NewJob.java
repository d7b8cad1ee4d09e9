package dev.skipjack.api.spi;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobType;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * A job to be written: its type, its encoded payload and its options, and the key it must not share
 * with another job, if it has one. Immutable: every method that changes something returns a new
 * instance.
 */
public final class NewJob {

  private final JobType<?> type;
  private final String payload;
  private final EnqueueOptions options;
  private final @Nullable UniqueKey uniqueKey;
  private final @Nullable IdempotencyKey idempotencyKey;

  private NewJob(
      JobType<?> type,
      String payload,
      EnqueueOptions options,
      @Nullable UniqueKey uniqueKey,
      @Nullable IdempotencyKey idempotencyKey) {
    if (uniqueKey != null && idempotencyKey != null) {
      throw twoKeys(type);
    }
    this.type = type;
    this.payload = payload;
    this.options = options;
    this.uniqueKey = uniqueKey;
    this.idempotencyKey = idempotencyKey;
  }

  /**
   * Creates a job of {@code type} with {@code options}, including their idempotency key.
   *
   * @param payload one JSON document
   */
  public static NewJob of(JobType<?> type, String payload, EnqueueOptions options) {
    IdempotencyKey key =
        options
            .idempotencyKey()
            .map(given -> IdempotencyKey.ofKind(type.kind(), given, options.idempotencyKept()))
            .orElse(null);
    return new NewJob(type, payload, options, null, key);
  }

  /**
   * Returns this job, unique by {@code key}.
   *
   * @throws IllegalArgumentException if it has an idempotency key, because a job cannot have both
   */
  public NewJob unique(UniqueKey key) {
    return new NewJob(type, payload, options, key, idempotencyKey);
  }

  /**
   * Returns this job, holding {@code key} for the key's duration.
   *
   * @throws IllegalArgumentException if it has a key already
   */
  public NewJob once(IdempotencyKey key) {
    if (idempotencyKey != null) {
      throw twoKeys(type);
    }
    return new NewJob(type, payload, options, uniqueKey, key);
  }

  /** Returns this job, due {@code delay} after the enqueue. */
  public NewJob delayed(Duration delay) {
    return with(options.delay(delay));
  }

  /**
   * Returns this job, with {@code tags} instead of its own.
   *
   * @throws IllegalArgumentException as {@link EnqueueOptions#tags(List)}
   */
  public NewJob tagged(List<String> tags) {
    return with(options.tags(tags));
  }

  /**
   * Returns this job, as part of the trace of {@code traceparent}.
   *
   * @throws IllegalArgumentException as {@link Traceparent#require}
   */
  public NewJob traced(String traceparent) {
    return with(options.traceparent(traceparent));
  }

  private NewJob with(EnqueueOptions changed) {
    return new NewJob(type, payload, changed, uniqueKey, idempotencyKey);
  }

  /** Queue of the job. */
  public String queue() {
    return options.queue().orElse(type.queue());
  }

  /** Kind of the job. */
  public String kind() {
    return type.kind();
  }

  /** One JSON document. */
  public String payload() {
    return payload;
  }

  /** Version of the payload's format. */
  public int payloadVersion() {
    return type.payloadVersion();
  }

  /** Priority of the job; null for the queue's setting or, if it has none, 0. */
  public @Nullable Integer priority() {
    return first(options.priority(), type.priority());
  }

  /**
   * Maximum number of attempts; null for the queue's setting or, if it has none, {@link
   * JobType#DEFAULT_MAX_ATTEMPTS}.
   */
  public @Nullable Integer maxAttempts() {
    return first(options.maxAttempts(), type.maxAttempts());
  }

  /** Instant at which the job is due; null means now. */
  public @Nullable Instant scheduledAt() {
    return options.scheduledAt().orElse(null);
  }

  /** Delay that is added to {@link #scheduledAt} or now; not negative. */
  public Duration delay() {
    return options.delay();
  }

  /** Tags, each at most once. */
  public List<String> tags() {
    return options.tags();
  }

  /** Unique key; null unless the job is unique. */
  public @Nullable UniqueKey uniqueKey() {
    return uniqueKey;
  }

  /** Idempotency key; null unless the enqueue may be repeated. Never together with a unique key. */
  public @Nullable IdempotencyKey idempotencyKey() {
    return idempotencyKey;
  }

  /** W3C traceparent of the enqueuer, which is passed to the handler; null if there is none. */
  public @Nullable String traceparent() {
    return options.traceparent().orElse(null);
  }

  /** Whether workers are woken if the job is due at once. */
  public boolean wakesUp() {
    return options.wakesUp();
  }

  /** Kind and queue, but not the payload, which may contain secrets. */
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
