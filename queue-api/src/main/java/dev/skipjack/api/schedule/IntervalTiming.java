package dev.skipjack.api.schedule;

import dev.skipjack.api.EnqueueOptions;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A timing that fires at a fixed interval of elapsed time, which is not affected by changes of the
 * clocks. The time zone only determines when excluded dates begin and end. Planned times on such
 * dates are skipped, without shifting later ones.
 */
public final class IntervalTiming extends Timing {

  private final Duration interval;
  private final boolean aligned;

  IntervalTiming(Duration interval, boolean aligned, ZoneId zone, ExceptDates except) {
    super(zone, except);
    if (interval.compareTo(Duration.ofSeconds(1)) < 0
        || interval.compareTo(EnqueueOptions.LONGEST_DELAY) > 0
        || !interval.equals(interval.truncatedTo(ChronoUnit.SECONDS))) {
      throw new IllegalArgumentException(
          "Interval %s must be whole seconds, from 1 s to %d days."
              .formatted(interval, EnqueueOptions.LONGEST_DELAY.toDays()));
    }
    this.interval = interval;
    this.aligned = aligned;
  }

  /** {@return the time between two planned times} */
  public Duration interval() {
    return interval;
  }

  /** {@return whether planned times are multiples of the interval since the epoch} */
  public boolean isAligned() {
    return aligned;
  }

  /**
   * {@return this timing, measured from the last planned time instead of aligned to the epoch:
   * {@link #next} returns the time one interval after its argument}
   */
  public IntervalTiming fromLastFire() {
    return new IntervalTiming(interval, false, zone(), exceptions());
  }

  @Override
  @Nullable Instant search(Instant after) {
    long step = interval.toSeconds();
    Instant fire =
        aligned
            ? Instant.ofEpochSecond((Math.floorDiv(after.getEpochSecond(), step) + 1) * step)
            : after.plusSeconds(step);
    while (true) {
      LocalDate date = LocalDate.ofInstant(fire, zone());
      if (!exceptions().contains(date)) {
        return fire;
      }
      if (fire.isAfter(EnqueueOptions.LATEST)) {
        return null;
      }
      // If the clocks go back from one date to the date before, the next date has already begun
      // once.
      Instant nextDate = date.plusDays(1).atStartOfDay(zone()).toInstant();
      long seconds = Duration.between(fire, nextDate).toSeconds();
      fire = fire.plusSeconds(Math.max(1, seconds / step) * step);
    }
  }

  @Override
  Timing with(ZoneId zone, ExceptDates except) {
    return new IntervalTiming(interval, aligned, zone, except);
  }

  @Override
  public <R> R fold(Function<CronTiming, R> cron, Function<IntervalTiming, R> interval) {
    return interval.apply(this);
  }

  @Override
  String definition() {
    return "every %s%s".formatted(interval, aligned ? "" : " from the last planned time");
  }
}
