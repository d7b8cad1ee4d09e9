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
 * Fires schedules at their due times. The statement of the {@link Registrar} also returns when the
 * next schedule is due. The thread that runs this step is started when there is a schedule; without
 * schedules in the database, a worker needs neither an additional statement nor an additional
 * thread. Whatever a schedule does, the registrar goes on.
 *
 * <p>Confined to its thread, except {@link #schedulesChanged}, {@link #instructed}, {@link #isDue}
 * and {@link #close}.
 */
final class Scheduler implements Loop.Step {

  static final String ROLE = "scheduler";

  static final long NEVER = Long.MAX_VALUE;

  private static final long TOUCH_INTERVAL = Duration.ofHours(12).toNanos();
  private static final long UNDECLARED_INTERVAL = Duration.ofDays(1).toNanos();

  /** The pause after the database has refused a right, which an operator may grant meanwhile. */
  private static final long FORBIDDEN_PAUSE = Duration.ofMinutes(1).toNanos();

  /** The pause after declarations that the database rejected. */
  private static final long DECLARED_AGAIN = Duration.ofMinutes(1).toNanos();

  /** Longer durations are not distinguished, because they exceed a number of nanoseconds. */
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
  private volatile boolean isDeclared;
  private boolean isRecalculated;
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
    this.code = new ScheduleCode(threads, this::schedulesChanged, nanoTime);
    this.starter = starter;
    this.touchAt = nanoTime.getAsLong();
    this.undeclaredAt = nanoTime.getAsLong();
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
   * Takes the time at which the next schedule is due from the instructions that the worker has
   * received. A later time than known is ignored: the schedule may have been added after the
   * instructions were read.
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

  /** Returns the nanoseconds until a schedule is due; {@link #NEVER} if none will be due. */
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
        if (failure.sqlState().filter(INSUFFICIENT_PRIVILEGE::equals).isEmpty()) {
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

  private void runDue(ScheduleStore schedules) {
    changed = false; // before the read: a change during it wakes this thread again
    declare(schedules);
    if (!isRecalculated) {
      reporter.schedulesRecalculated(schedules.recalculate());
      isRecalculated = true;
    }
    Round round =
        schedules.fireDue(
            declared.stream().filter(schedule -> !code.isRunning(schedule.name())).toList(), code);
    dueIn(round.nextIn());
    round.fired().forEach(reporter::scheduleFired);
    round.failed().forEach(reporter::scheduleFailed);
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
    if (declared.isEmpty() || !isPast(touchAt)) {
      return;
    }
    long pause = Jitter.around(TOUCH_INTERVAL, random);
    if (isDeclared) {
      schedules.touch(declared);
    } else {
      try {
        schedules.declare(declared);
        isDeclared = true;
      } catch (RuntimeException rejected) {
        if (!isOfDeclaration(rejected)) {
          throw rejected;
        }
        reporter.schedulesNotDeclared(rejected);
        pause = DECLARED_AGAIN; // other schedules must still fire
      }
    }
    touchAt = nanoTime.getAsLong() + pause;
  }

  /** Returns whether a failure is caused by the declarations, and not by the database's state. */
  private static boolean isOfDeclaration(RuntimeException failure) {
    return !(failure instanceof StoreException rejected)
        || rejected
            .sqlState()
            .filter(state -> state.startsWith("22") || state.startsWith("23"))
            .isPresent();
  }

  private boolean isPast(long time) {
    return nanoTime.getAsLong() - time >= 0;
  }
}
