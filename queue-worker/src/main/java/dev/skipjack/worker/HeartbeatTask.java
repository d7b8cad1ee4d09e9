package dev.skipjack.worker;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.Progress;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Renews the leases of all attempts that the worker holds, whether they are buffered, running or
 * unwritten. Between renewals, it reads which cancellations were requested and writes the progress
 * that handlers report, each at least about once a second. It has a dedicated thread, so that no
 * handler can delay it, and is the last loop to stop.
 */
final class HeartbeatTask implements Loop.Step {

  private static final int BATCH = 500;

  /**
   * The maximum pause between runs. It ensures that a cancellation arrives within a second even if
   * leases are long.
   */
  private static final long LONGEST_TICK = Duration.ofMillis(900).toNanos();

  /**
   * SQLSTATEs after which a smaller batch may succeed: a deadlock, a cancelled statement and an
   * unavailable lock.
   */
  private static final Set<String> SMALLER_MAY_DO = Set.of("40P01", "57014", "55P03");

  /**
   * The maximum number of times that a long lease is requested, if a renewal was in progress each
   * time.
   */
  private static final int SPARE_TRIES = 3;

  private final LeaseKeeper leases;
  private final JobStore store;
  private final WorkerConfig config;
  private final RunningJobs running;
  private final Consumer<Attempt> cancel;
  private final Reporter reporter;

  /**
   * Locked while usual renewals are in progress, so that {@link #spare} can wait for them. {@code
   * spare} sends nothing while it holds this lock, so an attempt that is about to start does not
   * delay renewals.
   */
  private final ReentrantLock renewing = new ReentrantLock();

  private boolean asked;
  private int readOnlyMet;

  /**
   * @param leases used only by the heartbeat's thread
   * @param store grants the long leases, in the threads of the handlers and on connections of the
   *     pool
   * @param cancel called for attempts whose cancellation an operator has requested, possibly more
   *     than once
   */
  HeartbeatTask(
      LeaseKeeper leases,
      JobStore store,
      WorkerConfig config,
      RunningJobs running,
      Consumer<Attempt> cancel,
      Reporter reporter) {
    this.leases = leases;
    this.store = store;
    this.config = config;
    this.running = running;
    this.cancel = cancel;
    this.reporter = reporter;
  }

  /**
   * Renews the leases that are due. Runs more often than leases are due, so that a row that was
   * busy is tried again soon.
   */
  @Override
  public long run() {
    long interval = config.heartbeatInterval().toNanos();
    long now = System.nanoTime();
    renewing.lock();
    try {
      renewAll(now, interval);
    } finally {
      renewing.unlock();
    }
    hearCancels(now);
    writeProgress();
    return Math.min(interval / 4, LONGEST_TICK);
  }

  /**
   * Gives one lease of this duration to an attempt that has not begun, and leaves the job's row
   * unchanged until half of the lease has passed. If that fails, the attempt keeps its lease and is
   * renewed as usual. Ends the attempt if its lease is lost or an operator has requested
   * cancellation. Called by the thread that is about to run the handler.
   */
  void spare(Attempt attempt, Duration lease) {
    try {
      for (int tries = 0; tries < SPARE_TRIES && !attempt.lease().isSpared(); tries++) {
        awaitRenewals();
        int before = attempt.lease().renewals();
        long sentAt = System.nanoTime();
        Renewal renewal = store.heartbeat(List.of(attempt.execution()), lease).get(0);
        if (renewal.verdict() == Verdict.LOST) {
          lost(attempt, renewal);
        }
        if (renewal.verdict() != Verdict.DONE) {
          return;
        }
        boolean unused = attempt.lease().spare(lease, sentAt, before);
        cancelIfRequested(attempt, renewal);
      }
    } catch (StoreException notNow) {
      reporter.notSpared(attempt, notNow);
    }
  }

  /** Waits until the current renewals have ended, but at most for a heartbeat interval. */
  private void awaitRenewals() {
    try {
      if (renewing.tryLock(config.heartbeatInterval().toNanos(), TimeUnit.NANOSECONDS)) {
        renewing.unlock();
      }
    } catch (InterruptedException stopping) {
      Thread.currentThread().interrupt();
    }
  }

  private void renewAll(long now, long interval) {
    List<Attempt> due = new ArrayList<>();
    Map<Duration, List<Attempt>> spared = new HashMap<>();
    for (Attempt attempt : running.all()) {
      if (!attempt.lease().isDue(now, interval)) {
        continue;
      }
      if (attempt.lease().beginRenewal()) {
        due.add(attempt);
      } else if (attempt
          .lease()
          .isDue(now, interval)) { // checked again, because it may have been spared
        spared.computeIfAbsent(attempt.lease().length(), lease -> new ArrayList<>()).add(attempt);
      }
    }
    asked = !due.isEmpty() || !spared.isEmpty();
    int met = reporter.database().readOnlyMet();
    if (met != readOnlyMet) {
      leases.recheck();
      readOnlyMet = met;
    }
    leases.reserve();
    RuntimeException failed = renewInBatches(due, config.lease());
    for (Map.Entry<Duration, List<Attempt>> alike : spared.entrySet()) {
      RuntimeException thrown = renewInBatches(alike.getValue(), alike.getKey());
      failed = thrown == null ? failed : thrown;
    }
    if (failed != null) {
      throw failed;
    }
  }

