package dev.skipjack.worker;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.spi.ScheduleStore;
import dev.skipjack.api.spi.ScheduleStore.Round;
import dev.skipjack.api.spi.WorkerInstructions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Fires schedules at their due times. The statement of the {@link Registrar} also returns the time
 * until the next schedule is due. The thread that runs this step is started when there is a
 * schedule. Without schedules in the database, a worker needs neither an additional statement nor
 * an additional thread.
 *
 * <p>Confined to its thread, except {@link #start}, {@link #schedulesChanged}, {@link #instructed},
 * {@link #isDue}, {@link #hanging} and {@link #close}.
 */
final class Scheduler implements Loop.Step {

  static final String ROLE = "scheduler";

  static final long NEVER = Long.MAX_VALUE;

  private static final long TOUCH_INTERVAL = Duration.ofHours(12).toNanos();
  private static final long UNDECLARED_INTERVAL = Duration.ofDays(1).toNanos();

  /**
   * The pause after the database has refused a statement for lack of a privilege, which an operator
   * may grant later.
   */
  private static final long FORBIDDEN_PAUSE = Duration.ofMinutes(1).toNanos();

  /** The pause after work that failed although schedules can be fired. */
  private static final long RETRY_INTERVAL = Duration.ofMinutes(1).toNanos();

  /** Longer durations are cut to this one, because their nanoseconds may not fit into a long. */
  private static final Duration LONGEST = Duration.ofDays(36_500);

  private static final String INSUFFICIENT_PRIVILEGE = "42501";

  private final Optional<ScheduleStore> store;
  private final List<Schedule> declared;
  private final Wakeup wakeup;
  private final Reporter reporter;
  private final LongSupplier nanoTime;
  private final RandomGenerator random;
  private final ScheduleCode code;
  private final Runnable starter;
  private volatile boolean changed;
  private boolean isDeclared;
  private boolean isTried;
  private boolean isRecalculated;
  private long recalculateAt;
  private volatile long touchAt;
  private long undeclaredAt;
  private boolean asked;
  private @Nullable Long dueAt; // guarded by this

  /**
   * @param declared the schedules that the worker was built with
   * @param wakeup wakes the thread that calls {@link #run}
   * @param nanoTime the clock, for example {@link System#nanoTime}
   * @param threads creates the threads that run the code of schedules
   * @param starter starts the thread that calls {@link #run}, unless it was started before
   */
  Scheduler(
      Optional<ScheduleStore> store,
      List<Schedule> declared,
      Wakeup wakeup,
      Reporter reporter,
      LongSupplier nanoTime,
      RandomGenerator random,
      ThreadFactory threads,
      Runnable starter) {
    this.store = store;
    this.declared = List.copyOf(declared);
    this.wakeup = wakeup;
    this.reporter = reporter;
    this.nanoTime = nanoTime;
    this.random = random;
    this.code = new ScheduleCode(threads, this::schedulesChanged, nanoTime, ScheduleCode.PATIENCE);
    this.starter = starter;
    this.touchAt = nanoTime.getAsLong();
    this.undeclaredAt = nanoTime.getAsLong();
    this.recalculateAt = nanoTime.getAsLong();
  }

  /** Starts the thread if the worker declares schedules. */
  void start() {
    if (store.isPresent() && !declared.isEmpty()) {
      starter.run();
    }
  }

  /** Records that a schedule was added or changed, so that it may be due soon. */
  void schedulesChanged() {
    changed = true;
    startAndWake();
  }

  private void startAndWake() {
    if (store.isPresent()) {
      starter.run();
      wakeup.raise();
    }
  }

  /**
   * Updates the time at which the next schedule is due from the worker's instructions. A time later
   * than the known one is ignored, because the schedule may have been added after the instructions
   * were read.
   */
  void instructed(WorkerInstructions instructions) {
    Duration nextFireIn = instructions.nextFireIn();
    if (nextFireIn == null) {
      return;
    }
    synchronized (this) {
      long due = nanoTime.getAsLong() + nanos(nextFireIn);
      if (dueAt == null || due - dueAt < 0) {
        dueAt = due;
      }
    }
    startAndWake();
  }

  private static long nanos(Duration duration) {
    if (duration.abs().compareTo(LONGEST) > 0) {
      return duration.isNegative() ? -LONGEST.toNanos() : LONGEST.toNanos();
    }
    return duration.toNanos();
  }

  /** Returns whether {@link #run} would run a statement now. */
  boolean isDue() {
    return store.isPresent()
        && (changed
            || (!declared.isEmpty() && isPast(touchAt))
            || untilDue() == 0
            || code.untilLimit() == 0);
  }

  /** Returns the nanoseconds until a schedule is due; {@link #NEVER} if none is planned. */
  private synchronized long untilDue() {
    return dueAt == null ? NEVER : Math.max(0, dueAt - nanoTime.getAsLong());
  }

  private synchronized void dueIn(@Nullable Duration nextIn) {
    dueAt = nextIn == null ? null : nanoTime.getAsLong() + nanos(nextIn);
  }

  /** Returns whether the last run used the database. */
  @Override
  public boolean asked() {
    return asked;
  }

  /** Returns a sentence about each schedule whose code hangs. */
  List<String> hanging() {
    return code.hanging();
  }

  /** Interrupts the code of schedules that is running. */
  void close() {
    code.close();
  }

  /**
   * Does the work that is due.
   *
   * @return how many nanoseconds to wait before the next run; {@link #NEVER} if nothing is planned
   */
  @Override
  public long run() {
    asked = isDue();
    if (asked && store.isPresent()) {
      try {
        runDue(store.get());
      } catch (StoreException failure) {
        if (!isForbidden(failure)) {
          changed = true; // a change that was announced is not forgotten
          throw failure;
        }
        reporter.schedulesForbidden(failure);
        return FORBIDDEN_PAUSE;
      }
    }
    long untilTouch = declared.isEmpty() ? NEVER : Math.max(0, touchAt - nanoTime.getAsLong());
    return Math.min(untilTouch, Math.min(untilDue(), code.untilLimit()));
  }

  /**
   * Fires the due schedules. If other work fails, for example because another session has locked a
   * row, the failure is reported and that work is tried again later.
   */
  private void runDue(ScheduleStore schedules) {
    changed = false; // before the read: a change during it wakes this thread again
    if (declared.isEmpty() || isTried) {
      fire(schedules);
      renew(schedules);
    } else {
      // A new version of a definition is written before its schedule is fired.
      @Nullable Throwable failure = failureOf(() -> schedules.declare(declared));
      fire(schedules);
      isTried = true;
      declaredWith(failure);
    }
    recalculate(schedules);
    reportUndeclared(schedules);
  }

  private void fire(ScheduleStore schedules) {
    Round round =
        schedules.fireDue(
            declared.stream().filter(schedule -> !code.isRunning(schedule.name())).toList(), code);
    dueIn(round.nextIn());
    round.fired().forEach(reporter::scheduleFired);
    round.failed().forEach(reporter::scheduleFailed);
  }

  private void renew(ScheduleStore schedules) {
    if (declared.isEmpty() || !isPast(touchAt)) {
      return;
    }
    if (isDeclared) {
      declaredWith(failureOf(() -> schedules.touch(declared)));
    } else {
      declaredWith(failureOf(() -> schedules.declare(declared)));
      if (isDeclared) {
        schedulesChanged(); // they may be due before the next planned time that was read
      }
    }
  }

  private void declaredWith(@Nullable Throwable failure) {
    if (failure == null) {
      isDeclared = true;
      touchAt = nanoTime.getAsLong() + Jitter.around(TOUCH_INTERVAL, random);
    } else {
      touchAt = nanoTime.getAsLong() + RETRY_INTERVAL;
      failed("declared", failure);
    }
  }

  private void recalculate(ScheduleStore schedules) {
    if (isRecalculated || !isPast(recalculateAt)) {
      return;
    }
    Throwable failure =
        failureOf(
            () -> {
              List<String> moved = schedules.recalculate();
              reporter.schedulesRecalculated(moved);
              if (!moved.isEmpty()) {
                schedulesChanged();
              }
            });
    isRecalculated = failure == null;
    if (failure != null) {
      recalculateAt = nanoTime.getAsLong() + RETRY_INTERVAL;
      failed("recalculated", failure);
    }
  }

  private void failed(String what, Throwable failure) {
    if (isForbidden(failure)) {
      reporter.schedulesForbidden(failure);
    } else {
      reporter.schedulesNot(what, failure);
    }
  }

  private static boolean isForbidden(Throwable failure) {
    return failure instanceof StoreException rejected
        && rejected.sqlState().filter(INSUFFICIENT_PRIVILEGE::equals).isPresent();
  }

  /**
   * Runs code that may throw anything, such as the encoder of a payload, and returns what it
   * throws, or null.
   */
  private static @Nullable Throwable failureOf(Runnable work) {
    try {
      work.run();
      return null;
    } catch (Throwable failure) {
      return failure;
    }
  }

  /**
   * Reports schedules that no program declares. Called after the due schedules have been fired,
   * because it would delay them.
   */
  private void reportUndeclared(ScheduleStore schedules) {
    if (isPast(undeclaredAt)) {
      schedules.undeclared().forEach(reporter::scheduleUndeclared);
      undeclaredAt = nanoTime.getAsLong() + Jitter.around(UNDECLARED_INTERVAL, random);
    }
  }

  private boolean isPast(long time) {
    return nanoTime.getAsLong() - time >= 0;
  }
}
