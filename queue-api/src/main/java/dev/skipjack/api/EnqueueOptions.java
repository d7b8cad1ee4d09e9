package dev.skipjack.api;

import dev.skipjack.api.spi.StoredKey;
import dev.skipjack.api.spi.Traceparent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What one job has different from its type's defaults. Immutable: every method answers a new one.
 *
 * <pre>{@code queue.enqueue(SEND_WELCOME, payload, job -> job.delay(ofMinutes(30)).priority(5)); }
 * </pre>
 */
public final class EnqueueOptions {

  /** The longest delay that is accepted: 100 years of 365 days. */
  public static final Duration LONGEST_DELAY = Duration.ofDays(36_500);

  /** The latest instant at which a job may be due: {@link #LONGEST_DELAY} after the year 2025. */
  public static final Instant LATEST = Instant.parse("2026-01-01T00:00:00Z").plus(LONGEST_DELAY);

  /** How long an idempotency key is kept when nobody says: 24 hours. */
  public static final Duration DEFAULT_KEPT = Duration.ofHours(24);

  private static final EnqueueOptions NONE =
      new EnqueueOptions(
          Duration.ZERO,
          Optional.empty(),
          OptionalInt.empty(),
          OptionalInt.empty(),
          Optional.empty(),
          List.of(),
          Optional.empty(),
          DEFAULT_KEPT,
          Optional.empty(),
          true);

  private final Duration delay;
  private final Optional<Instant> scheduledAt;
  private final OptionalInt priority;
  private final OptionalInt maxAttempts;
  private final Optional<String> queue;
  private final List<String> tags;
  private final Optional<String> idempotencyKey;
  private final Duration idempotencyKept;
  private final Optional<String> traceparent;
  private final boolean wakesUp;

  private EnqueueOptions(
      Duration delay,
      Optional<Instant> scheduledAt,
      OptionalInt priority,
      OptionalInt maxAttempts,
      Optional<String> queue,
      List<String> tags,
      Optional<String> idempotencyKey,
      Duration idempotencyKept,
      Optional<String> traceparent,
      boolean wakesUp) {
    this.delay = delay;
    this.scheduledAt = scheduledAt;
    this.priority = priority;
    this.maxAttempts = maxAttempts;
    this.queue = queue;
    this.tags = tags;
    this.idempotencyKey = idempotencyKey;
    this.idempotencyKept = idempotencyKept;
    this.traceparent = traceparent;
    this.wakesUp = wakesUp;
  }

  /** Nothing different. */
  public static EnqueueOptions none() {
    return NONE;
  }

  /**
   * Due {@code delay} after the enqueue, measured by the database's clock. Replaces {@link #at}.
   *
   * @param delay 0 to {@link #LONGEST_DELAY}, microsecond precision
   */
  public EnqueueOptions delay(Duration delay) {
    return due(Limits.delay(delay), Optional.empty());
  }

  /**
   * Due at {@code instant}; one in the past means now. Replaces {@link #delay}.
   *
   * @param instant at most {@link #LATEST}
   */
  public EnqueueOptions at(Instant instant) {
    if (instant.isAfter(LATEST)) {
      throw new IllegalArgumentException("Schedule %s is after %s.".formatted(instant, LATEST));
    }
    return due(
        Duration.ZERO, Optional.of(instant.isBefore(Instant.EPOCH) ? Instant.EPOCH : instant));
  }

  private EnqueueOptions due(Duration delay, Optional<Instant> scheduledAt) {
    return new EnqueueOptions(
        delay,
        scheduledAt,
        priority,
        maxAttempts,
        queue,
        tags,
        idempotencyKey,
        idempotencyKept,
        traceparent,
        wakesUp);
  }

  /** Served before lower ones of its queue: -100 to 100. */
  public EnqueueOptions priority(int priority) {
    return new EnqueueOptions(
        delay,
        scheduledAt,
        OptionalInt.of(Limits.priority(priority)),
        maxAttempts,
        queue,
        tags,
        idempotencyKey,
        idempotencyKept,
        traceparent,
        wakesUp);
  }

  /** Dead after this many used attempts, at least 1. */
  public EnqueueOptions maxAttempts(int maxAttempts) {
    return new EnqueueOptions(
        delay,
        scheduledAt,
        priority,
        OptionalInt.of(Limits.maxAttempts(maxAttempts)),
        queue,
        tags,
        idempotencyKey,
        idempotencyKept,
        traceparent,
        wakesUp);
  }

