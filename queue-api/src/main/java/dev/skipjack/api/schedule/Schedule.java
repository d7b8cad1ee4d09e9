package dev.skipjack.api.schedule;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.Names;
import dev.skipjack.api.spi.SafeText;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A schedule: when it fires, and the job that each fire enqueues.
 *
 * <pre>{@code
 * Schedule.cron("0 9 * * MON-FRI").zone("Europe/Berlin").named("morning-report").enqueue(REPORT, new Report("sales"))
 * Schedule.every(ofMinutes(5)).named("sync").enqueueFrom(SYNC, fire -> new Sync(fire))
 * }</pre>
 *
 * <p>Declare it with a worker or with {@link Schedules#declare}. Immutable: every method returns a
 * new instance.
 */
public final class Schedule {

  /** The longest {@link #jitter}: one hour. */
  public static final Duration LONGEST_JITTER = Duration.ofHours(1);

  private static final int LONGEST_DESCRIPTION = 500;

  private final String name;
  private final Timing timing;
  private final Content<?> content;
  private final Settings settings;

  private Schedule(String name, Timing timing, Content<?> content, Settings settings) {
    this.name = name;
    this.timing = timing;
    this.content = content;
    this.settings = settings;
  }

  /** The job of a fire. Exactly one of payload and function is used. */
  private record Content<T>(
      JobType<T> type,
      @Nullable T payload,
      @Nullable Function<Instant, T> function,
      EnqueueOptions options) {

    <R> R create(Instant fire, Creation<R> creation) {
      T made = function == null ? payload : function.apply(fire);
      return creation.create(
          type,
          Objects.requireNonNull(
              made,
              () ->
                  "The payload of kind '%s' for the fire at %s is null."
                      .formatted(type.kind(), fire)),
          options);
    }
  }

  /** The settings with their defaults. Changed only while a new schedule is made. */
  private static final class Settings implements Cloneable {

    private Missed missed = Missed.once();
    private Overlap overlap = Overlap.ALLOW;
    private Duration jitter = Duration.ZERO;
    private Optional<String> description = Optional.empty();
    private boolean authoritative;

    /** A clone, because it copies every field, also one that is added later. */
    private Settings copy() {
      try {
        return (Settings) clone();
      } catch (CloneNotSupportedException impossible) {
        throw new AssertionError(impossible);
      }
    }
  }

  private Schedule with(Consumer<Settings> change) {
    Settings changed = settings.copy();
    change.accept(changed);
    return new Schedule(name, timing, content, changed);
  }

  /**
   * Begins a schedule that fires at the times of a cron expression.
   *
   * @throws IllegalArgumentException as {@link Timing#cron}
   */
  public static Unnamed cron(String expression) {
    return of(Timing.cron(expression));
  }

  /**
   * Begins a schedule that fires at a fixed interval, aligned to the epoch.
   *
   * @throws IllegalArgumentException as {@link Timing#every}
   */
  public static Unnamed every(Duration interval) {
    return of(Timing.every(interval));
  }

  /** Begins a schedule that fires at the times of {@code timing}. */
  public static Unnamed of(Timing timing) {
    return new Unnamed(timing);
  }

  /** A schedule without a name and a job; immutable. */
  public static final class Unnamed {

    private final Timing timing;

    private Unnamed(Timing timing) {
      this.timing = Objects.requireNonNull(timing, "The timing must not be null.");
    }

    /** Like {@link Timing#zone(String)}. */
    public Unnamed zone(String zone) {
      return of(timing.zone(zone));
    }

    /** Like {@link Timing#zone(ZoneId)}. */
    public Unnamed zone(ZoneId zone) {
      return of(timing.zone(zone));
    }

    /** Like {@link Timing#except(Collection)}. */
    public Unnamed except(Collection<LocalDate> dates) {
      return of(timing.except(dates));
    }

    /**
     * Like {@link Timing#except(Predicate)}. Only a worker that declares the schedule can then fire
     * it.
     */
    public Unnamed except(Predicate<LocalDate> dates) {
      return of(timing.except(dates));
    }

    /**
     * Names the schedule. The name identifies it in the database, so a schedule that gets another
     * name is another schedule.
     *
     * @param name 1 to 63 characters of {@code a-z 0-9 _ . -}
     */
    public Named named(String name) {
      return new Named(Names.requireSchedule(name), timing);
    }
  }

  /** A schedule without a job; immutable. */
  public static final class Named {

    private final String name;
    private final Timing timing;

    private Named(String name, Timing timing) {
      this.name = name;
      this.timing = timing;
    }

    /** Enqueues a job with this payload at each fire. */
    public <T> Schedule enqueue(JobType<T> type, T payload) {
      return enqueue(type, payload, UnaryOperator.identity());
    }

    /**
     * Enqueues a job with this payload and these options at each fire.
     *
     * @param options queue, priority, attempts and tags of the job
     * @throws IllegalArgumentException if the options have a delay, a due time, an idempotency key
     *     or a trace, which the schedule determines
     */
    public <T> Schedule enqueue(JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options) {
      Objects.requireNonNull(payload, "The payload must not be null.");
      return schedule(new Content<>(type, payload, null, require(options)));
    }

    /** Like {@link #enqueueFrom(JobType, Function, UnaryOperator)}, without options. */
    public <T> Schedule enqueueFrom(JobType<T> type, Function<Instant, T> payload) {
      return enqueueFrom(type, payload, UnaryOperator.identity());
    }

    /**
     * Enqueues a job at each fire, with a payload that code makes. Only a worker that declares the
     * schedule can fire it.
     *
     * @param payload returns the payload for the planned time of a fire. Called by a thread of the
     *     worker; it must return quickly. It may be called more than once for the same fire. If it
     *     throws, the fire is tried again later
     * @param options as for {@link #enqueue(JobType, Object, UnaryOperator)}
     */
    public <T> Schedule enqueueFrom(
        JobType<T> type, Function<Instant, T> payload, UnaryOperator<EnqueueOptions> options) {
      Objects.requireNonNull(payload, "The function that makes the payload must not be null.");
      return schedule(new Content<>(type, null, payload, require(options)));
    }

    private Schedule schedule(Content<?> content) {
      return new Schedule(name, timing, content, new Settings());
    }

    private EnqueueOptions require(UnaryOperator<EnqueueOptions> options) {
      EnqueueOptions chosen = options.apply(EnqueueOptions.none());
      if (!chosen.delay().isZero()
          || chosen.scheduledAt().isPresent()
          || chosen.idempotencyKey().isPresent()
          || chosen.traceparent().isPresent()) {
        throw new IllegalArgumentException(
            "Schedule '%s' sets a delay, due time, idempotency key or trace for its jobs. The schedule determines these; remove the option."
                .formatted(name));
      }
      return chosen;
    }
  }

  /** Sets what happens to missed fires. Defaults to {@link Missed#once()}. */
  public Schedule missed(Missed missed) {
    return with(chosen -> chosen.missed = missed);
  }

  /** Sets what a fire does while an earlier job is live. Defaults to {@link Overlap#ALLOW}. */
  public Schedule overlap(Overlap overlap) {
    return with(chosen -> chosen.overlap = overlap);
  }

  /**
   * Delays each fire by a share of {@code jitter} that depends on the schedule's name, so that
   * schedules with the same timing do not fire all at once. The planned time of the fire does not
   * change. Defaults to zero.
   *
   * @param jitter from zero to {@link #LONGEST_JITTER}, in milliseconds
   */
  public Schedule jitter(Duration jitter) {
    if (jitter.isNegative() || jitter.compareTo(LONGEST_JITTER) > 0) {
      throw new IllegalArgumentException(
          "Jitter %s of schedule '%s' is not in 0..%s.".formatted(jitter, name, LONGEST_JITTER));
    }
    return with(chosen -> chosen.jitter = jitter);
  }

  /**
   * Sets a description, which operators see. Defaults to none.
   *
   * @param description at most 500 characters
   */
  public Schedule description(String description) {
    if (description.length() > LONGEST_DESCRIPTION) {
      throw new IllegalArgumentException(
          "Description of schedule '%s' has %d characters; at most %d are allowed."
              .formatted(name, description.length(), LONGEST_DESCRIPTION));
    }
    String safe = SafeText.of(description, LONGEST_DESCRIPTION);
    return with(chosen -> chosen.description = Optional.of(safe));
  }

  /**
   * Makes each declaration end what operators changed at run time: the timing and the pause.
   * Otherwise both survive a deploy.
   */
  public Schedule authoritative() {
    return with(chosen -> chosen.authoritative = true);
  }

  /** Returns the name that identifies the schedule. */
  public String name() {
    return name;
  }

  /** Returns when the schedule fires. */
  public Timing timing() {
    return timing;
  }

  /** Returns the type of the jobs. */
  public JobType<?> type() {
    return content.type();
  }

  /** Returns the options of the jobs, which override the defaults of their type. */
  public EnqueueOptions options() {
    return content.options();
  }

  /** Returns what happens to missed fires. */
  public Missed missed() {
    return settings.missed;
  }

  /** Returns what a fire does while an earlier job is live. */
  public Overlap overlap() {
    return settings.overlap;
  }

  /** Returns the time over which schedules with the same timing are spread. */
  public Duration jitter() {
    return settings.jitter;
  }

  /** Returns the description, or empty if none was set. */
  public Optional<String> description() {
    return settings.description;
  }

  /** Returns whether each declaration ends what operators changed. */
  public boolean isAuthoritative() {
    return settings.authoritative;
  }

  /** Returns whether a function makes the payload from the planned time of the fire. */
  public boolean makesPayload() {
    return content.function() != null;
  }

  /**
   * Returns whether only a worker that declares the schedule can fire it, because a function makes
   * the payload or a predicate excepts dates.
   */
  public boolean needsCode() {
    return makesPayload() || timing.hasExceptPredicate();
  }

  /**
   * Passes the type, payload and options of the job for a fire to {@code creation}, and returns its
   * result. For stores.
   */
  public <R> R job(Instant fire, Creation<R> creation) {
    return content.create(fire, creation);
  }

  /**
   * Creates a job of any type.
   *
   * @param <R> the job
   */
  @FunctionalInterface
  public interface Creation<R> {
    /** Returns the job. */
    <T> R create(JobType<T> type, T payload, EnqueueOptions options);
  }

  /** Returns name, timing and kind. */
  @Override
  public String toString() {
    return "Schedule[%s, %s, kind %s]".formatted(name, timing, type().kind());
  }
}
