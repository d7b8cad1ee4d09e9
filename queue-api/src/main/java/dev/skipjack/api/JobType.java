package dev.skipjack.api;

import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.spi.Limits;
import dev.skipjack.api.spi.Names;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A type of job: its kind, the class of its payload, and the default options of its jobs. The code
 * that enqueues jobs and the worker that runs them use the same type.
 *
 * <p>Declare one constant for each kind. Code that only enqueues jobs needs no handler. Instances
 * are immutable; methods that change a setting return a new instance.
 *
 * <pre>{@code
 * static final JobType<SendWelcome> SEND_WELCOME =
 *     JobType.of("send-welcome", SendWelcome.class).onQueue("emails").maxAttempts(8);
 * }</pre>
 *
 * @param <T> the payload class, which the {@link PayloadCodec} must be able to encode and decode;
 *     for example a record
 */
public final class JobType<T> {

  /** The queue of jobs for which neither the options nor the type name one. */
  public static final String DEFAULT_QUEUE = "default";

  /**
   * The maximum number of attempts if neither the options, nor the type, nor the queue sets one.
   */
  public static final int DEFAULT_MAX_ATTEMPTS = 25;

  private final String kind;
  private final Class<T> payloadClass;
  private final Settings settings;

  private JobType(String kind, Class<T> payloadClass, Settings settings) {
    this.kind = kind;
    this.payloadClass = payloadClass;
    this.settings = settings;
  }

  /** The settings with their defaults. They are modified only while a new type is being created. */
  private static final class Settings implements Cloneable {

    private String queue = DEFAULT_QUEUE;
    private OptionalInt priority = OptionalInt.empty();
    private OptionalInt maxAttempts = OptionalInt.empty();
    private FailureRules failures = FailureRules.standard();
    private Optional<Duration> timeout = Optional.empty();
    private int payloadVersion = 1;
    private PayloadUpcaster upcaster = PayloadUpcaster.NONE;
    private @Nullable Function<Object, @Nullable String> orderingKey;
    private boolean strictOrdering;
    private OrderingPolicy orderingPolicy = OrderingPolicy.BLOCK;
    private @Nullable Function<Object, @Nullable String> group;

    /** Clones these settings, so that fields added later are copied too. */
    private Settings copy() {
      try {
        return (Settings) clone();
      } catch (CloneNotSupportedException impossible) {
        throw new AssertionError(impossible);
      }
    }
  }

  private JobType<T> with(Consumer<Settings> change) {
    Settings changed = settings.copy();
    change.accept(changed);
    return new JobType<>(kind, payloadClass, changed);
  }

  /**
   * Creates a type with the default settings: the queue {@value #DEFAULT_QUEUE}, {@link
   * Backoff#standard()} after any failure, and no timeout. Priority and maximum number of attempts
   * default to the settings of the job's queue in the database, then to 0 and {@value
   * #DEFAULT_MAX_ATTEMPTS}.
   *
   * @param <T> the type of the payload
   * @param kind the stable name of the type in the database, 1 to 63 of the characters {@code a-z
   *     0-9 _ . -}. Do not use a class name, because classes are renamed and moved
   * @param payloadClass the class that payloads are decoded to
   * @return the type
   */
  public static <T> JobType<T> of(String kind, Class<T> payloadClass) {
    String name = Names.requireKind(kind);
    return new JobType<>(name, require("Payload class", name, payloadClass), new Settings());
  }

  private <V> V require(String what, V value) {
    return require(what, kind, value);
  }

  private static <V> V require(String what, String kind, V value) {
    return Objects.requireNonNull(
        value, () -> "%s of kind '%s' must not be null.".formatted(what, kind));
  }

  /**
   * Sets the queue of the type's jobs. The name has 1 to 63 of the characters {@code a-z 0-9 _ .
   * -}. Defaults to {@value #DEFAULT_QUEUE}.
   *
   * @param queue the name of the queue
   * @return a copy with this change
   */
  public JobType<T> onQueue(String queue) {
    String name = Names.requireQueue(queue);
    return with(chosen -> chosen.queue = name);
  }

  /**
   * Sets the priority of the type's jobs within their queue, from -100 (lowest) to 100 (highest).
   * Defaults to the priority of the queue, then to 0.
   *
   * @param priority the priority, from -100 (lowest) to 100
   * @return a copy with this change
   */
  public JobType<T> priority(int priority) {
    OptionalInt checked = OptionalInt.of(Limits.priority(priority));
    return with(chosen -> chosen.priority = checked);
  }

