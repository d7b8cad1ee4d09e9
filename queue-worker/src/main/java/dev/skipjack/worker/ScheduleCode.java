package dev.skipjack.worker;

import dev.skipjack.api.QueueException;
import dev.skipjack.api.spi.ScheduleStore.Plan;
import dev.skipjack.api.spi.ScheduleStore.PlanRunner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.FutureTask;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Runs the application's code for schedules, such as payload functions, in threads of its own. Code
 * that returns quickly costs one thread, which is reused. Slow code continues while other schedules
 * fire. Code that exceeds the limit is interrupted, and the try to fire counts as failed.
 *
 * <p>A schedule's code is not called again while an earlier call runs, even if that call ignores
 * the interrupt, so there is at most one thread for each schedule. At most {@link #MOST} calls that
 * have not reached the limit run at the same time. Plans beyond that remain due. Thread-safe.
 */
final class ScheduleCode implements PlanRunner {

  /** The maximum duration of a call before it is interrupted. */
  static final Duration LIMIT = Duration.ofSeconds(30);

  static final String ROLE = "schedule-code";

  /** The maximum number of calls that run at the same time and have not reached the limit. */
  static final int MOST = 16;

  /** How long a round waits for one call. Most payload functions return within microseconds. */
  static final Duration PATIENCE = Duration.ofMillis(20);

  /** How long a round waits for all of its calls, in multiples of its patience for one. */
  private static final int PATIENCE_OF_ROUND = 5;

  private static final Duration IDLE = Duration.ofSeconds(10);

  private final ExecutorService threads;
  private final Runnable whenLate;
  private final LongSupplier nanoTime;
  private final long patience;
  private final Map<String, Call> running = new TreeMap<>();

  /**
   * @param whenLate called when code returns after its round has stopped waiting, and when there is
   *     room for plans that were left out
   * @param nanoTime the clock, for example {@link System#nanoTime}
   * @param patience how long a round waits for one call
   */
  ScheduleCode(ThreadFactory factory, Runnable whenLate, LongSupplier nanoTime, Duration patience) {
    this.threads =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE.toNanos(),
            TimeUnit.NANOSECONDS,
            new SynchronousQueue<>(),
            factory);
    this.whenLate = whenLate;
    this.nanoTime = nanoTime;
    this.patience = patience.toNanos();
  }

  /** A call that was started. Its flags are guarded by the map of running calls. */
  private static final class Call {

    private final Plan plan;
    private final long began;
    private final FutureTask<Boolean> task;
    private final CountDownLatch returned = new CountDownLatch(1);
    private boolean late;
    private boolean expired;

    private Call(Plan plan, long began, Runnable whenReturned) {
      this.plan = plan;
      this.began = began;
      this.task =
          new FutureTask<>(
              () -> {
                try {
                  plan.run();
                } finally {
                  returned.countDown();
                  whenReturned.run();
                }
              },
              true);
    }

    private boolean hasReturned() {
      return returned.getCount() == 0;
    }
  }

  @Override
  public List<Plan> run(List<Plan> plans) {
    List<Plan> ended = new ArrayList<>();
    long until = nanoTime.getAsLong() + PATIENCE_OF_ROUND * patience;
    boolean leftOut = false;
    for (Plan plan : plans) {
      if (isFull()) {
        leftOut = true;
        break;
      }
      Call call = new Call(plan, nanoTime.getAsLong(), () -> returned(plan));
      synchronized (running) {
        running.put(plan.schedule(), call);
      }
      try {
        threads.execute(call.task);
        await(call, Math.min(patience, until - nanoTime.getAsLong()));
      } catch (Throwable refused) { // there may be no memory for another thread
        plan.fail(refused);
        call.returned.countDown();
      }
    }
    collect(ended);
    if (leftOut && !isFull()) {
      whenLate.run(); // otherwise, the end of a call wakes the worker
    }
    return ended;
  }

  private boolean isFull() {
    synchronized (running) {
      return running.values().stream()
              .filter(call -> !call.hasReturned() && untilLimit(call) > 0)
              .count()
          >= MOST;
    }
  }

  private void collect(List<Plan> ended) {
    synchronized (running) {
      for (Iterator<Call> each = running.values().iterator(); each.hasNext(); ) {
        Call call = each.next();
        call.late = true;
        if (call.hasReturned()) {
          each.remove();
          if (!call.expired) {
            ended.add(call.plan);
          }
        } else if (!call.expired && untilLimit(call) <= 0) {
          call.expired = true;
          call.plan.fail(tookTooLong(call.plan.schedule()));
          call.task.cancel(true);
          ended.add(call.plan);
        }
      }
    }
  }

  private static void await(Call call, long nanos) {
    try {
      boolean unused = call.returned.await(nanos, TimeUnit.NANOSECONDS);
    } catch (InterruptedException stray) {
      // A later round collects the call.
    }
  }

  private void returned(Plan plan) {
    boolean late;
    synchronized (running) {
      Call call = running.get(plan.schedule());
      late = call != null && call.late;
    }
    if (late) {
      whenLate.run();
    }
  }

  private long untilLimit(Call call) {
    return call.began + LIMIT.toNanos() - nanoTime.getAsLong();
  }

  /** Returns whether a schedule's code is running, or has returned and was not collected yet. */
  boolean isRunning(String schedule) {
    synchronized (running) {
      return running.containsKey(schedule);
    }
  }

  /** Returns the nanoseconds until a call reaches the limit; {@link Scheduler#NEVER} for none. */
  long untilLimit() {
    synchronized (running) {
      return running.values().stream()
          .filter(call -> !call.expired)
          .mapToLong(call -> Math.max(0, untilLimit(call)))
          .min()
          .orElse(Scheduler.NEVER);
    }
  }

  /** Returns a sentence about each schedule whose code is still running after an interrupt. */
  List<String> hanging() {
    synchronized (running) {
      return running.values().stream()
          .filter(call -> call.expired && !call.hasReturned())
          .map(
              call ->
                  "The code of schedule '%s' has run for %d s and does not react to an interrupt, so this worker does not fire the schedule."
                      .formatted(
                          call.plan.schedule(),
                          TimeUnit.NANOSECONDS.toSeconds(nanoTime.getAsLong() - call.began)))
          .toList();
    }
  }

  /** Interrupts the code that is running. */
  void close() {
    threads.shutdownNow();
  }

  private static QueueException tookTooLong(String schedule) {
    return new QueueException(
        "The code of schedule '%s', such as its payload function, has not returned within %d s. Make it faster, or let the handler do the work."
            .formatted(schedule, LIMIT.toSeconds()),
        null);
  }
}
