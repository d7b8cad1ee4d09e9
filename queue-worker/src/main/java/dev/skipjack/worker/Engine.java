package dev.skipjack.worker;

import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.LeaseKeeper;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * The parts that every run of a worker needs: the attempts that it holds, the runner, and the
 * threads that write outcomes, renew leases and enforce timeouts. Used once.
 */
final class Engine {

  /** How long to wait for threads that should already have finished. */
  private static final long GOODBYE = Duration.ofSeconds(2).toNanos();

  private static final long UNLIMITED = Long.MAX_VALUE / 2; // nanoTime may be negative

  private final WorkerThreads threads;
  private final RunningJobs running = new RunningJobs();
  private final HandOvers handOvers;
  private final Loop flusher;
  private final Loop heartbeat;
  private final LeaseKeeper leases;
  private final ScheduledThreadPoolExecutor timer;
  private final HandlerThreads.Running handlerThreads;
  private final AttemptRunner runner;
  private final Reporter reporter;
  private final JobStore store;
  private final WorkerId worker;
  private final Duration lease;

  /**
   * @param leases closed when the engine stops
   */
  Engine(Parts parts, LeaseKeeper leases, WorkerThreads threads) {
    this.threads = threads;
    WorkerConfig config = parts.config();
    reporter = parts.reporter();
    store = parts.access().store();
    worker = parts.worker();
    lease = config.lease();
    Wakeup flush = new Wakeup();
    SplittableRandom random = new SplittableRandom();
    OutcomeWriter writer =
        new OutcomeWriter(store, config.lease(), running, reporter, random.split());
    OutcomeFlusher outcomes = new OutcomeFlusher(writer, running, flush, config.flushInterval());
    flusher = new Loop("flusher", outcomes, flush, reporter, random.split(), Loop.PROBE_PAUSE);
    timer = new ScheduledThreadPoolExecutor(1, threads.factory(WorkerThreads.TIMER));
    timer.setRemoveOnCancelPolicy(true); // otherwise long timeouts of short attempts pile up
    handlerThreads = parts.handlerThreads().open(threads);
    LongSnapshots snapshots = new LongSnapshots(config.heartbeatInterval());
    handOvers =
        new HandOvers(
            store,
            parts.worker(),
            parts.handlers().kinds(),
            config.lease(),
            running,
            outcomes,
            reporter);
    AttemptEnder ender =
        new AttemptEnder(
            parts.handlers(),
            new EndingRules(
                parts.access()::encodeResult,
                ThreadLocalRandom::current,
                new Redaction(parts.redactor())),
            snapshots,
            running,
            outcomes,
            handOvers::write,
            (execution, retryAfter) -> store.throttle(execution, false, retryAfter),
            reporter);
    this.leases = leases;
    HeartbeatTask renewals =
        new HeartbeatTask(leases, store, config, running, ender::cancel, reporter);
    runner =
        new AttemptRunner(
            new Invocation(
                parts.handlers(), parts.access().codec(), parts.interceptors(), reporter),
            renewals::spare,
            snapshots,
            parts.handlers(),
            (attempt, deadline) ->
                new AttemptContext(attempt, deadline, parts.worker(), parts.access(), reporter),
            timer,
            new StageFollower(threads),
            ender,
            reporter);
    heartbeat =
        new Loop(
            "heartbeat",
            renewals,
            new Wakeup(),
            reporter,
            random.split(),
            config.heartbeatInterval().dividedBy(4));
  }

  /**
   * The components of one worker.
   *
   * @param worker the identity of the worker
   * @param handlerThreads the threads that its handlers run on
   * @param sampling when the stacks of long attempts are sampled
   */
  record Parts(
      QueueAccess access,
      HandlerRegistry handlers,
      List<ExecutionInterceptor> interceptors,
      WorkerConfig config,
      WorkerId worker,
      HandlerThreads handlerThreads,
      ErrorRedactor redactor,
      StackSampler.Pace sampling,
      Reporter reporter) {}

  /** Creates the part that releases the jobs of lost claims and direct starts. */
  LostClaims newLostClaims() {
    return new LostClaims(
        (after, limit) -> store.heldBy(worker, after, limit),
        running,
        store::requeue,
        lease,
        System::nanoTime,
        reporter::releasedLostClaim);
  }

  RunningJobs running() {
    return running;
  }

  AttemptRunner runner() {
    return runner;
  }

  /** Releases an attempt. A failure is only reported, so that others can still be released. */
  void release(Attempt attempt) {
    try {
      runner.release(attempt);
    } catch (Throwable thrown) {
      reporter.notEnded(thrown);
    }
  }

  HandlerThreads.Running handlerThreads() {
    return handlerThreads;
  }

  HandOvers handOvers() {
    return handOvers;
  }

  Loop heartbeat() {
    return heartbeat;
  }

  Loop flusher() {
    return flusher;
  }

  void start() {
    reporter.start(threads);
    timer.prestartCoreThread();
    long window = FailureLogger.WINDOW.toNanos();
    Future<?> unused =
        timer.scheduleWithFixedDelay(reporter::reportLeftOut, window, window, TimeUnit.NANOSECONDS);
    flusher.start(threads);
    heartbeat.start(threads);
  }

  /**
   * Stops the engine after a run in a calling thread. Waits for threads for a limited time, but for
   * listeners without a limit, because they belong to the caller.
   *
   * @param hurried whether to limit the wait for listeners as well, for example because the caller
   *     was interrupted
   */
  void stop(boolean hurried) throws InterruptedException {
    long now = System.nanoTime();
    stop(now + GOODBYE, now + (hurried ? GOODBYE : UNLIMITED));
  }

  /**
   * Stops the threads, the heartbeat after the flusher, so that no other worker rescues a job whose
   * ending the flusher is still writing. Listeners then receive the remaining events.
   *
   * @param deadline the nanoTime until which to wait for the threads; a hanging thread does not use
   *     up the time for the next one
   */
  void stop(long deadline) throws InterruptedException {
    stop(deadline, deadline);
  }

  private void stop(long deadline, long listeners) throws InterruptedException {
    long untilHeard = deadline; // kept if the caller is interrupted
    try {
      flusher.stop();
      flusher.join((deadline - System.nanoTime()) / 3);
      heartbeat.stop();
      heartbeat.join((deadline - System.nanoTime()) / 2);
      untilHeard = listeners;
    } finally {
      heartbeat.stop();
      timer.shutdownNow();
      handlerThreads.close();
      leases.close();
      reporter.stop(untilHeard - System.nanoTime());
    }
    timer.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
  }
}