  /**
   * Sets the maximum number of attempts, from 1 to 1,000,000, after which a failing job becomes
   * dead. Defaults to the maximum of the queue, then to {@value #DEFAULT_MAX_ATTEMPTS}.
   *
   * @param maxAttempts the maximum number of attempts, from 1
   * @return a copy with this change
   */
  public JobType<T> maxAttempts(int maxAttempts) {
    OptionalInt checked = OptionalInt.of(Limits.maxAttempts(maxAttempts));
    return with(chosen -> chosen.maxAttempts = checked);
  }

  /**
   * Sets the backoff after failures that match no rule set by {@link #retryOn} or {@link #deadOn}.
   * Defaults to {@link Backoff#standard()}.
   *
   * @param backoff the backoff
   * @return a copy with this change
   */
  public JobType<T> retry(Backoff backoff) {
    Backoff checked = require("Backoff", backoff);
    return with(chosen -> chosen.failures = chosen.failures.otherwise(checked));
  }

  /**
   * Sets the backoff after an exception of class {@code failure} or a subclass. If several rules
   * match an exception, the most specific one applies.
   *
   * @param failure the class of the exception
   * @param backoff the backoff
   * @return a copy with this change
   */
  public JobType<T> retryOn(Class<? extends Throwable> failure, Backoff backoff) {
    FailureRule rule = new FailureRule.Retry(require("Backoff", backoff));
    Class<? extends Throwable> checked = require("Exception class", failure);
    return with(chosen -> chosen.failures = chosen.failures.on(checked, rule));
  }

  /**
   * Makes a job dead immediately after an exception of class {@code failure} or a subclass. Use
   * this for failures that a further attempt cannot fix. If several rules match an exception, the
   * most specific one applies.
   *
   * @param failure the class of the exception
   * @return a copy with this change
   */
  public JobType<T> deadOn(Class<? extends Throwable> failure) {
    Class<? extends Throwable> checked = require("Exception class", failure);
    return with(chosen -> chosen.failures = chosen.failures.on(checked, new FailureRule.Dead()));
  }

  /**
   * Sets the timeout of an attempt, after which its handler is interrupted. The timeout must be
   * positive and is independent of the lease. By default, there is no timeout.
   *
   * @param timeout the timeout; positive
   * @return a copy with this change
   */
  public JobType<T> timeout(Duration timeout) {
    if (require("Timeout", timeout).isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException(
          "Timeout %s of kind '%s' is not positive.".formatted(timeout, kind));
    }
    return with(chosen -> chosen.timeout = Optional.of(timeout));
  }

  /**
   * Sets the version of the payload format, at least 1. A worker releases jobs with a later
   * version, so that newer workers can claim them, and passes payloads of earlier versions to the
   * {@linkplain #upcast upcaster}. Defaults to 1.
   *
   * @param version the version, from 1
   * @return a copy with this change
   */
  public JobType<T> payloadVersion(int version) {
    if (version < 1) {
      throw new IllegalArgumentException(
          "Payload version %d of kind '%s' is below 1.".formatted(version, kind));
    }
    return with(chosen -> chosen.payloadVersion = version);
  }

  /**
   * Sets the upcaster, which converts payloads of earlier versions before they are decoded. By
   * default, such payloads are decoded unchanged.
   *
   * @param upcaster converts an older payload
   * @return a copy with this change
   */
  public JobType<T> upcast(PayloadUpcaster upcaster) {
    PayloadUpcaster checked = require("Upcaster", upcaster);
    return with(chosen -> chosen.upcaster = checked);
  }

  /**
   * Sets the function that derives the ordering key of a job from its payload. Jobs with the same
   * key run one after another, in the order in which they were enqueued. By default, jobs have no
   * key. {@link EnqueueOptions#orderingKey} overrides the key of a single job.
   *
   * <p>Types share the keys, so begin a key with the name of what it identifies, as in {@code
   * "account-42"}.
   *
   * @param key a function that returns the key, 1 to 512 bytes in UTF-8, or null if the job is not
   *     ordered. It is called once for each job, in the thread that enqueues the job
   * @return a copy with this change
   */
  public JobType<T> orderedBy(Function<? super T, @Nullable String> key) {
    Function<? super T, @Nullable String> checked = require("Ordering key", key);
    return with(
        chosen -> chosen.orderingKey = payload -> checked.apply(payloadClass.cast(payload)));
  }