  /** Renews as many leases as possible: if one batch fails, the others are still renewed. */
  private @Nullable RuntimeException renewInBatches(List<Attempt> due, Duration lease) {
    RuntimeException failed = null;
    for (int from = 0; from < due.size(); from += BATCH) {
      List<Attempt> batch = due.subList(from, Math.min(from + BATCH, due.size()));
      try {
        renewOrHalve(batch, lease);
      } catch (Throwable thrown) {
        failed = Loop.unchecked(thrown);
      }
    }
    return failed;
  }

  @Override
  public boolean asked() {
    return asked;
  }

  /**
   * Reads the cancellation requests of attempts that were not renewed in this run. For all other
   * attempts, the renewal has returned them.
   */
  private void hearCancels(long began) {
    List<Attempt> held =
        running.all().stream()
            .filter(
                attempt ->
                    !attempt.isCancelled()
                        && !attempt.isUnwritten()
                        && attempt.lease().isRenewable()
                        && attempt.lease().renewedAt() - began < 0)
            .toList();
    for (int from = 0; from < held.size(); from += BATCH) {
      List<Attempt> batch = held.subList(from, Math.min(from + BATCH, held.size()));
      asked = true;
      Set<ExecutionId> cancelled =
          leases.cancelRequested(batch.stream().map(Attempt::execution).toList());
      for (Attempt attempt : batch) {
        if (cancelled.contains(attempt.execution().id())) {
          cancel.accept(attempt);
        }
      }
    }
  }

  /**
   * Writes the latest progress of each attempt. Progress whose row is busy is written in the next
   * run.
   */
  private void writeProgress() {
    List<Attempt> reporting = new ArrayList<>();
    List<Progress> news = new ArrayList<>();
    for (Attempt attempt : running.all()) {
      Progress latest =
          attempt.isRunning() && !attempt.lease().isSpared() ? attempt.latestProgress() : null;
      if (latest != null) {
        reporting.add(attempt);
        news.add(latest);
      }
    }
    for (int from = 0; from < news.size(); from += BATCH) {
      List<Progress> batch = news.subList(from, Math.min(from + BATCH, news.size()));
      List<Verdict> verdicts = leases.progress(batch);
      for (int i = 0; i < batch.size(); i++) {
        if (verdicts.get(i) != Verdict.BUSY) {
          reporting.get(from + i).progressWritten(batch.get(i));
        }
      }
    }
  }

  /**
   * Renews a batch. If the server aborts the statement, renews it in halves, because the batch may
   * be too large for the server's limits.
   */
  private void renewOrHalve(List<Attempt> batch, Duration lease) {
    try {
      renew(batch, lease);
    } catch (StoreException broken) {
      if (batch.size() == 1 || broken.sqlState().filter(SMALLER_MAY_DO::contains).isEmpty()) {
        throw broken;
      }
      renewOrHalve(batch.subList(0, batch.size() / 2), lease);
      renewOrHalve(batch.subList(batch.size() / 2, batch.size()), lease);
    }
  }

  private void renew(List<Attempt> batch, Duration lease) {
    List<Execution> executions = new ArrayList<>(batch.size());
    batch.forEach(attempt -> executions.add(attempt.execution()));
    long sentAt = System.nanoTime();
    List<Renewal> renewals = leases.heartbeat(executions, lease);
    reporter.heartbeatTook(System.nanoTime() - sentAt);
    for (int i = 0; i < batch.size(); i++) {
      switch (renewals.get(i).verdict()) {
        case DONE -> renewed(batch.get(i), sentAt, renewals.get(i));
        case LOST -> lost(batch.get(i), renewals.get(i));
        case BUSY -> {} // the renewal stays due
      }
      batch.get(i).lease().endRenewal();
    }
  }

  private void renewed(Attempt attempt, long sentAt, Renewal renewal) {
    attempt.renewed(sentAt);
    cancelIfRequested(attempt, renewal);
  }

  private void cancelIfRequested(Attempt attempt, Renewal renewal) {
    if (renewal.cancelRequested()) {
      cancel.accept(attempt);
    }
  }

  private void lost(Attempt attempt, Renewal renewal) {
    if (attempt.completion().isWritten() && !renewal.jobIsLive()) {
      // The handler probably committed its completion. The flusher checks this when the handler has
      // ended.
      attempt.completion().noteJobGone();
    } else if (attempt.lose()) {
      reporter.lost(attempt, renewal.heldBy());
      if (!attempt.isRunning()) {
        running.settle(attempt);
      }
    }
  }
}
