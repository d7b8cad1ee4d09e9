package dev.skipjack.api;

import dev.skipjack.api.spi.Names;
import dev.skipjack.api.spi.StoredKey;
import dev.skipjack.api.spi.Traceparent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * Options of one job, which override the defaults of its type. Immutable: every method returns a
 * new instance.
 *
 * <pre>{@code queue.enqueue(SEND_WELCOME, payload, job -> job.delay(ofMinutes(30)).priority(5)); }
 * </pre>
 */
public final class EnqueueOptions {

  /** The longest delay that is accepted: 100 years of 365 days. */
  public static final Duration LONGEST_DELAY = Duration.ofDays(36_500);

  /** The latest instant at which a job may be due: {@link #LONGEST_DELAY} after the year 2025. */
  public static final Instant LATEST = Instant.parse("2026-01-01T00:00:00Z").plus(LONGEST_DELAY);

  /** How long an idempotency key is kept by default: 24 hours. */
  public static final Duration DEFAULT_KEPT = Duration.ofHours(24);

  private static final EnqueueOptions NONE = new EnqueueOptions(new Draft());

  private final Draft draft;

  private EnqueueOptions(Draft draft) {
    this.draft = draft;
  }

  /** The options with their defaults. Changed only while new options are made. */
  private static final class Draft implements Cloneable {

    private Duration delay = Duration.ZERO;
    private Optional<Instant> scheduledAt = Optional.empty();
    private OptionalInt priority = OptionalInt.empty();
    private OptionalInt maxAttempts = OptionalInt.empty();
    private Optional<String> queue = Optional.empty();
    private List<String> tags = List.of();
    private Optional<String> idempotencyKey = Optional.empty();
    private Duration idempotencyKept = DEFAULT_KEPT;
    private Optional<String> traceparent = Optional.empty();
    private boolean wakesUp = true;

    /** A clone, because it copies every field, also one that is added later. */
    private Draft copy() {
      try {
        return (Draft) clone();
      } catch (CloneNotSupportedException impossible) {
        throw new AssertionError(impossible);
      }
    }
  }

  private EnqueueOptions with(Consumer<Draft> change) {
    Draft changed = draft.copy();
    change.accept(changed);
    return new EnqueueOptions(changed);
  }

  private EnqueueOptions due(Duration delay, Optional<Instant> scheduledAt) {
    return with(
        draft -> {
          draft.delay = delay;
          draft.scheduledAt = scheduledAt;
        });
  }

  /** Returns options that set nothing, so that the defaults of the job's type and queue apply. */
  public static EnqueueOptions none() {
    return NONE;
  }

  /**
   * Delay after which the job is due, measured from the enqueue by the database's clock. Replaces
   * {@link #at}. Defaults to zero.
   *
   * @param delay from zero to {@link #LONGEST_DELAY}, microsecond precision
   */
  public EnqueueOptions delay(Duration delay) {
    return due(Limits.delay(delay), Optional.empty());
  }

  /**
   * Instant at which the job is due; an instant in the past makes it due now. Replaces {@link
   * #delay}. Defaults to now.
   *
   * @param instant at most {@link #LATEST}
   */
  public EnqueueOptions at(Instant instant) {
    return due(Duration.ZERO, Optional.of(Limits.scheduledAt(instant)));
  }

  /**
   * Priority of the job within its queue, from -100 (last) to 100 (first). Defaults to the type's
   * priority, then to the queue's, then to 0.
   */
  public EnqueueOptions priority(int priority) {
    OptionalInt checked = OptionalInt.of(Limits.priority(priority));
    return with(draft -> draft.priority = checked);
  }

  /**
   * Number of attempts after which a failing job is dead, from 1 to 1,000,000. Defaults to the
   * type's number, then to the queue's, then to {@value JobType#DEFAULT_MAX_ATTEMPTS}.
   */
  public EnqueueOptions maxAttempts(int maxAttempts) {
    OptionalInt checked = OptionalInt.of(Limits.maxAttempts(maxAttempts));
    return with(draft -> draft.maxAttempts = checked);
  }

  /**
   * Queue of the job, 1 to 63 characters of {@code a-z 0-9 _ . -}. Defaults to the type's queue.
   */
  public EnqueueOptions onQueue(String queue) {
    Optional<String> checked = Optional.of(Names.requireQueue(queue));
    return with(draft -> draft.queue = checked);
  }

