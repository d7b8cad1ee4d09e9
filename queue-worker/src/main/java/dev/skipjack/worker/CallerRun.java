package dev.skipjack.worker;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.OrderedJobs;
import dev.skipjack.api.spi.OrderedJobs.Sweep;
import dev.skipjack.api.spi.OwnedJobs;
import dev.skipjack.api.spi.OwnedJobs.Checked;
import dev.skipjack.api.spi.UnknownClaimException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/**
 * Runs attempts in the calling thread, one after the other, while the engine's threads renew leases
 * and write outcomes. Used once.
 */
final class CallerRun {

  private static final long NO_DEADLINE = Long.MAX_VALUE / 2; // nanoTime may be negative
  private static final long LAST_WRITES = Duration.ofSeconds(3).toNanos();

  private final Engine engine;
  private final Claimer claimer;
  private final LostClaims lost;
  private final Optional<OrderedJobs> orderedJobs;
  private final Optional<OwnedJobs> ownedJobs;
  private final Reporter reporter;
  private final Map<String, Integer> room = new LinkedHashMap<>();
  private final int batch;
  private volatile boolean stopped;

  /**
   * @param batch maximum number of jobs in one claim
   */
  CallerRun(
      Engine engine,
      Claimer claimer,
      LostClaims lost,
      Optional<OrderedJobs> orderedJobs,
      Optional<OwnedJobs> ownedJobs,
      Iterable<ServedQueue> queues,
      Reporter reporter,
      int batch) {
    this.engine = engine;
    this.claimer = claimer;
    this.lost = lost;
    this.orderedJobs = orderedJobs;
    this.ownedJobs = ownedJobs;
    this.reporter = reporter;
    this.batch = batch;
    queues.forEach(queue -> room.put(queue.name(), batch));
  }

  /**
   * Claims and runs jobs until nothing is due, the run is stopped or the caller is interrupted.
   *
   * @param batches the maximum number of claims
   * @return the number of attempts that ran
   */
  int run(int batches) {
    engine.start();
    boolean interrupted = false;
    int attempts = 0;
    try {
      for (int i = 0; i < batches && !interrupted && !stopped; i++) {
        int ran = runBatch();
        attempts += ran;
        interrupted = Thread.interrupted();
        // The next claim must see the outcomes of these jobs: a retry without a delay is due again.
        interrupted |= !settled(interrupted ? LAST_WRITES : NO_DEADLINE);
        if (ran == 0) {
          claimer.held().forEach(reporter::held);
          break;
        }
      }
    } finally {
      try {
        engine.stop(interrupted || stopped);
      } catch (InterruptedException stop) {
        interrupted = true;
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    return attempts;
  }

  /** Ends the run after the current attempt; called by another thread. */
  void stop() {
    stopped = true;
  }

  /** Ends the run now: interrupts the current attempt and releases all attempts that are held. */
  void stopNow() {
    stopped = true;
    engine.running().all().forEach(engine.runner()::release);
  }

  /** Waits until the outcomes are written. If the caller is interrupted, the wait is short. */
  private boolean settled(long nanos) {
    try {
      return engine.running().awaitNone(System.nanoTime() + nanos);
    } catch (InterruptedException stop) {
      settled(LAST_WRITES);
      return false;
    }
  }

  /** Runs one attempt and waits until it has ended, even if its handler returned a stage. */
  private void run(Attempt attempt) {
    CountDownLatch ended = new CountDownLatch(1);
    if (!engine.runner().run(attempt, ended::countDown)) {
      try {
        ended.await();
      } catch (InterruptedException stop) {
        engine.runner().release(attempt);
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * Promotes waiting jobs that are not preceded by another job of their ordering key, for instance
   * those that the caller has enqueued in its own transaction.
   *
   * @return whether any of them is due in a served queue
   */
  private boolean promote() {
    if (orderedJobs.isEmpty()) {
      return false;
    }
    List<Lane> lanes = new ArrayList<>();
    Sweep sweep;
    do {
      sweep = orderedJobs.get().sweep();
      sweep.promoted().forEach(wakeUp -> lanes.add(wakeUp.lane()));
    } while (sweep.unfinished());
    return expect(lanes);
  }

  /**
   * Acts on owners whose last job has ended.
   *
   * @return whether a job has become due in a served queue
   */
  private boolean checkOwners() {
    if (ownedJobs.isEmpty()) {
      return false;
    }
    List<Lane> lanes = new ArrayList<>();
    Checked checked;
    do {
      checked = ownedJobs.get().sweep();
      checked.due().forEach(wakeUp -> lanes.add(wakeUp.lane()));
    } while (checked.unfinished());
    return expect(lanes);
  }

  private boolean expect(List<Lane> lanes) {
    lanes.removeIf(lane -> !room.containsKey(lane.queue()));
    claimer.expect(lanes);
    return !lanes.isEmpty();
  }

  private int runBatch() {
    Deque<Attempt> claimed = new ArrayDeque<>(claim());
    if (claimed.isEmpty()) {
      boolean isPromoted = promote();
      if (checkOwners() || isPromoted) {
        claimed.addAll(claim());
      }
    }
    int ran = 0;
    try {
      claimed.forEach(engine.running()::add);
      claimed.forEach(reporter::claimed);
      while (!claimed.isEmpty()) {
        Attempt next = claimed.pop();
        if (stopped || Thread.currentThread().isInterrupted()) {
          engine.runner().release(next);
        } else {
          run(next);
          // Another thread may have stopped the run just before the attempt began.
          ran += next.hasBegun() ? 1 : 0;
        }
      }
    } finally {
      claimed.forEach(engine::release); // only after a failure, which ends the run
    }
    return ran;
  }

  /** Claims jobs. If the claim is lost, its jobs are released now, because the run ends. */
  private List<Attempt> claim() {
    try {
      return claimer.claim(room, batch);
    } catch (UnknownClaimException failure) {
      lost.add(failure);
      try {
        lost.release();
      } catch (StoreException unavailable) {
        failure.addSuppressed(unavailable);
      }
      throw failure;
    }
  }
}
