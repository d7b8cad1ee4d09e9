package dev.skipjack.api.spi;

import dev.skipjack.api.JobId;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.ScheduledFire;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The port through which workers fire schedules. Any number of workers may fire at the same time,
 * without a leader: each fire enqueues its job once.
 *
 * <p>Safe for any number of threads. Every method throws {@link StoreException} when the database
 * refused the statement or could not be reached.
 */
public interface ScheduleStore {

  /** Declares schedules as {@link dev.skipjack.api.schedule.Schedules#declare(List)} does. */
  void declare(Collection<Schedule> schedules);

  /** Records that a running program declares schedules; does not create those that are missing. */
  void touch(Collection<Schedule> schedules);

  /**
   * Calculates next fires again that were calculated with older time zone data than this JVM's.
   *
   * @return the names of the schedules that fire at another time now
   */
  List<String> recalculate();

  /**
   * Fires a batch of due schedules: enqueues their jobs and moves their next fires.
   *
   * @param declared the schedules that the worker declared. A schedule that needs code is fired
   *     only if it is among them
   */
  Round fireDue(Collection<Schedule> declared);

  /**
   * The result of {@link #fireDue}.
   *
   * @param fired the jobs that were enqueued
   * @param failed the schedules that could not be fired and are tried again later
   * @param undeclared due schedules of code that no program has declared for seven days
   * @param nextIn when to call again; zero if schedules may be due now, null if none will be
   */
  record Round(
      List<Fired> fired,
      List<Failed> failed,
      List<Undeclared> undeclared,
      @Nullable Duration nextIn) {

    /** Copies the lists. */
    public Round {
      fired = List.copyOf(fired);
      failed = List.copyOf(failed);
      undeclared = List.copyOf(undeclared);
    }
  }

  /**
   * A fire that was enqueued.
   *
   * @param fire the schedule and the planned time
   * @param job the job; null if none was enqueued, because an earlier job is live
   * @param late how long after the planned time it was fired, jitter included
   */
  record Fired(ScheduledFire fire, @Nullable JobId job, Duration late) {}

  /**
   * A schedule that could not be fired.
   *
   * @param schedule its name
   * @param error the reason
   * @param retryIn when it is tried again
   */
  record Failed(String schedule, Throwable error, Duration retryIn) {}

  /**
   * A schedule that no program declares any more.
   *
   * @param schedule its name
   * @param declaredAt when a program last declared it
   */
  record Undeclared(String schedule, Instant declaredAt) {}
}
