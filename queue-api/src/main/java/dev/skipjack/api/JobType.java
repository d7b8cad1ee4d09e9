package dev.skipjack.api;

import dev.skipjack.api.spi.Names;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * Type of a job, shared by the code that enqueues it and the worker that handles it: its kind, the
 * class of its payload, and the defaults of its jobs.
 *
 * <p>Declare one constant for each kind; code that only enqueues needs no handler. Immutable: every
 * method returns a new instance.
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

  /** Queue of jobs whose type and options name none. */
  public static final String DEFAULT_QUEUE = "default";

  /** Maximum number of attempts where neither the job, nor its type, nor its queue sets one. */
  public static final int DEFAULT_MAX_ATTEMPTS = 25;

  private final String kind;
  private final Class<T> payloadClass;
  private final Settings settings;

  private JobType(String kind, Class<T> payloadClass, Settings settings) {
    this.kind = kind;
    this.payloadClass = payloadClass;
    this.settings = settings;
  }

  /** The settings with their defaults. Changed only while a new type is made. */
  private static final class Settings implements Cloneable {

    private String queue = DEFAULT_QUEUE;
    private OptionalInt priority = OptionalInt.empty();
    private OptionalInt maxAttempts = OptionalInt.empty();
    private FailureRules failures = FailureRules.standard();
    private Optional<Duration> timeout = Optional.empty();
    private int payloadVersion = 1;
    private PayloadUpcaster upcaster = PayloadUpcaster.NONE;

    /** A clone, because it copies every field, also one that is added later. */
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
   * Creates a type with all defaults: queue {@value #DEFAULT_QUEUE}, {@link Backoff#standard()}
   * after any failure, no timeout. Priority and maximum attempts default to the settings of the
   * job's queue in the database, then to priority 0 and {@value #DEFAULT_MAX_ATTEMPTS} attempts.
   *
   * @param kind stable name in the database, 1 to 63 characters of {@code a-z 0-9 _ . -}; never a
   *     class name, because classes move
   * @param payloadClass class that the payload is decoded to
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
   * Queue of the type's jobs, 1 to 63 characters of {@code a-z 0-9 _ . -}. Defaults to {@value
   * #DEFAULT_QUEUE}.
   */
  public JobType<T> onQueue(String queue) {
    String name = Names.requireQueue(queue);
    return with(chosen -> chosen.queue = name);
  }

  /**
   * Priority of the type's jobs within their queue, from -100 (last) to 100 (first). Defaults to
   * the queue's priority, then to 0.
   */
  public JobType<T> priority(int priority) {
    OptionalInt checked = OptionalInt.of(Limits.priority(priority));
    return with(chosen -> chosen.priority = checked);
  }

  /**
   * Number of attempts after which a failing job is dead, from 1 to 1,000,000. Defaults to the
   * queue's number, then to {@value #DEFAULT_MAX_ATTEMPTS}.
   */
  public JobType<T> maxAttempts(int maxAttempts) {
    OptionalInt checked = OptionalInt.of(Limits.maxAttempts(maxAttempts));
    return with(chosen -> chosen.maxAttempts = checked);
  }

  /**
   * Backoff after failures for which neither {@link #retryOn} nor {@link #deadOn} has a rule.
   * Defaults to {@link Backoff#standard()}.
   */
  public JobType<T> retry(Backoff backoff) {
    Backoff checked = require("Backoff", backoff);
    return with(chosen -> chosen.failures = chosen.failures.otherwise(checked));
  }

  /**
   * Backoff after an exception of class {@code failure} or a subclass. Where several rules match,
   * the rule of the closest superclass applies.
   */
  public JobType<T> retryOn(Class<? extends Throwable> failure, Backoff backoff) {
    FailureRule rule = new FailureRule.Retry(require("Backoff", backoff));
    Class<? extends Throwable> checked = require("Exception class", failure);
    return with(chosen -> chosen.failures = chosen.failures.on(checked, rule));
  }

  /**
   * Makes a job dead at once after an exception of class {@code failure} or a subclass, for
   * failures that no further attempt can fix. Where several rules match, the rule of the closest
   * superclass applies.
   */
  public JobType<T> deadOn(Class<? extends Throwable> failure) {
    Class<? extends Throwable> checked = require("Exception class", failure);
    return with(chosen -> chosen.failures = chosen.failures.on(checked, new FailureRule.Dead()));
  }

  /**
   * Timeout of an attempt, after which it is interrupted; positive, and independent of the lease.
   * Defaults to none.
   */
  public JobType<T> timeout(Duration timeout) {
    if (require("Timeout", timeout).isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException(
          "Timeout %s of kind '%s' is not positive.".formatted(timeout, kind));
    }
    return with(chosen -> chosen.timeout = Optional.of(timeout));
  }

  /**
   * Version of the payload's format, at least 1. A worker releases jobs of a later version, so that
   * a newer worker can claim them, and lets the {@linkplain #upcast upcaster} rewrite payloads of
   * an earlier one. Defaults to 1.
   */
  public JobType<T> payloadVersion(int version) {
    if (version < 1) {
      throw new IllegalArgumentException(
          "Payload version %d of kind '%s' is below 1.".formatted(version, kind));
    }
    return with(chosen -> chosen.payloadVersion = version);
  }

  /**
   * Upcaster that rewrites payloads of earlier versions before they are decoded. By default such
   * payloads are decoded as they are.
   */
  public JobType<T> upcast(PayloadUpcaster upcaster) {
    PayloadUpcaster checked = require("Upcaster", upcaster);
    return with(chosen -> chosen.upcaster = checked);
  }

  /** Stable name in the database. */
  public String kind() {
    return kind;
  }

  /** Class that the payload is decoded to. */
  public Class<T> payloadClass() {
    return payloadClass;
  }

  /** Queue of jobs whose options do not set one. */
  public String queue() {
    return settings.queue;
  }

  /** Priority of jobs whose options do not set one; empty if the queue's priority applies. */
  public OptionalInt priority() {
    return settings.priority;
  }

  /**
   * Maximum number of attempts of jobs whose options do not set one; empty if the queue's number
   * applies.
   */
  public OptionalInt maxAttempts() {
    return settings.maxAttempts;
  }

  /** Backoff after failures that have no rule of their own. */
  public Backoff backoff() {
    return settings.failures.otherwise();
  }

  /** The rule for a job whose handler threw {@code failure}. */
  public FailureRule ruleFor(Throwable failure) {
    return settings.failures.of(failure);
  }

  /** Timeout of an attempt; empty if there is none. */
  public Optional<Duration> timeout() {
    return settings.timeout;
  }

  /** Version of the format in which payloads are encoded. */
  public int payloadVersion() {
    return settings.payloadVersion;
  }

  /** Upcaster of payloads of earlier versions. */
  public PayloadUpcaster upcaster() {
    return settings.upcaster;
  }

  /** Kind and payload class, for messages. */
  @Override
  public String toString() {
    return "JobType[%s, %s]".formatted(kind, payloadClass.getName());
  }
}
