package dev.skipjack.api;

import dev.skipjack.api.spi.GroupKey;
import dev.skipjack.api.spi.Headers;
import dev.skipjack.api.spi.Limits;
import dev.skipjack.api.spi.Names;
import dev.skipjack.api.spi.OrderingKey;
import dev.skipjack.api.spi.StoredKey;
import dev.skipjack.api.spi.Tags;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * Options for a single job, which override the defaults of its type. Instances are immutable;
 * methods that set an option return a new instance.
 *
 * <pre>{@code queue.enqueue(SEND_WELCOME, payload, job -> job.delay(ofMinutes(30)).priority(5)); }
 * </pre>
 */
public final class EnqueueOptions {

  /** The maximum delay: 100 years of 365 days. */
  public static final Duration LONGEST_DELAY = Duration.ofDays(36_500);

  /** The latest instant at which a job may be due: {@link #LONGEST_DELAY} after the end of 2025. */
  public static final Instant LATEST = Instant.parse("2026-01-01T00:00:00Z").plus(LONGEST_DELAY);

  /** The default lifetime of an idempotency key: 24 hours. */
  public static final Duration DEFAULT_KEPT = Duration.ofHours(24);

  private static final EnqueueOptions NONE = new EnqueueOptions(new Draft());

  private final Draft draft;

  private EnqueueOptions(Draft draft) {
    this.draft = draft;
  }

  /**
   * The options with their defaults. A draft is modified only while new options are being created.
   */
  private static final class Draft implements Cloneable {

    private Duration delay = Duration.ZERO;
    private Optional<Instant> scheduledAt = Optional.empty();
    private OptionalInt priority = OptionalInt.empty();
    private OptionalInt maxAttempts = OptionalInt.empty();
    private Optional<String> queue = Optional.empty();
    private List<String> tags = List.of();
    private Optional<String> idempotencyKey = Optional.empty();
    private Duration idempotencyKept = DEFAULT_KEPT;
    private Map<String, String> headers = Map.of();
    private Optional<String> orderingKey = Optional.empty();
    private boolean strictOrdering;
    private Optional<String> group = Optional.empty();
    private boolean wakesUp = true;

    /** Clones this draft, so that fields added later are copied too. */
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

  /** {@return options that set nothing} The defaults of the job's type and queue apply. */
  public static EnqueueOptions none() {
    return NONE;
  }

  /**
   * Sets the delay after which the job is due, measured from the enqueue by the database clock.
   * Overrides an earlier {@link #at}. Defaults to zero.
   *
   * @param delay the delay, from zero to {@link #LONGEST_DELAY}, with microsecond precision
   * @return a copy with this change
   */
  public EnqueueOptions delay(Duration delay) {
    return due(Limits.delay(delay), Optional.empty());
  }

  /**
   * Sets the instant at which the job is due. An instant in the past makes the job due immediately.
   * Overrides an earlier {@link #delay}. Defaults to the time of the enqueue.
   *
   * @param instant the due time, at most {@link #LATEST}
   * @return a copy with this change
   */
  public EnqueueOptions at(Instant instant) {
    return due(Duration.ZERO, Optional.of(Limits.scheduledAt(instant)));
  }

  /**
   * Sets the priority of the job within its queue, from -100 (lowest) to 100 (highest). Defaults to
   * the priority of the type, then to that of the queue, then to 0.
   *
   * @param priority the priority, from -100 (lowest) to 100
   * @return a copy with this change
   */
  public EnqueueOptions priority(int priority) {
    OptionalInt checked = OptionalInt.of(Limits.priority(priority));
    return with(draft -> draft.priority = checked);
  }

  /**
   * Sets the maximum number of attempts, from 1 to 1,000,000, after which a failing job becomes
   * dead. Defaults to the maximum of the type, then to that of the queue, then to {@value
   * JobType#DEFAULT_MAX_ATTEMPTS}.
   *
   * @param maxAttempts the maximum number of attempts, from 1
   * @return a copy with this change
   */
  public EnqueueOptions maxAttempts(int maxAttempts) {
    OptionalInt checked = OptionalInt.of(Limits.maxAttempts(maxAttempts));
    return with(draft -> draft.maxAttempts = checked);
  }

