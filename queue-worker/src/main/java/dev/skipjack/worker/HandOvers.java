package dev.skipjack.worker;

import static dev.skipjack.worker.WorkerLog.LOG;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.HandOver;
import dev.skipjack.api.spi.HandedOver;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Verdict;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Completes jobs with an ordering key in the thread of their handler, together with the claim of
 * the next job of the key, which that thread runs after the commit. Otherwise the completion and
 * the claim would need separate round trips and threads.
 *
 * <p>A job is handed over only if its slot may take it: no other job of the queue waits for a slot
 * in this worker, and the jobs that follow each other have occupied the slot for less than 50 ms.
 * No job is handed over if this worker holds jobs of more than two keys, because statements for
 * many jobs are then cheaper. Without a hand-over, the {@link OutcomeFlusher} writes the ending,
 * and the next job is promoted.
 *
 * <p>If the write fails, the flusher repeats it without a hand-over and releases the job that may
 * have been handed over. Safe for any number of threads.
 */
final class HandOvers {

  /**
   * How long jobs may follow each other. It equals the intended wait of prefetched jobs, and is
   * shorter than the time for which the claim loop uses its list of lanes.
   */
  private static final long LONGEST = Duration.ofMillis(50).toNanos();

  /**
   * The maximum number of characters of the next job's payload, which arrives without the limits of
   * a claim.
   */
  private static final int LARGEST_PAYLOAD = 64 * 1024;

  /**
   * The maximum number of keys whose jobs this worker holds. With two keys, hand-overs are faster
   * and cheaper for the server; with four, they are faster but cost twice as much.
   */
  private static final int MOST_KEYS = 2;

  /** How long to leave all completions to the flusher after a failure. */
  private static final long AFTER_FAILURE = Duration.ofSeconds(1).toNanos();

  private final JobStore store;
  private final WorkerId worker;
  private final List<String> kinds;
  private final Duration lease;
  private final RunningJobs running;
  private final OutcomeFlusher flusher;
  private final Reporter reporter;
  private volatile boolean accepting;
  private volatile long notBefore = System.nanoTime();

  HandOvers(
      JobStore store,
      WorkerId worker,
      List<String> kinds,
      Duration lease,
      RunningJobs running,
      OutcomeFlusher flusher,
      Reporter reporter) {
    this.store = store;
    this.worker = worker;
    this.kinds = kinds;
    this.lease = lease;
    this.running = running;
    this.flusher = flusher;
    this.reporter = reporter;
  }

  /** Permits hand-overs, because there are slots whose threads run the jobs. */
  void begin() {
    accepting = true;
  }

  /** Permits no more hand-overs, because the worker stops. One that has begun is finished. */
  void end() {
    accepting = false;
  }

  /** Writes an ending in the calling thread, or passes it to the flusher. */
  void write(Attempt attempt, Ending ending) {
    int largest =
        mayFollow(attempt, ending) ? Math.min(attempt.queue().mayTakeOver(), LARGEST_PAYLOAD) : 0;
    if (largest == 0) {
      flusher.offer(attempt, ending);
      return;
    }
    long sentAt = System.nanoTime();
    HandedOver result;
    try {
      result =
          store.handOver(
              new HandOver(
                  attempt.execution(), attempt.job().lane(), worker, kinds, largest, lease));
    } catch (Throwable failure) {
      LOG.debug(
          "Hand-over failed, the completion is repeated without one {} error={}",
          attempt.info(),
          LogText.of(failure));
      notBefore = System.nanoTime() + AFTER_FAILURE;
      flusher.offerAgain(attempt, ending, failure);
      return;
    }
    reporter.flushTook(System.nanoTime() - sentAt);
    if (result.verdict() == Verdict.DONE) {
      completed(attempt, ending, result.next(), sentAt);
    } else {
      flusher.offer(attempt, ending); // it repeats the write and acts on the verdict
    }
  }

  private boolean mayFollow(Attempt attempt, Ending ending) {
    long now = System.nanoTime();
    return accepting
        && attempt.execution().isOrdered()
        && !attempt.execution().isOwned() // the statement copies neither the owner nor the steps
        && !attempt.execution().hasSteps()
        && ending.equals(Ending.Completed.PLAIN)
        && running.ordered() <= MOST_KEYS
        && now - attempt.followingSince() < LONGEST
        && now - notBefore >= 0
        && !Thread.currentThread().isInterrupted(); // the statement could fail
  }

  private void completed(Attempt attempt, Ending ending, @Nullable ClaimedJob job, long sentAt) {
    Attempt next = job == null ? null : new Attempt(job, attempt.queue(), lease, sentAt);
    // Added before the completed attempt is removed, because a worker without attempts may stop.
    if (next != null && running.add(next)) {
      attempt.handOver(next);
    } else {
      next = null; // it was given up
    }
    running.settle(attempt);
    reporter.ended(attempt, ending, ExecutionStatus.SUCCEEDED);
    if (next != null) {
      reporter.claimed(next);
    }
  }
}
