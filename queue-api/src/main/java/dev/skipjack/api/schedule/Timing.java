package dev.skipjack.api.schedule;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.spi.SafeText;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Determines when a schedule fires: at the times of a cron expression or at a fixed interval.
 *
 * <pre>{@code
 * Timing.cron("0 9 * * MON-FRI").zone("Europe/Berlin").except(holidays)
 * Timing.every(Duration.ofMinutes(5))
 * }</pre>
 *
 * <p>The time zone defaults to UTC, never to that of the JVM. Instances are immutable and
 * thread-safe; methods that change a property return a new instance.
 */
public abstract sealed class Timing permits CronTiming, IntervalTiming {

  static final ZoneId UTC = ZoneId.of("UTC");

  private final ZoneId zone;
  private final ExceptDates except;

  Timing(ZoneId zone, ExceptDates except) {
    this.zone = zone;
    this.except = except;
  }

  /**
   * {@return a timing that fires at the times of a cron expression} {@link CronTiming} documents
   * the syntax.
   *
   * @param expression the cron expression
   * @throws IllegalArgumentException if the expression is invalid, in which case the message names
   *     the field and the reason, or if it never fires, such as {@code 0 0 30 2 *}
   */
  public static CronTiming cron(String expression) {
    return new CronTiming(CronParser.parse(expression), UTC, ExceptDates.NONE);
  }

  /**
   * {@return a timing that fires at a fixed interval, aligned to the epoch} For example, {@code
   * every(ofMinutes(5))} fires at minutes 0, 5, 10 and so on.
   *
   * @param interval a whole number of seconds, from 1 s to {@link EnqueueOptions#LONGEST_DELAY}
   * @throws IllegalArgumentException if {@code interval} is not such a number
   */
  public static IntervalTiming every(Duration interval) {
    return new IntervalTiming(interval, true, UTC, ExceptDates.NONE);
  }

  /**
   * Returns the first planned time that is strictly after the given instant. Only times between the
   * epoch and {@link EnqueueOptions#LATEST} are considered.
   *
   * @param after the instant
   * @return the planned time, or empty if there is none in that range
   */
  public final Optional<Instant> next(Instant after) {
    if (!after.isBefore(EnqueueOptions.LATEST)) {
      return Optional.empty();
    }
    Instant from = after.isBefore(Instant.EPOCH) ? Instant.EPOCH.minusSeconds(1) : after;
    return Optional.ofNullable(search(from)).filter(fire -> !fire.isAfter(EnqueueOptions.LATEST));
  }

  abstract @Nullable Instant search(Instant after);

  /** {@return the time zone of the expression and of {@link #exceptDates}} */
  public final ZoneId zone() {
    return zone;
  }

  /**
   * {@return this timing in another time zone}
   *
   * @param zone the time zone
   */
  public final Timing zone(ZoneId zone) {
    return with(zone, except);
  }

  /**
   * {@return this timing in another time zone}
   *
   * @param zone an IANA name such as {@code Europe/Berlin}, or an offset such as {@code +02:00}
   * @throws IllegalArgumentException if the time zone data of the JVM does not contain the zone
   */
  public final Timing zone(String zone) {
    try {
      return zone(ZoneId.of(zone));
    } catch (DateTimeException unknown) {
      throw new IllegalArgumentException(
          "Time zone '%s' is unknown. Use a name such as Europe/Berlin."
              .formatted(SafeText.of(zone, 80)),
          unknown);
    }
  }

  /**
   * {@return this timing, except that it does not fire on the given dates} Dates that were excluded
   * before remain excluded.
   *
   * @param dates dates in the time zone of this timing. If a change of the clocks moves a planned
   *     time of a cron expression to another date, the date that the expression specifies counts.
   *     At most 10,000 in total, in the years 1 to 9999
   * @throws IllegalArgumentException if there are more dates, or one is not in these years
   */
  public final Timing except(Collection<LocalDate> dates) {
    return with(zone, except.and(dates));
  }

  /**
   * {@return this timing, except that it does not fire on dates that the predicate accepts} Dates
   * that were excluded before remain excluded.
   *
   * @param dates a predicate that always returns the same result for the same date. It may be
   *     called by any thread, possibly for every date up to {@link EnqueueOptions#LATEST}
   */
  public final Timing except(Predicate<LocalDate> dates) {
    return with(zone, except.and(dates));
  }

  final ExceptDates exceptions() {
    return except;
  }

  abstract Timing with(ZoneId zone, ExceptDates except);

  /** {@return the dates passed to {@link #except(Collection)}, in ascending order} */
  public final SortedSet<LocalDate> exceptDates() {
    return except.dates();
  }

  /**
   * {@return whether {@link #except(Predicate)} was used} If so, the timing cannot be described by
   * text alone.
   */
  public final boolean hasExceptPredicate() {
    return !except.predicates().isEmpty();
  }

  /**
   * Applies one of two functions to this timing, depending on its type, and returns the function's
   * result.
   *
   * @param <R> the type of the result
   * @param cron receives a cron timing
   * @param interval receives an interval
   * @return what the function returned
   */
  public abstract <R> R fold(Function<CronTiming, R> cron, Function<IntervalTiming, R> interval);

  /** Returns the expression or the interval as text, without the zone and the excluded dates. */
  abstract String definition();

  /**
   * Returns whether the other object is a timing with an equal expression or interval, an equal
   * zone and equal excluded dates. A predicate is equal only to itself.
   */
  @Override
  public final boolean equals(@Nullable Object other) {
    return other instanceof Timing that
        && definition().equals(that.definition())
        && zone.equals(that.zone)
        && except.equals(that.except);
  }

  @Override
  public final int hashCode() {
    return Objects.hash(definition(), zone, except);
  }

  @Override
  public final String toString() {
    return "%s (%s)%s".formatted(definition(), zone, except);
  }
}