  /** Into this queue (1 to 63 of {@code a-z 0-9 _ . -}) instead of the type's. */
  public EnqueueOptions onQueue(String queue) {
    return new EnqueueOptions(
        delay,
        scheduledAt,
        priority,
        maxAttempts,
        Optional.of(Names.require("Queue", queue)),
        tags,
        idempotencyKey,
        idempotencyKept,
        traceparent,
        wakesUp);
  }

  /** As {@link #tags(List)}. */
  public EnqueueOptions tags(String first, String... more) {
    List<String> all = new ArrayList<>();
    all.add(first);
    all.addAll(List.of(more));
    return tags(all);
  }

  /**
   * With labels for people and filters. Replaces earlier ones; one that is repeated counts once.
   *
   * @param tags at most 20, each 1 to 63 characters without control characters and without a space
   *     at either end
   */
  public EnqueueOptions tags(List<String> tags) {
    return new EnqueueOptions(
        delay,
        scheduledAt,
        priority,
        maxAttempts,
        queue,
        Tags.require(tags),
        idempotencyKey,
        idempotencyKept,
        traceparent,
        wakesUp);
  }

  /** As {@link #idempotencyKey(String, Duration)}, kept for {@link #DEFAULT_KEPT}. */
  public EnqueueOptions idempotencyKey(String key) {
    return idempotencyKey(key, DEFAULT_KEPT);
  }

  /**
   * Makes a repeat of this enqueue safe, after a timeout or a lost connection for instance. While
   * the key is kept, another enqueue of the same kind with the same key creates nothing and answers
   * the first job, however long that one is done and whatever the second payload says. Afterwards
   * the key is free.
   *
   * <p>Not the same as a unique job, whose key is free when the job ends. Take what names the
   * request, such as an order's number or an id made once by the client; never a random value made
   * for each try.
   *
   * @param key 1 to 1,000,000 characters, without NUL and lone surrogates; of more than 200 bytes
   *     only a hash is stored
   * @param kept longer than zero, at most {@link #LONGEST_DELAY}, counted from the first enqueue by
   *     the database's clock; longer than any repeat can come late
   */
  public EnqueueOptions idempotencyKey(String key, Duration kept) {
    return new EnqueueOptions(
        delay,
        scheduledAt,
        priority,
        maxAttempts,
        queue,
        tags,
        Optional.of(StoredKey.require("Idempotency key", key)),
        Limits.kept(kept),
        traceparent,
        wakesUp);
  }

  /**
   * As part of a trace: the handler finds it in what it is given, and can go on with the trace.
   *
   * @param traceparent the W3C header's value, {@code 00-<trace id>-<parent id>-<flags>} in
   *     lower-case hex digits; neither id all zeros, version not {@code ff}
   */
  public EnqueueOptions traceparent(String traceparent) {
    return new EnqueueOptions(
        delay,
        scheduledAt,
        priority,
        maxAttempts,
        queue,
        tags,
        idempotencyKey,
        idempotencyKept,
        Optional.of(Traceparent.require(traceparent)),
        wakesUp);
  }

  /**
   * Without waking workers: they find the job with their next poll. For jobs that nobody waits for,
   * in bulk above all, since a wake-up takes a lock of the whole database when it commits.
   */
  public EnqueueOptions withoutWakeUp() {
    return new EnqueueOptions(
        delay,
        scheduledAt,
        priority,
        maxAttempts,
        queue,
        tags,
        idempotencyKey,
        idempotencyKept,
        traceparent,
        false);
  }

  /** How long after the enqueue the job is due; zero when {@link #scheduledAt} decides. */
  public Duration delay() {
    return delay;
  }

  /** When the job is due, if an instant was given. */
  public Optional<Instant> scheduledAt() {
    return scheduledAt;
  }

  /** The priority, if one was given. */
  public OptionalInt priority() {
    return priority;
  }

  /** The attempts, if a limit was given. */
  public OptionalInt maxAttempts() {
    return maxAttempts;
  }

  /** The queue, if one was given. */
  public Optional<String> queue() {
    return queue;
  }

  /** The labels, in the order given. */
  public List<String> tags() {
    return tags;
  }

  /** The idempotency key, if one was given. */
  public Optional<String> idempotencyKey() {
    return idempotencyKey;
  }

  /** How long that key is kept. */
  public Duration idempotencyKept() {
    return idempotencyKept;
  }

  /** Whether workers are woken when the job is due at once. */
  public boolean wakesUp() {
    return wakesUp;
  }

  /** The trace that the job belongs to, if one was given. */
  public Optional<String> traceparent() {
    return traceparent;
  }
}
