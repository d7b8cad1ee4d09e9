package dev.skipjack.worker;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The places of one queue. An attempt takes a place when it leaves the buffer and has it until it
 * has ended, whether it keeps a thread or not. A thread of the worker's own whose attempt has ended
 * goes on with the next of the buffer, so that only a place that becomes busy costs a task.
 *
 * <p>What has waited for a place for long is given back, so that workers with a free one get it: it
 * was claimed ahead at the pace of others. So is all that waits when the queue is paused.
 *
 * <p>What the executor has and has not begun for long is taken back: it may have dropped it. If it
 * begins it after all, nothing is run. Others get the places of what was taken back, but only up to
 * as many as the queue has: an executor that hangs must not be filled without end.
 *
 * <p>An attempt that is over but whose handler does not end gets a second place for others to use,
 * up to as many as the queue has: stuck handlers must not stop the queue, nor fill the machine with
 * threads.
 */
final class Slots {

  /** What runs attempts and takes them back. */
  interface Runner {

    /**
     * Runs one attempt in the calling thread.
     *
     * @param later called in some thread when it has ended, if the answer is false
     * @return whether it has ended
     */
    boolean run(Attempt attempt, Runnable later);

    /** Releases an attempt that has not begun. */
    void release(Attempt attempt);

    /** Releases an attempt for which there was no thread. */
    void refused(Attempt attempt, Throwable why);

    /** Releases an attempt that the executor was given long ago and has not begun. */
    void notBegun(Attempt attempt);
  }

  private final ServedQueue queue;
  private final HandlerThreads.Running threads;
  private final Runner runner;
  private final Reporter reporter;
  private final Set<Attempt> replaced = new HashSet<>();

  /** What the executor has not begun, and since when (nanoTime) it has it. */
  private final Map<Attempt, Long> handed = new HashMap<>();

  /** Taken back, its place given to others, and not come back out of the executor. */
  private int missing;

  /** Taken back, its place kept until it comes back out of the executor. */
  private int kept;

  private int busy;
  private volatile boolean closed;

  Slots(ServedQueue queue, HandlerThreads.Running threads, Runner runner, Reporter reporter) {
    this.queue = queue;
    this.threads = threads;
    this.runner = runner;
    this.reporter = reporter;
  }

  /** Answers false once closed: the attempt is then the caller's to give back. */
  boolean add(Attempt attempt) {
    if (!queue.buffer().add(attempt)) {
      return false;
    }
    fill();
    return true;
  }

  /** Takes nothing more, and answers what has not begun. */
  List<Attempt> close() {
    closed = true;
    return queue.buffer().close();
  }

  /** Opens a place beside that of an attempt whose handler is stuck. */
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

  private void fill() {
    for (Attempt next = begin(); next != null; next = begin()) {
      start(next);
    }
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

  /** Answers false if there was no thread; the place is free again then. */
  private boolean start(Attempt attempt) {
    synchronized (this) {
      handed.put(attempt, System.nanoTime());
    }
    try {
      threads.executor().execute(() -> work(attempt));
      return true;
    } catch (Throwable noThread) {
      synchronized (this) {
        if (handed.remove(attempt) == null) {
          return true; // it was begun all the same
        }
        busy--;
      }
      runner.refused(attempt, noThread);
      return false;
    }
  }

  /**
   * Gives back what has waited for so many nanoseconds or, of a paused queue, at all. What waits
   * has found all places taken.
   */
  void releaseWaiting(long patience) {
    List<Attempt> waited = queue.buffer().takeOut(queue.isPaused() ? 0 : patience);
    if (!waited.isEmpty()) {
      queue.waitedTooLong(); // before their room is free, or they were claimed again at once
    }
    for (Attempt attempt : waited) {
      try {
        runner.release(attempt);
      } catch (Throwable thrown) {
        reporter.notEnded(thrown); // the others are to be given back all the same
      }
    }
  }

  /** Takes back what the executor has had for so many nanoseconds and has not begun. */
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
        reporter.notEnded(thrown); // the others are to be taken back all the same
      }
    }
    if (!old.isEmpty()) {
      fill();
    }
  }

  /** Answers whether it is still to be run; what was taken back has had its end. */
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
    Attempt next = runOne(first);
    while (next != null && threads.isOwn()) {
      next = runOne(next);
    }
    // An executor of the user's has other tasks, which must have their turn.
    if (next != null && !start(next)) {
      fill();
    }
  }

  /** Answers what this thread is to run next. */
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
      Thread.interrupted(); // a flag that the handler left must not strike the next job
    }
    return after(attempt);
  }

  private void resume(Attempt attempt) {
    Attempt next = after(attempt);
    if (next != null && !start(next)) {
      fill(); // or those behind it would wait for an arrival
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
