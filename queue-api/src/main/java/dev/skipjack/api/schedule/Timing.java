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
 * When a schedule fires: at the times of a cron expression or at a fixed interval.
 *
 * <pre>{@code
 * Timing.cron("0 9 * * MON-FRI").zone("Europe/Berlin").except(holidays)
 * Timing.every(Duration.ofMinutes(5))
 * }</pre>
 *
 * <p>The time zone is UTC unless another one is given, never the JVM's. Immutable and safe for any
 * number of threads; every method returns a new instance.
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
   * Fires at the times of a cron expression, whose syntax {@link CronTiming} describes.
   *
   * @throws IllegalArgumentException if the expression is invalid or never fires; the message names
   *     the field and the reason
   */
  public static CronTiming cron(String expression) {
    return new CronTiming(CronParser.parse(expression), UTC, ExceptDates.NONE);
  }

  /**
   * Fires at a fixed interval, aligned to the epoch: {@code every(ofMinutes(5))} fires at minutes
   * 0, 5, 10 and so on.
   *
   * @param interval whole seconds, from 1 s to {@link EnqueueOptions#LONGEST_DELAY}
   */
  public static IntervalTiming every(Duration interval) {
    return new IntervalTiming(interval, true, UTC, ExceptDates.NONE);
  }

  /**
   * Returns the first fire that is strictly after an instant. The search is bounded: fires are
   * between the epoch and {@link EnqueueOptions#LATEST}.
   *
   * @return empty if there is none, because all dates until then are excepted or rarer than that
   */
  public final Optional<Instant> next(Instant after) {
    if (!after.isBefore(EnqueueOptions.LATEST)) {
      return Optional.empty();
    }
    Instant from = after.isBefore(Instant.EPOCH) ? Instant.EPOCH.minusSeconds(1) : after;
    return Optional.ofNullable(search(from)).filter(fire -> !fire.isAfter(EnqueueOptions.LATEST));
  }

  abstract @Nullable Instant search(Instant after);

  /** The time zone of the expression and of {@link #exceptDates}. */
  public final ZoneId zone() {
    return zone;
  }

  /** Returns this timing in another time zone. */
  public final Timing zone(ZoneId zone) {
    return with(zone, except);
  }

  /**
   * Returns this timing in another time zone.
   *
   * @param zone an IANA name such as {@code Europe/Berlin}, or an offset such as {@code +02:00}
   * @throws IllegalArgumentException if this JVM's time zone data has no such zone
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
   * Returns this timing without fires on the given dates, in addition to those already excepted.
   *
   * @param dates in this timing's zone; the date of a cron fire is the one that the expression
   *     names, even if the fire was moved by a change of the clocks
   */
  public final Timing except(Collection<LocalDate> dates) {
    return with(zone, except.and(dates));
  }

  /**
   * Returns this timing without fires on the dates that the predicate accepts, in addition to those
   * already excepted.
   *
   * @param dates called by any thread, possibly for each date up to {@link EnqueueOptions#LATEST};
   *     must always return the same for the same date
   */
  public final Timing except(Predicate<LocalDate> dates) {
    return with(zone, except.and(dates));
  }

  final ExceptDates exceptions() {
    return except;
  }

  abstract Timing with(ZoneId zone, ExceptDates except);

  /** The dates given to {@link #except(Collection)}, in order. */
  public final SortedSet<LocalDate> exceptDates() {
    return except.dates();
  }

  /**
   * Whether {@link #except(Predicate)} was used, so that text alone does not describe the timing.
   */
  public final boolean hasExceptPredicate() {
    return !except.predicates().isEmpty();
  }

  /** Calls one of two functions, depending on the sort of timing. */
  public abstract <R> R fold(Function<CronTiming, R> cron, Function<IntervalTiming, R> interval);

  /** The expression or interval, without zone and exceptions. */
  abstract String definition();

  /**
   * Equal if expression or interval, zone and excepted dates are; a predicate equals itself only.
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
