package dev.skipjack.api;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Describes a kind of job to those who enqueue it and to the worker that handles it: its name in
 * the database, the class of its payload, and its defaults.
 *
 * <p>Declare one constant for each kind and share it; producers need no handler. Immutable: every
 * method answers a new one.
 *
 * <pre>{@code
 * static final JobType<SendWelcome> SEND_WELCOME =
 *     JobType.of("send-welcome", SendWelcome.class).onQueue("emails").maxAttempts(8);
 * }</pre>
 *
 * @param <T> the payload: a class that the {@link PayloadCodec} can write and read, a record for
 *     instance
 */
public final class JobType<T> {

  /** The queue of jobs that name none. */
  public static final String DEFAULT_QUEUE = "default";

  /** Attempts of jobs that set no limit, in queues that set none. */
  public static final int DEFAULT_MAX_ATTEMPTS = 25;

  private final String kind;
  private final Class<T> payloadClass;
  private final String queue;
  private final OptionalInt priority;
  private final OptionalInt maxAttempts;
  private final Backoff backoff;
  private final Optional<Duration> timeout;
  private final int payloadVersion;

  private JobType(
      String kind,
      Class<T> payloadClass,
      String queue,
      OptionalInt priority,
      OptionalInt maxAttempts,
      Backoff backoff,
      Optional<Duration> timeout,
      int payloadVersion) {
    this.kind = kind;
    this.payloadClass = payloadClass;
    this.queue = queue;
    this.priority = priority;
    this.maxAttempts = maxAttempts;
    this.backoff = backoff;
    this.timeout = timeout;
    this.payloadVersion = payloadVersion;
  }

  /**
   * A type with the defaults: queue {@value #DEFAULT_QUEUE}, {@link Backoff#standard()}, no
   * timeout, and the priority and attempts of the queue that the job goes to: those of the queue's
   * settings in the database, or else priority 0 and {@value #DEFAULT_MAX_ATTEMPTS} attempts.
   *
   * @param kind stable name in the database, 1 to 63 of {@code a-z 0-9 _ . -}; never a class name,
   *     because classes move
   * @param payloadClass what the payload is read as
   */
  public static <T> JobType<T> of(String kind, Class<T> payloadClass) {
    return new JobType<>(
        Names.require("Kind", kind),
        payloadClass,
        DEFAULT_QUEUE,
        OptionalInt.empty(),
        OptionalInt.empty(),
        Backoff.standard(),
        Optional.empty(),
        1);
  }

  /** This, enqueued into {@code queue} (1 to 63 of {@code a-z 0-9 _ . -}). */
  public JobType<T> onQueue(String queue) {
    return new JobType<>(
        kind,
        payloadClass,
        Names.require("Queue", queue),
        priority,
        maxAttempts,
        backoff,
        timeout,
        payloadVersion);
  }

  /**
   * This, with a default priority, whatever the queue's: -100 to 100, higher is served first inside
   * a queue.
   */
  public JobType<T> priority(int priority) {
    return new JobType<>(
        kind,
        payloadClass,
        queue,
        OptionalInt.of(Limits.priority(priority)),
        maxAttempts,
        backoff,
        timeout,
        payloadVersion);
  }

  /** This, dead after {@code maxAttempts} used attempts, at least 1, whatever the queue's. */
  public JobType<T> maxAttempts(int maxAttempts) {
    return new JobType<>(
        kind,
        payloadClass,
        queue,
        priority,
        OptionalInt.of(Limits.maxAttempts(maxAttempts)),
        backoff,
        timeout,
        payloadVersion);
  }

  /** This, waiting as {@code backoff} says between attempts. */
  public JobType<T> retry(Backoff backoff) {
    return new JobType<>(
        kind, payloadClass, queue, priority, maxAttempts, backoff, timeout, payloadVersion);
  }

  /**
   * This, with attempts interrupted after {@code timeout}, which is positive. It is separate from
   * the lease.
   */
  public JobType<T> timeout(Duration timeout) {
    if (timeout.isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException(
          "Timeout %s of kind '%s' is not positive.".formatted(timeout, kind));
    }
    return new JobType<>(
        kind,
        payloadClass,
        queue,
        priority,
        maxAttempts,
        backoff,
        Optional.of(timeout),
        payloadVersion);
  }

  /** This, writing payloads of shape {@code version}, at least 1. */
  public JobType<T> payloadVersion(int version) {
    if (version < 1) {
      throw new IllegalArgumentException(
          "Payload version %d of kind '%s' is below 1.".formatted(version, kind));
    }
    return new JobType<>(
        kind, payloadClass, queue, priority, maxAttempts, backoff, timeout, version);
  }

  /** Stable name in the database. */
  public String kind() {
    return kind;
  }

  /** What the payload is read as. */
  public Class<T> payloadClass() {
    return payloadClass;
  }

  /** Queue of jobs that name none. */
  public String queue() {
    return queue;
  }

  /** Priority of jobs that name none; empty: the queue's. */
  public OptionalInt priority() {
    return priority;
  }

  /** Used attempts after which a job is dead; empty: the queue's. */
  public OptionalInt maxAttempts() {
    return maxAttempts;
  }

  /** Wait between attempts. */
  public Backoff backoff() {
    return backoff;
  }

  /** Longest time an attempt may take; empty: no limit. */
  public Optional<Duration> timeout() {
    return timeout;
  }

  /** Shape of the payloads that are written. */
  public int payloadVersion() {
    return payloadVersion;
  }

  /** Kind and payload class, for messages. */
  @Override
  public String toString() {
    return "JobType[%s, %s]".formatted(kind, payloadClass.getName());
  }
}
