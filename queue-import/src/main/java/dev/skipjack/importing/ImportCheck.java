package dev.skipjack.importing;

import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state of the rows that were imported from a source and not returned to it.
 *
 * @param days the jobs by kind and day
 * @param fires the schedules
 */
public record ImportCheck(List<Day> days, List<Fire> fires) {

  /**
   * The jobs of one kind that were due on one day in the source.
   *
   * @param kind the kind of the jobs
   * @param day the day, in UTC
   * @param imported the number of rows that left the source
   * @param waiting the number of their jobs that nothing has changed since the import
   * @param changed the number of those that have started or were changed, and have not ended
   * @param ended the number of those in the archive
   * @param gone the number of those that are neither live nor in the archive: they were deleted, or
   *     the archive does not keep them so long
   * @param misplaced how many of the waiting ones are due at another time than their rows. A job
   *     that was overdue when it was imported does not count
   */
  public record Day(
      String kind,
      LocalDate day,
      long imported,
      long waiting,
      long changed,
      long ended,
      long gone,
      long misplaced) {}

  /**
   * A schedule.
   *
   * @param schedule its name
   * @param kind the kind of its jobs
   * @param inSource the next time that was planned in the source at the import; null if there was
   *     none
   * @param next the next time of the schedule; null if it does not exist or never fires
   * @param difference why the two differ; empty if they are the same
   * @param expected whether the difference is no failure, because the schedule has fired or was
   *     changed
   */
  public record Fire(
      String schedule,
      String kind,
      @Nullable Instant inSource,
      @Nullable Instant next,
      String difference,
      boolean expected) {}

  /**
   * Copies the lists.
   *
   * @param days the jobs by kind and day, in this order
   * @param fires the schedules by name
   */
  public ImportCheck {
    days = List.copyOf(days);
    fires = List.copyOf(fires);
  }

  /** {@return whether no job is gone or misplaced, and no schedule differs without a reason} */
  public boolean isClean() {
    return days.stream().allMatch(day -> day.gone() == 0 && day.misplaced() == 0)
        && fires.stream().allMatch(Fire::expected);
  }
}
