package dev.skipjack.worker;

import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.JobStore;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * What every way of running jobs needs: the attempts that are held, the runner, and the threads
 * that write outcomes, renew leases and end attempts in time. Used once.
 */
final class Engine {

  /** How long threads that have nothing left to do are waited for. */
  private static final long GOODBYE = Duration.ofSeconds(1).toNanos();

  private final WorkerThreads threads;
  private final RunningJobs running = new RunningJobs();
  private final Loop flusher;
  private final Loop heartbeat;
  private final ScheduledThreadPoolExecutor timer;
  private final AttemptRunner runner;

  Engine(
      QueueAccess access,
      HandlerRegistry handlers,
      WorkerConfig config,
      WorkerId worker,
      WorkerThreads threads,
      Reporter reporter) {
    this.threads = threads;
    JobStore store = access.store();
    Wakeup flush = new Wakeup();
    SplittableRandom random = new SplittableRandom();
    OutcomeWriter writer =
        new OutcomeWriter(store, config.lease(), running, reporter, random.split());
    OutcomeFlusher outcomes = new OutcomeFlusher(writer, running, flush, config.flushInterval());
    flusher = new Loop("flusher", outcomes, flush, reporter, random.split(), Loop.LONGEST_PAUSE);
    heartbeat =
        new Loop(
            "heartbeat",
            new HeartbeatTask(store, config, running, reporter),
            new Wakeup(),
            reporter,
            random.split(),
            config.heartbeatInterval().dividedBy(4));
    timer = new ScheduledThreadPoolExecutor(1, threads.factory(WorkerThreads.TIMER));
    timer.setRemoveOnCancelPolicy(true); // or long timeouts of short attempts pile up
    runner =
        new AttemptRunner(
            store, access.codec(), handlers, worker, running, outcomes, timer, reporter);
  }

  RunningJobs running() {
    return running;
  }

  AttemptRunner runner() {
    return runner;
  }

  void start() {
    timer.prestartCoreThread();
    flusher.start(threads);
    heartbeat.start(threads);
  }

  /** Ends the threads, the heartbeat last, so that nobody steals what the flusher still writes. */
  void stop() throws InterruptedException {
    try {
      flusher.stop();
      flusher.join(GOODBYE);
    } finally {
      heartbeat.stop();
      timer.shutdownNow();
    }
    heartbeat.join(GOODBYE);
    timer.awaitTermination(GOODBYE, TimeUnit.NANOSECONDS);
  }
}
