package dev.skipjack.api.spi;

import dev.skipjack.api.JobId;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.ScheduledFire;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The interface through which workers fire schedules. Any number of workers can fire schedules
 * concurrently without a leader, and at most one job is enqueued for each planned time.
 *
 * <p>Implementations are thread-safe. Every method throws a {@link StoreException} if the database
 * rejects the statement or cannot be reached.
 */
public interface ScheduleStore {

  /**
   * Checks that a schedule can be declared. Does not use the database.
   *
   * @param schedule the schedule
   * @throws PayloadException if the payload is rejected
   */
  void require(Schedule schedule);

  /**
   * Declares schedules as {@link dev.skipjack.api.schedule.Schedules#declare(List)} does.
   *
   * @param schedules the schedules
   */
  void declare(Collection<Schedule> schedules);

  /**
   * Records that a running program declares the given schedules. Missing schedules are not created.
   *
   * @param schedules the schedules
   */
  void touch(Collection<Schedule> schedules);

  /**
   * Recalculates the next planned times that were calculated with time zone data older than this
   * JVM's.
   *
   * @return the names of the schedules whose next planned time has changed
   */
  List<String> recalculate();

  /**
   * {@return the schedules that were declared in code but that no program has declared for seven
   * days, except paused ones} At most 100 are returned, starting with the least recently declared.
   */
  List<Undeclared> undeclared();

  /**
   * Fires a batch of due schedules: enqueues their jobs and advances their planned times. Calls the
   * code of schedules in the calling thread.
   *
   * @param declared the schedules that the worker declared. A schedule that needs code is fired
   *     only if it is one of them
   * @return what fired, and when the next schedule is due
   */
  default Round fireDue(Collection<Schedule> declared) {
    return fireDue(
        declared,
        plans -> {
          plans.forEach(Plan::run);
          return plans;
        });
  }

  /**
   * Fires a batch of due schedules like {@link #fireDue(Collection)}, but {@code runner} calls
   * their code. A schedule whose code fails is tried again later; other schedules are not affected.
   *
   * @param declared the schedules that the worker declared, without those whose code is still
   *     running
   * @param runner calls the code of the schedules
   * @return what fired, and when the next schedule is due
   */
  Round fireDue(Collection<Schedule> declared, PlanRunner runner);

  /** Runs the plans of schedules that need code, possibly in other threads. */
  @FunctionalInterface
  interface PlanRunner {

    /**
     * Runs plans. Called once in each round, even without plans.
     *
     * @param plans the plans
     * @return the plans that have ended or failed. They may come from earlier rounds; each is
     *     returned once. A schedule whose plan is missing remains due
     */
    List<Plan> run(List<Plan> plans);
  }

  /**
   * The plan for a due schedule: its jobs and its next planned time, which the code of the
   * application determines. Thread-safe.
   */
  interface Plan extends Runnable {

    /** {@return the name of the schedule} */
    String schedule();

    /**
     * Calls the code of the schedule. Any exception or error that the code throws becomes the
     * failure of the plan. An internal error of the virtual machine is also rethrown.
     */
    @Override
    void run();

    /**
     * Makes the plan fail. A later result of its code is ignored.
     *
     * @param error what the schedule's code threw
     */
    void fail(Throwable error);
  }

  /**
   * The result of {@link #fireDue}.
   *
   * @param fired the planned times for which schedules were fired
   * @param failed the schedules that could not be fired and will be retried later
   * @param nextIn how long to wait before the next call; zero if more schedules may be due now,
   *     null if none will become due
   */
  record Round(List<Fired> fired, List<Failed> failed, @Nullable Duration nextIn) {

    /**
     * Makes defensive copies of the lists.
     *
     * @param fired the jobs that were enqueued
     * @param failed the schedules that could not be fired
     * @param nextIn how long to wait before the next call
     */
    public Round {
      fired = List.copyOf(fired);
      failed = List.copyOf(failed);
    }
  }

  /**
   * A planned time for which a schedule was fired.
   *
   * @param fire the schedule and the planned time
   * @param job the job; null if none was enqueued, because an earlier job is still live or the
   *     planned time has fired before
   * @param late how long after the planned time the schedule was fired, including jitter
   */
  record Fired(ScheduledFire fire, @Nullable JobId job, Duration late) {}

  /**
   * A schedule that could not be fired.
   *
   * @param schedule the name of the schedule
   * @param error the reason
   * @param retryIn the time until the next try
   */
  record Failed(String schedule, Throwable error, Duration retryIn) {}

  /**
   * A schedule that no running program declares anymore.
   *
   * @param schedule the name of the schedule
   * @param declaredAt when a program last declared it
   * @param needsCode whether only a worker that declares it can fire it
   */
  record Undeclared(String schedule, Instant declaredAt, boolean needsCode) {}
}