  /**
   * Sets the queue of the job. The name has 1 to 63 of the characters {@code a-z 0-9 _ . -}.
   * Defaults to the queue of the type.
   *
   * @param queue the name of the queue
   * @return a copy with this change
   */
  public EnqueueOptions onQueue(String queue) {
    Optional<String> checked = Optional.of(Names.requireQueue(queue));
    return with(draft -> draft.queue = checked);
  }

  /**
   * Sets the tags of the job, as {@link #tags(List)} does.
   *
   * @param first the first tag
   * @param more further tags
   * @return a copy with this change
   */
  public EnqueueOptions tags(String first, String... more) {
    List<String> all = new ArrayList<>();
    all.add(first);
    all.addAll(List.of(more));
    return tags(all);
  }

  /**
   * Sets the tags of the job, which dashboards and queries can filter by. Replaces any tags set
   * earlier. Duplicates are removed. By default, a job has no tags.
   *
   * @param tags at most 20 tags of 1 to 63 characters each, without control characters and without
   *     leading or trailing spaces
   * @return a copy with this change
   */
  public EnqueueOptions tags(List<String> tags) {
    List<String> checked = Tags.require(tags);
    return with(draft -> draft.tags = checked);
  }

  /**
   * Sets an idempotency key that is kept for {@link #DEFAULT_KEPT}; see {@link
   * #idempotencyKey(String, Duration)}.
   *
   * @param key the key, as for that method
   * @return a copy with this change
   */
  public EnqueueOptions idempotencyKey(String key) {
    return idempotencyKey(key, DEFAULT_KEPT);
  }

  /**
   * Sets an idempotency key, which makes it safe to repeat the enqueue, for example after a timeout
   * or a lost connection. While the key is kept, another enqueue with the same kind and key creates
   * no job and returns the first job. This holds even if that job has ended or the payloads differ.
   * Once the key has expired, it can be used again. By default, a job has no idempotency key.
   *
   * <p>Unlike the key of a unique job, an idempotency key is not released when the job ends. Use a
   * value that identifies the request, such as an order number or an id that the client generates
   * once. Do not use a random value that is generated again for each retry.
   *
   * @param key 1 to 1,000,000 characters, without NUL or lone surrogates; if the key is longer than
   *     200 bytes, only its hash is stored
   * @param kept how long the key is kept, measured from the first enqueue by the database clock;
   *     positive and at most {@link #LONGEST_DELAY}. Choose a duration longer than the period in
   *     which the enqueue may be repeated.
   * @return a copy with this change
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
   * Sets the trace that the job belongs to. It is stored with the job and passed to the handler,
   * which can continue the trace. Sets the header {@code traceparent}. By default, a job belongs to
   * no trace.
   *
   * @param traceparent the value of the W3C header, {@code <version>-<trace id>-<parent
   *     id>-<flags>}, in lowercase hexadecimal digits; neither id may be all zeros, and the version
   *     must not be {@code ff}
   * @return a copy with this change
   */
  public EnqueueOptions traceparent(String traceparent) {
    return header(Headers.TRACEPARENT, traceparent);
  }

  /**
   * Adds a header, which is passed to the handler and inherited by follow-up jobs that the handler
   * enqueues. Use headers for the context of a job, such as a tenant or a trace, and the payload
   * for the data that the job processes. Replaces a header of the same name. By default, a job has
   * no headers.
   *
   * @param name lowercase HTTP token characters: {@code a-z 0-9 ! # $ % & ' * + . ^ _ ` | ~ -}.
   *     Names that begin with {@code skipjack-} are reserved.
   * @param value a text without control characters and lone surrogates. All headers of a job
   *     together have at most 4,096 bytes as JSON in UTF-8.
   * @return a copy with this change
   */
  public EnqueueOptions header(String name, String value) {
    Map<String, String> checked = Headers.with(draft.headers, name, value);
    return with(draft -> draft.headers = checked);
  }

  /**
   * Adds headers, as {@link #header} does for each of them.
   *
   * @param headers the headers, by name
   * @return a copy with this change
   */
  public EnqueueOptions headers(Map<String, String> headers) {
    Map<String, String> checked = Headers.with(draft.headers, headers);
    return with(draft -> draft.headers = checked);
  }

