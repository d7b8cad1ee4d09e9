package dev.skipjack.worker;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The slots of one queue. An attempt holds a slot from the time it leaves the buffer until it ends,
 * even after it has released its thread. After an attempt, a thread that the worker owns continues
 * with the next attempt in the buffer, so a new task is needed only when another slot comes into
 * use.
 *
 * <p>If an attempt waits too long for a slot, its job is released, so that a worker with a free
 * slot can claim it. If the queue is paused, all waiting attempts are released.
 *
 * <p>If the executor has held an attempt for too long without starting it, the attempt is taken
 * back, because the executor may have dropped it. If the executor starts it later, its handler does
 * not run. Slots of attempts that were taken back are given to other attempts, up to the queue's
 * number of slots, so that a hung executor does not receive an unlimited number of tasks.
 *
 * <p>If a handler is stuck, a slot is added that replaces its slot. At any time, there are at most
 * as many replacements as the queue has slots. Stuck handlers therefore neither stop the queue nor
 * cause an unlimited number of threads.
 */
final class Slots {

  /** Runs attempts and releases them. */
  interface Runner {

    /**
     * Runs one attempt in the calling thread.
     *
     * @param later called in any thread when the attempt has ended, if this method returns false
     * @return whether the attempt has ended
     */
    boolean run(Attempt attempt, Runnable later);

    /** Releases an attempt that has not begun. */
    void release(Attempt attempt);

    /** Releases an attempt for which there was no thread. */
    void refused(Attempt attempt, Throwable why);

    /** Releases an attempt that the executor received long ago and has not begun. */
    void notBegun(Attempt attempt);
  }

  private final ServedQueue queue;
  private final HandlerThreads.Running threads;
  private final Runner runner;
  private final Reporter reporter;
  private final Set<Attempt> replaced = new HashSet<>();

  /** The attempts that the executor has not begun, with the nanoTime at which it received each. */
  private final Map<Attempt, Long> handed = new HashMap<>();

  /**
   * The number of tasks that the executor has not begun, although their attempts were taken back
   * and their slots freed.
   */
  private int missing;

  /**
   * The number of tasks whose attempts were taken back but whose slots remain occupied until the
   * executor begins the tasks.
   */
  private int kept;

  private int busy;
  private volatile boolean closed;

  Slots(ServedQueue queue, HandlerThreads.Running threads, Runner runner, Reporter reporter) {
    this.queue = queue;
    this.threads = threads;
    this.runner = runner;
    this.reporter = reporter;
  }

  /**
   * Adds an attempt. Returns false if the slots are closed; the caller must then release the
   * attempt.
   */
  boolean add(Attempt attempt) {
    if (!queue.buffer().add(attempt)) {
      return false;
    }
    fill();
    return true;
  }

  /** Closes the slots, and returns the attempts that have not begun. */
  List<Attempt> close() {
    closed = true;
    return queue.buffer().close();
  }

  /** Adds a slot that replaces the slot of an attempt whose handler is stuck. */
  void replace(Attempt stuck) {
    synchronized (this) {
      if (replaced.size() >= queue.concurrency() || !stuck.isRunning()) {
        return;
      }
      replaced.add(stuck);
    }
    queue.replaced();
    fill();
  }

  /**
   * Starts waiting attempts while slots are free. If the worker owns the threads, starts only one
   * attempt, whose thread starts the next one when it begins. Waking a thread costs more than a
   * short job, so threads that are already awake take short jobs from the buffer.
   */
  private void fill() {
    fill(threads.isOwn() ? 1 : Integer.MAX_VALUE);
  }

  /**
   * @param limit the maximum number of tasks that the executor may hold without having begun them
   */
  private void fill(int limit) {
    for (Attempt next = handNext(limit); next != null; next = handNext(limit)) {
      execute(next);
    }
  }

  private synchronized @Nullable Attempt handNext(int limit) {
    if (handed.size() >= limit) {
      return null; // a thread that begins one of them continues
    }
    Attempt next = begin();
    if (next != null) {
      handed.put(next, System.nanoTime());
    }
    return next;
  }

  private synchronized @Nullable Attempt begin() {
    if (busy - replaced.size() >= queue.concurrency()) {
      return null;
    }
    Attempt next = queue.buffer().poll();
    if (next != null) {
      busy++;
    }
    return next;
  }

