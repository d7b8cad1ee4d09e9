package dev.skipjack.store.jooq.internal.schedule;

import dev.skipjack.api.schedule.Timing;
import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A timing, as stored in its columns.
 *
 * @param cron the cron expression, or null for an interval
 * @param intervalSeconds the interval in seconds, or null for a cron expression
 * @param aligned whether an interval is aligned to the epoch
 * @param zone the name of the time zone
 * @param exceptDates the excluded dates, in order
 */
record StoredTiming(
    @Nullable String cron,
    @Nullable Long intervalSeconds,
    boolean aligned,
    String zone,
    List<LocalDate> exceptDates) {

  /** Returns the columns of {@code timing}, without the predicates that exclude dates. */
  static StoredTiming of(Timing timing) {
    String zone = timing.zone().getId();
    List<LocalDate> dates = List.copyOf(timing.exceptDates());
    return timing.fold(
        cron -> new StoredTiming(cron.expression(), null, true, zone, dates),
        interval ->
            new StoredTiming(
                null, interval.interval().toSeconds(), interval.isAligned(), zone, dates));
  }

  /**
   * Returns the timing.
   *
   * @throws IllegalArgumentException if the zone is unknown to this JVM, or the expression is
   *     invalid
   */
  Timing timing() {
    return unzoned().zone(zone).except(exceptDates);
  }

  private Timing unzoned() {
    if (intervalSeconds == null) {
      return Timing.cron(cron == null ? "" : cron);
    }
    Duration interval = Duration.ofSeconds(intervalSeconds);
    return aligned ? Timing.every(interval) : Timing.every(interval).fromLastFire();
  }

  /**
   * Returns whether the interval is measured from the last planned time, so that at most one
   * planned time can be missed.
   */
  boolean countsFromLastFire() {
    return intervalSeconds != null && !aligned;
  }
}