  /**
   * Removes a header, such as an inherited one. Has no effect if there is none of this name.
   *
   * @param name the name of the header
   * @return a copy with this change
   */
  public EnqueueOptions withoutHeader(String name) {
    Map<String, String> rest = Headers.without(draft.headers, name);
    return with(draft -> draft.headers = rest);
  }

  /**
   * Sets the ordering key of the job. Jobs with the same key run one after another, in the order in
   * which they were enqueued, regardless of their kinds, their queues and the number of workers. A
   * job that waits for a retry still holds the key. The default is the key of the job's type, or
   * none.
   *
   * @param key the key, 1 to 512 bytes in UTF-8, without NUL or lone surrogates
   * @return a copy with this change
   */
  public EnqueueOptions orderingKey(String key) {
    Optional<String> checked = Optional.of(OrderingKey.require(key));
    return with(draft -> draft.orderingKey = checked);
  }

  /**
   * Orders the job by commit within its ordering key, as {@link JobType#strictOrdering} does for
   * all jobs of a type. This has no effect on a job without an ordering key.
   *
   * @return a copy with this change
   */
  public EnqueueOptions strictOrdering() {
    return with(draft -> draft.strictOrdering = true);
  }

  /**
   * Sets the group of the job: the tenant, customer or resource that it belongs to. A fair queue
   * serves its groups in turn, and a limit can hold the number of running jobs of each group down.
   * In other queues, a group has no effect. The default is the group of the job's type, or none.
   *
   * @param group the name of the group, 1 to 200 bytes in UTF-8, without NUL or lone surrogates
   * @return a copy with this change
   */
  public EnqueueOptions group(String group) {
    Optional<String> checked = Optional.of(GroupKey.require(group));
    return with(draft -> draft.group = checked);
  }

  /**
   * Disables the wake-up of workers, which then find the job at their next poll. Use this for many
   * jobs that are not urgent, because the commit of a transaction with a wake-up takes a lock on
   * the whole server. By default, workers are woken if the job is due immediately.
   *
   * @return a copy with this change
   */
  public EnqueueOptions withoutWakeUp() {
    return with(draft -> draft.wakesUp = false);
  }

  /** {@return the delay after the enqueue; zero if {@link #scheduledAt} is set} */
  public Duration delay() {
    return draft.delay;
  }

  /** {@return the instant at which the job is due, or empty if none was set} */
  public Optional<Instant> scheduledAt() {
    return draft.scheduledAt;
  }

  /** {@return the priority, or empty if none was set} */
  public OptionalInt priority() {
    return draft.priority;
  }

  /** {@return the maximum number of attempts, or empty if none was set} */
  public OptionalInt maxAttempts() {
    return draft.maxAttempts;
  }

  /** {@return the queue, or empty if none was set} */
  public Optional<String> queue() {
    return draft.queue;
  }

  /** {@return the tags, in the given order and without duplicates} */
  public List<String> tags() {
    return draft.tags;
  }

  /** {@return the idempotency key, or empty if none was set} */
  public Optional<String> idempotencyKey() {
    return draft.idempotencyKey;
  }

  /** {@return how long the idempotency key is kept} */
  public Duration idempotencyKept() {
    return draft.idempotencyKept;
  }

  /** {@return whether workers are woken if the job is due immediately} */
  public boolean wakesUp() {
    return draft.wakesUp;
  }

  /** {@return the ordering key, or empty if none was set} */
  public Optional<String> orderingKey() {
    return draft.orderingKey;
  }

  /** {@return whether {@link #strictOrdering} was called} */
  public boolean hasStrictOrdering() {
    return draft.strictOrdering;
  }

  /** {@return the group, or empty if none was set} */
  public Optional<String> group() {
    return draft.group;
  }

  /** {@return the W3C traceparent, or empty if none was set} */
  public Optional<String> traceparent() {
    return Optional.ofNullable(draft.headers.get(Headers.TRACEPARENT));
  }

  /** {@return the headers by name; unmodifiable} */
  public Map<String, String> headers() {
    return draft.headers;
  }
}