  /**
   * Orders the type's jobs by commit within an ordering key: a job whose transaction commits later
   * runs later. By default, jobs are ordered by their ids, which are assigned before the commit. A
   * job whose transaction commits late may therefore run after jobs with higher ids.
   *
   * <p>With strict ordering, an enqueue waits until every other open transaction that has enqueued
   * a strictly ordered job with the same key has ended. Only strictly ordered jobs are ordered by
   * commit, so use strict ordering either for all types whose jobs share a key or for none of them.
   * Transactions that make several enqueue calls can deadlock. The guide "Order of jobs" explains
   * how to avoid this.
   *
   * @return a copy with this change
   */
  public JobType<T> strictOrdering() {
    return with(chosen -> chosen.strictOrdering = true);
  }

  /**
   * Sets what happens to the jobs behind a dead job of their ordering key. The default is {@link
   * OrderingPolicy#BLOCK}. {@link QueueSettings#orderingPolicy} overrides it for a queue.
   *
   * @param policy the policy
   * @return a copy with this change
   */
  public JobType<T> orderingPolicy(OrderingPolicy policy) {
    OrderingPolicy checked = require("Ordering policy", policy);
    return with(chosen -> chosen.orderingPolicy = checked);
  }

  /**
   * Sets the function that derives the group of a job from its payload: the tenant, customer or
   * resource that the job belongs to. A fair queue serves its groups in turn, and a limit can hold
   * the number of running jobs of each group down. By default, jobs have no group. {@link
   * EnqueueOptions#group(String)} overrides the group of a single job.
   *
   * <p>Types that share a queue or a limit share its groups. Begin a name with what it identifies,
   * as in {@code "tenant-42"}.
   *
   * @param group a function that returns the name of the group, 1 to 200 bytes in UTF-8, or null if
   *     the job has none. It is called once for each job, in the thread that enqueues the job
   * @return a copy with this change
   */
  public JobType<T> groupedBy(Function<? super T, @Nullable String> group) {
    Function<? super T, @Nullable String> checked = require("Group", group);
    return with(chosen -> chosen.group = payload -> checked.apply(payloadClass.cast(payload)));
  }

  /** {@return the stable name of the type in the database} */
  public String kind() {
    return kind;
  }

  /** {@return the class that payloads are decoded to} */
  public Class<T> payloadClass() {
    return payloadClass;
  }

  /** {@return the queue of jobs whose options do not set one} */
  public String queue() {
    return settings.queue;
  }

  /**
   * {@return the priority of jobs whose options do not set one, or empty if the priority of the
   * queue applies}
   */
  public OptionalInt priority() {
    return settings.priority;
  }

  /**
   * {@return the maximum number of attempts of jobs whose options do not set one, or empty if the
   * maximum of the queue applies}
   */
  public OptionalInt maxAttempts() {
    return settings.maxAttempts;
  }

  /** {@return the backoff after failures that match no rule} */
  public Backoff backoff() {
    return settings.failures.otherwise();
  }

  /**
   * {@return the rule that applies after a handler has thrown {@code failure}}
   *
   * @param failure the exception
   */
  public FailureRule ruleFor(Throwable failure) {
    return settings.failures.of(failure);
  }

  /** {@return the timeout of an attempt, or empty if there is none} */
  public Optional<Duration> timeout() {
    return settings.timeout;
  }

  /** {@return the version of the format in which payloads are encoded} */
  public int payloadVersion() {
    return settings.payloadVersion;
  }

  /**
   * {@return the ordering key of a job with this payload, or empty if it has none}
   *
   * @param payload the payload; not null
   */
  public Optional<String> orderingKey(T payload) {
    Function<Object, @Nullable String> key = settings.orderingKey;
    return key == null ? Optional.empty() : Optional.ofNullable(key.apply(payload));
  }

  /** {@return whether {@link #strictOrdering} was called} */
  public boolean hasStrictOrdering() {
    return settings.strictOrdering;
  }

  /** {@return what happens to the jobs behind a dead job of their ordering key} */
  public OrderingPolicy orderingPolicy() {
    return settings.orderingPolicy;
  }

  /**
   * {@return the group of a job with this payload, or empty if it has none}
   *
   * @param payload the payload; not null
   */
  public Optional<String> group(T payload) {
    Function<Object, @Nullable String> group = settings.group;
    return group == null ? Optional.empty() : Optional.ofNullable(group.apply(payload));
  }

  /** {@return the upcaster for payloads of earlier versions} */
  public PayloadUpcaster upcaster() {
    return settings.upcaster;
  }

  /** Returns the kind and the payload class, for use in messages. */
  @Override
  public String toString() {
    return "JobType[%s, %s]".formatted(kind, payloadClass.getName());
  }
}