  /** Starts an attempt. Returns false if there was no thread; the slot is then free again. */
  private boolean start(Attempt attempt) {
    synchronized (this) {
      handed.put(attempt, System.nanoTime());
    }
    return execute(attempt);
  }

  private boolean execute(Attempt attempt) {
    try {
      threads.executor().execute(() -> work(attempt));
      return true;
    } catch (Throwable noThread) {
      synchronized (this) {
        if (handed.remove(attempt) == null) {
          return true; // the executor began it nevertheless
        }
        busy--;
      }
      runner.refused(attempt, noThread);
      return false;
    }
  }

  /**
   * Releases the attempts that have waited for the given nanoseconds or, if the queue is paused,
   * all waiting attempts. Before that, unless the queue is paused, starts all attempts for which
   * slots are free, because on a busy machine a thread may start the next one late.
   */
  void releaseWaiting(long patience) {
    if (!queue.isPaused()) {
      fill(Integer.MAX_VALUE);
    }
    List<Attempt> waited = queue.buffer().takeOut(queue.isPaused() ? 0 : patience);
    if (!waited.isEmpty()) {
      queue.waitedTooLong(); // first, so that they are not claimed again at once
    }
    for (Attempt attempt : waited) {
      try {
        runner.release(attempt);
      } catch (Throwable thrown) {
        reporter.notEnded(thrown); // the others must still be released
      }
    }
  }

  /**
   * Takes back the attempts that the executor has held for the given nanoseconds without beginning
   * them.
   */
  void takeBack(long patience) {
    List<Attempt> old = new ArrayList<>();
    synchronized (this) {
      long now = System.nanoTime();
      handed.forEach(
          (attempt, since) -> {
            if (now - since >= patience) {
              old.add(attempt);
            }
          });
      old.forEach(handed::remove);
      int freed = Math.min(old.size(), queue.concurrency() - missing);
      missing += freed;
      kept += old.size() - freed;
      busy -= freed;
    }
    for (Attempt attempt : old) {
      try {
        runner.notBegun(attempt);
      } catch (Throwable thrown) {
        reporter.notEnded(thrown); // the others must still be taken back
      }
    }
    if (!old.isEmpty()) {
      fill();
    }
  }

  /** Returns whether the attempt must still run, which is false if it was taken back. */
  private boolean isWanted(Attempt attempt) {
    synchronized (this) {
      if (handed.remove(attempt) != null) {
        return true;
      }
      if (kept > 0) {
        kept--;
        busy--;
      } else {
        missing--;
      }
    }
    fill();
    return false;
  }

  private void work(Attempt first) {
    if (!isWanted(first)) {
      return;
    }
    if (threads.isOwn()) {
      startNext();
    }
    Attempt next = runOne(first);
    while (next != null && threads.isOwn()) {
      next = runOne(next);
    }
    // Other tasks of the user's executor must get their turn.
    if (next != null && !start(next)) {
      fill();
    }
  }

  /**
   * Starts the next attempt before this thread begins its own, because its own may take a long
   * time.
   */
  private void startNext() {
    try {
      fill();
    } catch (Throwable thrown) {
      reporter.notEnded(thrown); // this thread's own attempt must still run
    }
  }

  /** Returns the attempt that this thread must run next. */
  private @Nullable Attempt runOne(Attempt attempt) {
    if (closed) {
      runner.release(attempt); // it waited in the executor
      return after(attempt);
    }
    try {
      if (!runner.run(attempt, () -> resume(attempt))) {
        return null;
      }
    } catch (Throwable thrown) {
      reporter.notEnded(thrown);
    }
    if (threads.isOwn()) {
      Thread.interrupted(); // an interrupt flag left by the handler must not affect the next job
    }
    return after(attempt);
  }

  private void resume(Attempt attempt) {
    Attempt next = after(attempt);
    if (next != null && !start(next)) {
      fill(); // otherwise waiting attempts would not start until the next arrival
    }
  }

  private @Nullable Attempt after(Attempt attempt) {
    Attempt handedOver = attempt.takeHandedOver();
    if (handedOver != null) {
      return handedOver; // it keeps the slot
    }
    boolean wasReplaced;
    Attempt next;
    synchronized (this) {
      busy--;
      wasReplaced = replaced.remove(attempt);
      next = begin();
    }
    if (wasReplaced) {
      queue.returned();
    }
    return next;
  }
}
