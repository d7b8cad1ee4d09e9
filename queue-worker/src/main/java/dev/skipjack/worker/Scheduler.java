package dev.skipjack.worker;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.spi.ScheduleStore;
import dev.skipjack.api.spi.ScheduleStore.Round;
import dev.skipjack.api.spi.WorkerInstructions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Fires schedules at their due times. It runs on the thread of the {@link Registrar}, whose
 * statement also returns when the next schedule is due. If there are no schedules in the database,
 * a worker therefore needs neither an additional statement nor an additional thread. Confined to
 * that thread, except {@link #schedulesChanged}.
 */
final class Scheduler {

  static final long NEVER = Long.MAX_VALUE;

  private static final long TOUCH_INTERVAL = Duration.ofHours(12).toNanos();
  private static final long UNDECLARED_INTERVAL = Duration.ofDays(1).toNanos();

  private static final String INSUFFICIENT_PRIVILEGE = "42501";

  private final Optional<ScheduleStore> store;
  private final List<Schedule> declared;
  private final Wakeup wakeup;
  private final Reporter reporter;
  private final LongSupplier nanoTime;
  private final RandomGenerator random;
  private volatile boolean changed;
  private boolean isDeclared;
  private boolean isRecalculated;
  private long touchAt;
  private long undeclaredAt;
  private @Nullable Long dueAt;

  /**
   * @param declared the schedules that the worker was built with
   * @param wakeup wakes the thread that calls {@link #run}
   * @param nanoTime the clock, for example {@link System#nanoTime}
   */
  Scheduler(
      Optional<ScheduleStore> store,
      List<Schedule> declared,
      Wakeup wakeup,
      Reporter reporter,
      LongSupplier nanoTime,
      RandomGenerator random) {
    this.store = store;
    this.declared = List.copyOf(declared);
    this.wakeup = wakeup;
    this.reporter = reporter;
    this.nanoTime = nanoTime;
    this.random = random;
    this.undeclaredAt = nanoTime.getAsLong();
  }

  /** Records that a schedule was added or changed, so that it may be due soon. */
  void schedulesChanged() {
    changed = true;
    wakeup.raise();
  }

  /**
   * Takes the time at which the next schedule is due from the instructions that the worker has
   * received.
   */
  void instructed(WorkerInstructions instructions) {
    Duration nextFireIn = instructions.nextFireIn();
    dueAt = nextFireIn == null ? null : nanoTime.getAsLong() + nextFireIn.toNanos();
  }

  /** Returns whether {@link #run} would run a statement now. */
  boolean isDue() {
    Long due = dueAt;
    return store.isPresent()
        && (changed
            || (!declared.isEmpty() && (!isDeclared || isPast(touchAt)))
            || (due != null && isPast(due)));
  }

  /**
   * Does the work that is due.
   *
   * @return how many nanoseconds to wait before the next run; {@link #NEVER} if nothing is planned
   */
  long run() {
    if (isDue() && store.isPresent()) {
      try {
        runDue(store.get());
      } catch (StoreException failure) {
        if (failure.sqlState().filter(INSUFFICIENT_PRIVILEGE::equals).isEmpty()) {
          changed = true; // a change that was announced is not forgotten
          throw failure;
        }
        reporter.schedulesForbidden(failure);
        return NEVER; // tries again after the next announcement
      }
    }
    long untilTouch = declared.isEmpty() ? NEVER : Math.max(0, touchAt - nanoTime.getAsLong());
    Long due = dueAt;
    return due == null ? untilTouch : Math.min(untilTouch, Math.max(0, due - nanoTime.getAsLong()));
  }

  private void runDue(ScheduleStore schedules) {
    changed = false; // before the read: a change during it wakes this thread again
    declare(schedules);
    if (!isRecalculated) {
      reporter.schedulesRecalculated(schedules.recalculate());
      isRecalculated = true;
    }
    Round round = schedules.fireDue(declared);
    round.fired().forEach(reporter::scheduleFired);
    round.failed().forEach(reporter::scheduleFailed);
    Duration nextIn = round.nextIn();
    dueAt = nextIn == null ? null : nanoTime.getAsLong() + nextIn.toNanos();
    reportUndeclared(schedules);
  }

  /**
   * Reports schedules that no program declares. Called after the due schedules have been fired, so
   * as not to delay them.
   */
  private void reportUndeclared(ScheduleStore schedules) {
    if (isPast(undeclaredAt)) {
      schedules.undeclared().forEach(reporter::scheduleUndeclared);
      undeclaredAt = nanoTime.getAsLong() + Jitter.around(UNDECLARED_INTERVAL, random);
    }
  }

  private void declare(ScheduleStore schedules) {
    if (declared.isEmpty()) {
      return;
    }
    if (!isDeclared) {
      schedules.declare(declared);
      isDeclared = true;
    } else if (isPast(touchAt)) {
      schedules.touch(declared);
    } else {
      return;
    }
    touchAt = nanoTime.getAsLong() + Jitter.around(TOUCH_INTERVAL, random);
  }

  private boolean isPast(long time) {
    return nanoTime.getAsLong() - time >= 0;
  }
}
