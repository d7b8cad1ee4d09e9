package dev.skipjack.worker;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The slots of one queue. An attempt holds a slot from leaving the buffer until it ends, even after
 * releasing its thread. After an attempt, a thread that the worker owns continues with the next one
 * of the buffer, so that a new task is needed only when a slot becomes busy.
 *
 * <p>An attempt that has waited too long for a slot is released, so that a worker with a free slot
 * can claim it: it was prefetched at the pace of earlier jobs. If the queue is paused, every
 * waiting attempt is released.
 *
 * <p>An attempt that the executor has held too long without beginning it is taken back, because the
 * executor may have dropped it. If the executor begins it later, its handler does not run. Other
 * attempts get the slots of those taken back, but only up to the number of slots of the queue: a
 * hanging executor must not be filled without limit.
 *
 * <p>If an attempt has ended but its handler still runs, its slot is replaced, up to the number of
 * slots of the queue: stuck handlers must neither stop the queue nor fill the machine with threads.
 */
final class Slots {

  /** Runs attempts and releases them. */
  interface Runner {

    /**
     * Runs one attempt in the calling thread.
     *
     * @param later if this returns false, called in any thread when the attempt has ended
     * @return whether it has ended
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

  /** Attempts that the executor has not begun, with the nanoTime at which it received them. */
  private final Map<Attempt, Long> handed = new HashMap<>();

  /** Tasks of attempts taken back whose slots were freed, and which the executor has not begun. */
  private int missing;

  /** Tasks of attempts taken back whose slots are busy until the executor begins them. */
  private int kept;

  private int busy;
  private volatile boolean closed;

  Slots(ServedQueue queue, HandlerThreads.Running threads, Runner runner, Reporter reporter) {
    this.queue = queue;
    this.threads = threads;
    this.runner = runner;
    this.reporter = reporter;
  }

  /** Returns false once closed: the caller must then release the attempt. */
  boolean add(Attempt attempt) {
    if (!queue.buffer().add(attempt)) {
      return false;
    }
    fill();
    return true;
  }

  /** Accepts nothing more, and returns the attempts that have not begun. */
  List<Attempt> close() {
    closed = true;
    return queue.buffer().close();
  }

  /** Opens a slot beside that of an attempt whose handler is stuck. */
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
   * Starts waiting attempts while slots are free. Of the worker's own threads it starts only one,
   * and that thread starts the next when it begins: waking a thread costs more than a short job,
   * and threads that are already awake take short jobs from the buffer.
   */
  private void fill() {
    fill(threads.isOwn() ? 1 : Integer.MAX_VALUE);
  }

  /**
   * @param limit how many tasks the executor may hold that it has not begun
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

  /** Returns false if there was no thread; the slot is then free again. */
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
   * all waiting attempts. Before that, all attempts for which slots are free are started: on a busy
   * machine it may take long until a thread begins and starts the next.
   */
  void releaseWaiting(long patience) {
    if (!queue.isPaused()) {
      fill(Integer.MAX_VALUE);
    }
    List<Attempt> waited = queue.buffer().takeOut(queue.isPaused() ? 0 : patience);
    if (!waited.isEmpty()) {
      queue.waitedTooLong(); // before their room is free, or they would be claimed again at once
    }
    for (Attempt attempt : waited) {
      try {
        runner.release(attempt);
      } catch (Throwable thrown) {
        reporter.notEnded(thrown); // the others must still be released
      }
    }
  }

  /** Takes back attempts that the executor has held for the given nanoseconds and has not begun. */
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

  /** Whether the attempt must still run; an attempt that was taken back has ended. */
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

  /** Starts the next attempt before this thread begins its own, which may take long. */
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
