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
 * A schedule, which enqueues a job at each planned time of its timing. A schedule <i>fires</i> when
 * a worker enqueues this job, or leaves it out because of {@link #overlap}.
 *
 * <pre>{@code
 * Schedule.cron("0 9 * * MON-FRI").zone("Europe/Berlin").named("morning-report").enqueue(REPORT, new Report("sales"))
 * Schedule.every(ofMinutes(5)).named("sync").enqueueFrom(SYNC, fire -> new Sync(fire))
 * }</pre>
 *
 * <p>The functions and predicates of different schedules may be called concurrently. Those of one
 * schedule are called by at most one thread of each worker at a time.
 *
 * <p>Declare a schedule with a worker or with {@link Schedules#declare}. Instances are immutable;
 * methods that change a setting return a new instance.
 */
public final class Schedule {

  /** The maximum {@link #jitter}: one hour. */
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

  /** The job that the schedule enqueues. Either the payload or the function is null. */
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

  /**
   * The settings with their defaults. They are modified only while a new schedule is being created.
   */
  private static final class Settings implements Cloneable {

    private Missed missed = Missed.once();
    private Overlap overlap = Overlap.ALLOW;
    private Duration jitter = Duration.ZERO;
    private Optional<String> description = Optional.empty();
    private boolean authoritative;

    /** Clones these settings, so that fields added later are copied too. */
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
   * @param expression the cron expression
   * @return a schedule without a name and a job
   * @throws IllegalArgumentException if the expression is not valid; see {@link Timing#cron}
   */
  public static Unnamed cron(String expression) {
    return of(Timing.cron(expression));
  }

  /**
   * Begins a schedule that fires at a fixed interval, aligned to the epoch.
   *
   * @param interval the interval
   * @return a schedule without a name and a job
   * @throws IllegalArgumentException if the interval is not valid; see {@link Timing#every}
   */
  public static Unnamed every(Duration interval) {
    return of(Timing.every(interval));
  }

  /**
   * Begins a schedule that fires at the times of {@code timing}.
   *
   * @param timing when the schedule fires
   * @return a schedule without a name and a job
   */
  public static Unnamed of(Timing timing) {
    return new Unnamed(timing);
  }

  /** A schedule that does not have a name or a job yet. Instances are immutable. */
  public static final class Unnamed {

    private final Timing timing;

    private Unnamed(Timing timing) {
      this.timing = Objects.requireNonNull(timing, "The timing must not be null.");
    }

    /**
     * Sets the time zone, as {@link Timing#zone(String)} does.
     *
     * @param zone the time zone
     * @return a copy with this change
     */
    public Unnamed zone(String zone) {
      return of(timing.zone(zone));
    }

    /**
     * Sets the time zone, as {@link Timing#zone(ZoneId)} does.
     *
     * @param zone the time zone
     * @return a copy with this change
     */
    public Unnamed zone(ZoneId zone) {
      return of(timing.zone(zone));
    }

    /**
     * Excludes dates, as {@link Timing#except(Collection)} does.
     *
     * @param dates the dates to leave out
     * @return a copy with this change
     */
    public Unnamed except(Collection<LocalDate> dates) {
      return of(timing.except(dates));
    }

    /**
     * Excludes dates, as {@link Timing#except(Predicate)} does. Only workers that declare the
     * schedule can then fire it.
     *
     * @param dates the dates to leave out
     * @return a copy with this change
     */
    public Unnamed except(Predicate<LocalDate> dates) {
      return of(timing.except(dates));
    }

    /**
     * Sets the name, which identifies the schedule in the database. A schedule with a different
     * name is a different schedule.
     *
     * @param name 1 to 63 of the characters {@code a-z 0-9 _ . -}
     * @return a schedule without a job
     */
    public Named named(String name) {
      return new Named(Names.requireSchedule(name), timing);
    }
  }

  /** A schedule that does not have a job yet. Instances are immutable. */
  public static final class Named {

    private final String name;
    private final Timing timing;

    private Named(String name, Timing timing) {
      this.name = name;
      this.timing = timing;
    }

    /**
     * Enqueues a job with the given payload at each planned time; see {@link #enqueue(JobType,
     * Object, UnaryOperator)}.
     *
     * @param <T> the type of the payload
     * @param type the jobs' type
     * @param payload the payload of every job; not null
     * @return the schedule
     */
    public <T> Schedule enqueue(JobType<T> type, T payload) {
      return enqueue(type, payload, UnaryOperator.identity());
    }

    /**
     * Enqueues a job with the given payload and options at each planned time.
     *
     * @param <T> the type of the payload
     * @param type the jobs' type
     * @param payload the payload of every job; not null
     * @param options sets the queue, priority, maximum attempts and tags of the job
     * @return the schedule
     * @throws IllegalArgumentException if the options contain a delay, a due time, an idempotency
     *     key, an ordering key, strict ordering, a group, a header or a trace, or disable the
     *     wake-up, none of which is possible for jobs of a schedule; or if the type derives an
     *     {@linkplain JobType#orderedBy ordering key} or a {@linkplain JobType#groupedBy group}
     *     from the payload, in which case use {@link #enqueueFrom} instead
     */
    public <T> Schedule enqueue(JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options) {
      Objects.requireNonNull(payload, "The payload must not be null.");
      refuse("ordering key", type, type.orderingKey(payload));
      refuse("group", type, type.group(payload));
      return schedule(new Content<>(type, payload, null, require(options)));
    }

    private void refuse(String what, JobType<?> type, Optional<String> derived) {
      if (derived.isPresent()) {
        throw new IllegalArgumentException(
            "Schedule '%s' has a fixed payload, so its jobs cannot have the %s of kind '%s'. Use enqueueFrom."
                .formatted(name, what, type.kind()));
      }
    }

    /**
     * Enqueues a job at each planned time, with a payload that a function returns; see {@link
     * #enqueueFrom(JobType, Function, UnaryOperator)}.
     *
     * @param <T> the type of the payload
     * @param type the jobs' type
     * @param payload returns the payload for a planned time
     * @return the schedule
     */
    public <T> Schedule enqueueFrom(JobType<T> type, Function<Instant, T> payload) {
      return enqueueFrom(type, payload, UnaryOperator.identity());
    }

    /**
     * Enqueues a job at each planned time, with a payload that a function returns. Only workers
     * that declare the schedule can fire it. If the type derives {@linkplain JobType#orderedBy
     * ordering keys} or {@linkplain JobType#groupedBy groups} from payloads, the jobs have them.
     *
     * @param <T> the type of the payload
     * @param type the jobs' type
     * @param payload a function that returns the payload for a planned time. It is called by a
     *     thread of the worker, possibly more than once for the same planned time, and must return
     *     quickly. If it throws an exception, the schedule is fired again later
     * @param options sets the options of the job; see {@link #enqueue(JobType, Object,
     *     UnaryOperator)}
     * @return the schedule
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
          || chosen.orderingKey().isPresent()
          || chosen.hasStrictOrdering()
          || chosen.group().isPresent()
          || !chosen.wakesUp()
          || !chosen.headers().isEmpty()) {
        throw new IllegalArgumentException(
            "Schedule '%s' sets a delay, due time, idempotency key, ordering key, strict ordering, group, header, trace or no wake-up, which jobs of a schedule cannot have. Remove the option; use Overlap to keep its jobs apart."
                .formatted(name));
      }
      return chosen;
    }
  }

  /**
   * Sets what happens to missed planned times. Defaults to {@link Missed#once()}.
   *
   * @param missed what happens to missed planned times
   * @return a copy with this change
   */
  public Schedule missed(Missed missed) {
    return with(chosen -> chosen.missed = missed);
  }

  /**
   * Sets what happens at a planned time while an earlier job is still live. Defaults to {@link
   * Overlap#ALLOW}.
   *
   * @param overlap what happens while an earlier job is live
   * @return a copy with this change
   */
  public Schedule overlap(Overlap overlap) {
    return with(chosen -> chosen.overlap = overlap);
  }

  /**
   * Fires the schedule later than planned, by a fraction of {@code jitter} that depends on the
   * schedule's name. This prevents schedules with the same timing from all firing at once. The
   * planned times do not change. Defaults to zero.
   *
   * @param jitter the maximum delay, from zero to {@link #LONGEST_JITTER}, with millisecond
   *     precision
   * @return a copy with this change
   */
  public Schedule jitter(Duration jitter) {
    if (jitter.isNegative() || jitter.compareTo(LONGEST_JITTER) > 0) {
      throw new IllegalArgumentException(
          "Jitter %s of schedule '%s' is not in 0..%s.".formatted(jitter, name, LONGEST_JITTER));
    }
    return with(chosen -> chosen.jitter = jitter);
  }

  /**
   * Sets a description for operators. By default, there is none.
   *
   * @param description the description, at most 500 characters
   * @return a copy with this change
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
   * Makes each declaration revert changes that operators have made at run time, that is, a
   * different timing or a pause. By default, such changes survive a deployment.
   *
   * @return a copy with this change
   */
  public Schedule authoritative() {
    return with(chosen -> chosen.authoritative = true);
  }

  /** {@return the name that identifies the schedule} */
  public String name() {
    return name;
  }

  /** {@return when the schedule fires} */
  public Timing timing() {
    return timing;
  }

  /** {@return the type of the jobs} */
  public JobType<?> type() {
    return content.type();
  }

  /** {@return the options of the jobs, which override the defaults of their type} */
  public EnqueueOptions options() {
    return content.options();
  }

  /** {@return what happens to missed planned times} */
  public Missed missed() {
    return settings.missed;
  }

  /** {@return what happens at a planned time while an earlier job is still live} */
  public Overlap overlap() {
    return settings.overlap;
  }

  /** {@return the maximum time by which the schedule fires later than planned} */
  public Duration jitter() {
    return settings.jitter;
  }

  /** {@return the description, or empty if none was set} */
  public Optional<String> description() {
    return settings.description;
  }

  /** {@return whether each declaration reverts changes that operators have made} */
  public boolean isAuthoritative() {
    return settings.authoritative;
  }

  /**
   * {@return whether a function computes the payload of each job from the time planned for that
   * job}
   */
  public boolean makesPayload() {
    return content.function() != null;
  }

  /**
   * {@return whether only workers that declare the schedule can fire it, because a function returns
   * the payload or a predicate excludes dates}
   */
  public boolean needsCode() {
    return makesPayload() || timing.hasExceptPredicate();
  }

  /**
   * Passes the type, the payload and the options of the job for a planned time to {@code creation},
   * and returns its result. This method is intended for stores.
   *
   * @param <R> the type of the result
   * @param fire the planned time
   * @param creation receives the type, the payload and the options
   * @return what {@code creation} returned
   */
  public <R> R job(Instant fire, Creation<R> creation) {
    return content.create(fire, creation);
  }

  /**
   * Creates a job of any type.
   *
   * @param <R> the type of the created job
   */
  @FunctionalInterface
  public interface Creation<R> {
    /**
     * {@return a job of {@code type}}
     *
     * @param <T> the type of the payload
     * @param type the job's type
     * @param payload the payload of the job
     * @param options the options of the job
     */
    <T> R create(JobType<T> type, T payload, EnqueueOptions options);
  }

  /** Returns the name, the timing and the kind. */
  @Override
  public String toString() {
    return "Schedule[%s, %s, kind %s]".formatted(name, timing, type().kind());
  }
}
