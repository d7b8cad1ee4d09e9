package dev.skipjack.api;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

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
  private final Settings settings;

  private JobType(String kind, Class<T> payloadClass, Settings settings) {
    this.kind = kind;
    this.payloadClass = payloadClass;
    this.settings = settings;
  }

  /** What can be chosen. Changed only while a new type is made. */
  private static final class Settings {

    private String queue = DEFAULT_QUEUE;
    private OptionalInt priority = OptionalInt.empty();
    private OptionalInt maxAttempts = OptionalInt.empty();
    private FailureRules failures = FailureRules.standard();
    private Optional<Duration> timeout = Optional.empty();
    private int payloadVersion = 1;
    private PayloadUpcaster upcaster = PayloadUpcaster.NONE;

    Settings with(Consumer<Settings> change) {
      Settings copy = new Settings();
      copy.queue = queue;
      copy.priority = priority;
      copy.maxAttempts = maxAttempts;
      copy.failures = failures;
      copy.timeout = timeout;
      copy.payloadVersion = payloadVersion;
      copy.upcaster = upcaster;
      change.accept(copy);
      return copy;
    }
  }

  private JobType<T> with(Consumer<Settings> change) {
    return new JobType<>(kind, payloadClass, settings.with(change));
  }

  /**
   * A type with the defaults: queue {@value #DEFAULT_QUEUE}, {@link Backoff#standard()} after any
   * failure, no timeout, and the priority and attempts of the queue that the job goes to: those of
   * the queue's settings in the database, or else priority 0 and {@value #DEFAULT_MAX_ATTEMPTS}
   * attempts.
   *
   * @param kind stable name in the database, 1 to 63 of {@code a-z 0-9 _ . -}; never a class name,
   *     because classes move
   * @param payloadClass what the payload is read as
   */
  public static <T> JobType<T> of(String kind, Class<T> payloadClass) {
    String name = Names.require("Kind", kind);
    return new JobType<>(name, require("Payload class", name, payloadClass), new Settings());
  }

  private <V> V require(String what, V value) {
    return require(what, kind, value);
  }

  private static <V> V require(String what, String kind, V value) {
    return Objects.requireNonNull(
        value, () -> "%s of kind '%s' must not be null.".formatted(what, kind));
  }

  /** This, enqueued into {@code queue} (1 to 63 of {@code a-z 0-9 _ . -}). */
  public JobType<T> onQueue(String queue) {
    String name = Names.require("Queue", queue);
    return with(chosen -> chosen.queue = name);
  }

  /**
   * This, with a default priority, whatever the queue's: -100 to 100, higher is served first inside
   * a queue.
   */
  public JobType<T> priority(int priority) {
    OptionalInt checked = OptionalInt.of(Limits.priority(priority));
    return with(chosen -> chosen.priority = checked);
  }

  /** This, dead after {@code maxAttempts} used attempts, at least 1, whatever the queue's. */
  public JobType<T> maxAttempts(int maxAttempts) {
    OptionalInt checked = OptionalInt.of(Limits.maxAttempts(maxAttempts));
    return with(chosen -> chosen.maxAttempts = checked);
  }

  /** This, waiting as {@code backoff} says after failures that have no rule of their own. */
  public JobType<T> retry(Backoff backoff) {
    Backoff checked = require("Backoff", backoff);
    return with(chosen -> chosen.failures = chosen.failures.otherwise(checked));
  }

  /**
   * This, waiting as {@code backoff} says after an exception of {@code failure} or a subclass. The
   * rule of the closest superclass counts.
   */
  public JobType<T> retryOn(Class<? extends Throwable> failure, Backoff backoff) {
    FailureRule rule = new FailureRule.Retry(require("Backoff", backoff));
    Class<? extends Throwable> checked = require("Exception class", failure);
    return with(chosen -> chosen.failures = chosen.failures.on(checked, rule));
  }

  /**
   * This, dead at once after an exception of {@code failure} or a subclass: where another attempt
   * cannot end better. The rule of the closest superclass counts.
   */
  public JobType<T> deadOn(Class<? extends Throwable> failure) {
    Class<? extends Throwable> checked = require("Exception class", failure);
    return with(chosen -> chosen.failures = chosen.failures.on(checked, new FailureRule.Dead()));
  }

  /**
   * This, with attempts interrupted after {@code timeout}, which is positive. It is separate from
   * the lease.
   */
  public JobType<T> timeout(Duration timeout) {
    if (require("Timeout", timeout).isNegative() || timeout.isZero()) {
      throw new IllegalArgumentException(
          "Timeout %s of kind '%s' is not positive.".formatted(timeout, kind));
    }
    return with(chosen -> chosen.timeout = Optional.of(timeout));
  }

  /**
   * This, writing payloads of shape {@code version}, at least 1. A worker gives jobs of a later
   * version back, for a newer worker to take, and has the {@linkplain #upcast upcaster} rewrite
   * those of an earlier one.
   */
  public JobType<T> payloadVersion(int version) {
    if (version < 1) {
      throw new IllegalArgumentException(
          "Payload version %d of kind '%s' is below 1.".formatted(version, kind));
    }
    return with(chosen -> chosen.payloadVersion = version);
  }

  /** This, reading payloads of earlier versions after {@code upcaster} has rewritten them. */
  public JobType<T> upcast(PayloadUpcaster upcaster) {
    PayloadUpcaster checked = require("Upcaster", upcaster);
    return with(chosen -> chosen.upcaster = checked);
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
    return settings.queue;
  }

  /** Priority of jobs that name none; empty: the queue's. */
  public OptionalInt priority() {
    return settings.priority;
  }

  /** Used attempts after which a job is dead; empty: the queue's. */
  public OptionalInt maxAttempts() {
    return settings.maxAttempts;
  }

  /** Wait after failures that have no rule of their own. */
  public Backoff backoff() {
    return settings.failures.otherwise();
  }

  /** What becomes of a job whose handler threw this. */
  public FailureRule ruleFor(Throwable failure) {
    return settings.failures.of(failure);
  }

  /** Longest time an attempt may take; empty: no limit. */
  public Optional<Duration> timeout() {
    return settings.timeout;
  }

  /** Shape of the payloads that are written. */
  public int payloadVersion() {
    return settings.payloadVersion;
  }

  /** Rewrites payloads of earlier versions. */
  public PayloadUpcaster upcaster() {
    return settings.upcaster;
  }

  /** Kind and payload class, for messages. */
  @Override
  public String toString() {
    return "JobType[%s, %s]".formatted(kind, payloadClass.getName());
  }
}