  /** Like {@link #tags(List)}. */
  public EnqueueOptions tags(String first, String... more) {
    List<String> all = new ArrayList<>();
    all.add(first);
    all.addAll(List.of(more));
    return tags(all);
  }

  /**
   * Tags of the job, by which dashboards and queries filter. Replaces earlier tags; a repeated tag
   * is stored once. Defaults to none.
   *
   * @param tags at most 20, each 1 to 63 characters without control characters and without a space
   *     at either end
   */
  public EnqueueOptions tags(List<String> tags) {
    List<String> checked = Tags.require(tags);
    return with(draft -> draft.tags = checked);
  }

  /** Like {@link #idempotencyKey(String, Duration)}, kept for {@link #DEFAULT_KEPT}. */
  public EnqueueOptions idempotencyKey(String key) {
    return idempotencyKey(key, DEFAULT_KEPT);
  }

  /**
   * Idempotency key of the enqueue, which makes it safe to repeat, for example after a timeout or a
   * lost connection. While the key is kept, another enqueue of the same kind with the same key
   * creates nothing and returns the first job, even if that job has ended or the second payload
   * differs. After that time the key is free. Defaults to none.
   *
   * <p>This differs from the key of a unique job, which is free when the job ends. Use a value that
   * identifies the request, such as an order number or an id that the client generates once, but
   * never a random value that is generated again for each try.
   *
   * @param key 1 to 1,000,000 characters, without NUL or lone surrogates; of a key longer than 200
   *     bytes, only a hash is stored
   * @param kept how long the key is kept, counted from the first enqueue by the database's clock;
   *     longer than zero and at most {@link #LONGEST_DELAY}. It should be longer than the period in
   *     which the enqueue may be repeated.
   */
  public EnqueueOptions idempotencyKey(String key, Duration kept) {
    Optional<String> checked = Optional.of(StoredKey.require("Idempotency key", key));
    Duration checkedKept = Limits.kept(kept);
    return with(
        draft -> {
          draft.idempotencyKey = checked;
          draft.idempotencyKept = checkedKept;
        });
  }

  /**
   * Trace that the job belongs to. It is stored with the job and passed to the handler, which can
   * continue the trace. Defaults to none.
   *
   * @param traceparent the W3C header's value, {@code <version>-<trace id>-<parent id>-<flags>} in
   *     lower-case hex digits; neither id may be all zeros, and the version must not be {@code ff}
   */
  public EnqueueOptions traceparent(String traceparent) {
    Optional<String> checked = Optional.of(Traceparent.require(traceparent));
    return with(draft -> draft.traceparent = checked);
  }

  /**
   * Does not wake workers, which then find the job at their next poll. Use it for jobs that are not
   * urgent, above all in bulk: a wake-up takes a database-wide lock when it commits. By default,
   * workers are woken if the job is due at once.
   */
  public EnqueueOptions withoutWakeUp() {
    return with(draft -> draft.wakesUp = false);
  }

  /** The delay after the enqueue; zero if {@link #scheduledAt} is set. */
  public Duration delay() {
    return draft.delay;
  }

  /** The instant at which the job is due, or empty if none was set. */
  public Optional<Instant> scheduledAt() {
    return draft.scheduledAt;
  }

  /** The priority, or empty if none was set. */
  public OptionalInt priority() {
    return draft.priority;
  }

  /** The maximum number of attempts, or empty if none was set. */
  public OptionalInt maxAttempts() {
    return draft.maxAttempts;
  }

  /** The queue, or empty if none was set. */
  public Optional<String> queue() {
    return draft.queue;
  }

  /** The tags, in the order given and without repetition. */
  public List<String> tags() {
    return draft.tags;
  }

  /** The idempotency key, or empty if none was set. */
  public Optional<String> idempotencyKey() {
    return draft.idempotencyKey;
  }

  /** How long the idempotency key is kept. */
  public Duration idempotencyKept() {
    return draft.idempotencyKept;
  }

  /** Whether workers are woken if the job is due at once. */
  public boolean wakesUp() {
    return draft.wakesUp;
  }

  /** The W3C traceparent, or empty if none was set. */
  public Optional<String> traceparent() {
    return draft.traceparent;
  }
}
