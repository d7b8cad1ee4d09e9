package dev.skipjack.worker;

import static dev.skipjack.worker.WorkerLog.LOG;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.Postponed;
import dev.skipjack.api.spi.Pruned;
import dev.skipjack.api.spi.Rescued;
import dev.skipjack.api.spi.ScheduleStore;
import dev.skipjack.api.spi.ScheduleStore.Fired;
import dev.skipjack.api.spi.UnhandledKind;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reports events to the log, to listeners and to monitoring. A failing listener or monitoring does
 * not affect the caller.
 */
final class Reporter {

  /**
   * A warning is logged whenever the number of a job's uncounted attempts reaches a multiple of
   * this number.
   */
  private static final int REPEATED = 100;

  /** The maximum number of kinds in a log line. */
  private static final int MOST_KINDS = 20;

  private final List<WorkerListener> listeners;
  private final SafeMetrics metrics;
  private final String worker;
  private final FailureLogger failures;
  private final DatabaseWatch database = new DatabaseWatch();
  private final Set<String> leftToNewer = ConcurrentHashMap.newKeySet();
  private volatile boolean schedulesForbidden;
  private volatile @Nullable EventDispatcher dispatcher;
  private volatile Consumer<WorkerEvent> events = event -> {};
  private final HandlerWatch handlers = new HandlerWatch(System::nanoTime);
  private final MinuteCounts minutes = new MinuteCounts();

  /**
   * Creates a reporter that calls listeners in the calling thread, for tests of parts without
   * threads.
   */
  Reporter(List<WorkerListener> listeners) {
    this(listeners, WorkerMetrics.NONE, "worker", FailureLog.standard());
    events = event -> listeners.forEach(listener -> listener.on(event));
  }

  Reporter(
      List<WorkerListener> listeners, WorkerMetrics metrics, String worker, FailureLog failureLog) {
    this.listeners = List.copyOf(listeners);
    this.metrics = new SafeMetrics(metrics);
    this.worker = worker;
    this.failures = new FailureLogger(failureLog, LOG, System::nanoTime);
  }

  /** Starts the thread that calls listeners, if there are any. */
  void start(WorkerThreads threads) {
    if (!listeners.isEmpty()) {
      EventDispatcher started =
          new EventDispatcher(
              listeners,
              worker,
              events -> metrics.count(WorkerMeter.EVENTS_DROPPED, events, worker));
      started.start(threads);
      dispatcher = started;
      events = started::dispatch;
    }
  }

  /**
   * Delivers the queued events for at most the given number of nanoseconds, and none afterwards.
   */
  void stop(long nanos) throws InterruptedException {
    failures.close();
    EventDispatcher running = dispatcher;
    if (running != null) {
      running.stop(nanos);
    }
  }

  /** Returns whether the calling thread is the one that calls listeners. */
  boolean isCallingListeners() {
    EventDispatcher running = dispatcher;
    return running != null && running.isCurrentThread();
  }

  /** Logs how many failures were left out of the log. Must be called periodically. */
  void reportLeftOut() {
    try {
      failures.reportLeftOut();
    } catch (Throwable unwritable) {
      Thread.onSpinWait(); // an exception would end the periodic calls
    }
  }

  DatabaseWatch database() {
    return database;
  }

  HandlerWatch handlers() {
    return handlers;
  }

  /** Returns the counts for charts. */
  MinuteCounts minutes() {
    return minutes;
  }

  void releasedLostClaim(int jobs) {
    LOG.warn("Jobs of a claim whose response was lost were released count={}", jobs);
  }

  void saturated(String reason) {
    LOG.warn("Queue saturated: {}", reason);
  }

  /**
   * Reports the loss of an attempt whose handler completed its job in a transaction that is still
   * open.
   */
  void lostToOpenTransaction(Attempt attempt) {
    metrics.count(WorkerMeter.LOST, attempt.info());
    minutes.ended(attempt.info(), MinuteCounts.Result.LOST);
    LOG.warn(
        "Lease lost, outcome discarded: the job's row is locked by an open transaction. Did the"
            + " handler forget to commit or close the one that it gave to completeIn? {}",
        attempt.info());
    send(new WorkerEvent.Lost(attempt.info(), null));
  }

  void claimed(Attempt attempt) {
    metrics.count(WorkerMeter.CLAIMED, attempt.info());
    LOG.debug("Job claimed {}", attempt.info());
    Duration wait = Duration.between(attempt.job().scheduledAt(), attempt.job().startedAt());
    metrics.record(WorkerMeter.WAIT, wait, attempt.info());
    minutes.waited(attempt.info(), wait);
    send(new WorkerEvent.Claimed(attempt.info()));
  }

  void claimTook(long nanos) {
    metrics.record(WorkerMeter.CLAIM, nanos, worker);
  }

  /** Reports that a claim was too large; the next claim requests fewer jobs. */
  void claimTooLarge(int limit, Throwable failure) {
    LOG.warn(
        "Claim did not fit into memory or into the server's limits limit={} error={}",
        limit,
        LogText.of(failure));
  }

  /** Reports that a payload could not be fetched, so the attempt fails. */
  void unread(Attempt attempt, Throwable why) {
    metrics.count(WorkerMeter.UNREAD, attempt.info());
    LOG.error("Payload could not be fetched {} error={}", attempt.info(), LogText.of(why));
  }

  void flushTook(long nanos) {
    metrics.record(WorkerMeter.FLUSH, nanos, worker);
  }

  void heartbeatTook(long nanos) {
    metrics.record(WorkerMeter.HEARTBEAT, nanos, worker);
  }

  void started(Attempt attempt) {
    handlers.began();
    LOG.trace("Job started {}", attempt.info());
    send(new WorkerEvent.Started(attempt.info()));
  }

  void ran(Attempt attempt, long nanos) {
    metrics.record(WorkerMeter.RUN, Duration.ofNanos(nanos), attempt.info());
    minutes.ran(attempt.info(), nanos);
  }

  /** Reports that an attempt's ending was written, with its status. */
  void ended(Attempt attempt, Ending ending, ExecutionStatus status) {
    switch (status) {
      case SUCCEEDED -> succeeded(attempt);
      case CANCELLED -> cancelled(attempt);
      case FAILED -> failed(attempt, (Ending.Failed) ending);
      case DEAD -> dead(attempt, (Ending.Failed) ending);
      case SNOOZED -> snoozed(attempt, (Ending.Snoozed) ending);
      case RELEASED -> released(attempt);
      case RUNNING, LOST ->
          throw new IllegalArgumentException("No ending is written as %s.".formatted(status));
    }
  }

  private void succeeded(Attempt attempt) {
    metrics.count(WorkerMeter.COMPLETED, attempt.info());
    minutes.ended(attempt.info(), MinuteCounts.Result.COMPLETED);
    LOG.debug("Job completed {}", attempt.info());
    send(new WorkerEvent.Succeeded(attempt.info()));
  }

  private void cancelled(Attempt attempt) {
    metrics.count(WorkerMeter.CANCELLED, attempt.info());
    minutes.ended(attempt.info(), MinuteCounts.Result.CANCELLED);
    LOG.info("Job cancelled {}", attempt.info());
    send(new WorkerEvent.Cancelled(attempt.info()));
  }

  private void failed(Attempt attempt, Ending.Failed failed) {
    metrics.count(WorkerMeter.FAILED, attempt.info());
    minutes.ended(attempt.info(), MinuteCounts.Result.FAILED);
    failures.failed(attempt.info(), failed.error(), failed.delay());
    send(new WorkerEvent.Failed(attempt.info(), failed.error(), failed.delay()));
  }

  private void dead(Attempt attempt, Ending.Failed failed) {
    metrics.count(WorkerMeter.DEAD, attempt.info());
    minutes.ended(attempt.info(), MinuteCounts.Result.DEAD);
    failures.dead(attempt.info(), failed.error());
    send(new WorkerEvent.Dead(attempt.info(), failed.error()));
  }

  private void snoozed(Attempt attempt, Ending.Snoozed snoozed) {
    metrics.count(WorkerMeter.SNOOZED, attempt.info());
    minutes.ended(attempt.info(), MinuteCounts.Result.SNOOZED);
    LOG.debug(
        "Job snoozed {} delayMs={} until={}",
        attempt.info(),
        snoozed.delay().toMillis(),
        snoozed.until());
    if (snoozed.suspension() == null) {
      warnIfRepeated(attempt);
    }
    send(new WorkerEvent.Snoozed(attempt.info(), snoozed.delay(), snoozed.until()));
  }

  private void released(Attempt attempt) {
    metrics.count(WorkerMeter.RELEASED, attempt.info());
    LOG.debug("Job released {}", attempt.info());
    warnIfRepeated(attempt);
    send(new WorkerEvent.Released(attempt.info()));
  }

  /**
   * Warns of a job that is snoozed or released again and again. Such a job never becomes dead, so
   * it would otherwise go unnoticed.
   */
  private static void warnIfRepeated(Attempt attempt) {
    long uncounted = attempt.job().uncountedAttempts() + 1L; // including this one
    if (uncounted % REPEATED == 0) {
      LOG.warn(
          "Job has many uncounted attempts: it was repeatedly snoozed, released or redriven"
              + " queue={} kind={} jobId={} uncountedAttempts={}",
          attempt.job().queue(),
          attempt.job().kind(),
          attempt.execution().jobId(),
          uncounted);
    }
  }

  void snapshotTooOld(Attempt attempt, Duration lease) {
    LOG.warn(
        "Attempt not counted because a lease renewal made completeIn fail with 40001; later"
            + " attempts get a longer lease {} leaseMs={}",
        attempt.info(),
        lease.toMillis());
  }

  void notSpared(Attempt attempt, StoreException why) {
    LOG.debug("Lease could not be extended {} error={}", attempt.info(), LogText.of(why));
  }

  void cancelRequested(Attempt attempt) {
    LOG.info(
        "Handler interrupted because cancellation of its job was requested {}", attempt.info());
  }

  void lost(Attempt attempt, @Nullable ExecutionId heldBy) {
    metrics.count(WorkerMeter.LOST, attempt.info());
    minutes.ended(attempt.info(), MinuteCounts.Result.LOST);
    LOG.warn("Lease lost, outcome discarded {} heldBy={}", attempt.info(), heldBy);
    send(new WorkerEvent.Lost(attempt.info(), heldBy));
  }

  void rescued(Rescued rescued) {
    metrics.count(WorkerMeter.RESCUED, rescued.queue(), rescued.kind());
    LOG.warn(
        "Job rescued queue={} kind={} jobId={} executionId={} status={}",
        rescued.queue(),
        rescued.kind(),
        rescued.execution().jobId(),
        rescued.execution().id(),
        rescued.status());
    send(
        new WorkerEvent.Rescued(
            rescued.execution().jobId(),
            rescued.execution().id(),
            rescued.queue(),
            rescued.kind(),
            rescued.status()));
  }

  void timedOut(Attempt attempt) {
    metrics.count(WorkerMeter.TIMED_OUT, attempt.info());
    LOG.warn("Handler interrupted because its timeout has passed {}", attempt.info());
    send(new WorkerEvent.TimedOut(attempt.info()));
  }

  void stuck(Attempt attempt) {
    metrics.count(WorkerMeter.STUCK, attempt.info());
    LOG.error("Handler stuck: it is still running after an interrupt {}", attempt.info());
    send(new WorkerEvent.Stuck(attempt.info()));
  }

  void notBegun(Attempt attempt) {
    LOG.error("Job released because the executor did not begin it in time {}", attempt.info());
    send(new WorkerEvent.NotBegun(attempt.info()));
  }

  /** Reports that there was no thread for a handler. Logged once until a handler begins again. */
  void noThread(Attempt attempt, Throwable why) {
    if (handlers.refused()) {
      LOG.error("Job released because the executor rejected its handler {}", attempt.info(), why);
    }
  }

  /** Reports that a handler asked to stop further starts, but that failed. */
  void notThrottled(Attempt attempt, Throwable failure) {
    LOG.warn(
        "Starts were not stopped after a throttled attempt {} error={}",
        attempt.info(),
        LogText.of(failure));
  }

  void notEnded(Throwable thrown) {
    try {
      LOG.error("Attempt could not be ended; its lease will expire", thrown);
    } catch (Throwable again) {
      Thread.onSpinWait(); // no memory for a log line; the thread must continue
    }
  }

  /** Reports payloads of a later version. Logged once for each kind and version. */
  void leftToNewer(Attempt attempt, int known) {
    int version = attempt.job().payloadVersion();
    if (leftToNewer.add(attempt.job().kind() + " " + version)) {
      LOG.warn(
          "Payloads of a later version left to newer workers kind={} version={} known={}",
          attempt.job().kind(),
          version,
          known);
    }
  }

  /** Reports kinds of due jobs in the worker's queues that the worker does not handle. */
  void unhandled(List<UnhandledKind> kinds) {
    List<UnhandledKind> nowhere = kinds.stream().filter(kind -> !kind.handledElsewhere()).toList();
    if (!nowhere.isEmpty()) {
      LOG.warn(
          "Due jobs found that no living worker handles; register handlers, or cancel the jobs"
              + " count={} kinds={}",
          nowhere.size(),
          names(nowhere));
    }
    List<UnhandledKind> elsewhere = kinds.stream().filter(UnhandledKind::handledElsewhere).toList();
    if (!elsewhere.isEmpty()) {
      LOG.info(
          "Due jobs found that only other workers handle count={} kinds={}",
          elsewhere.size(),
          names(elsewhere));
    }
  }

  private static List<String> names(List<UnhandledKind> kinds) {
    return kinds.stream().limit(MOST_KINDS).map(kind -> kind.queue() + "/" + kind.kind()).toList();
  }

  void queuePaused(String queue) {
    LOG.info("Queue paused queue={}", queue);
    send(new WorkerEvent.QueuePaused(queue));
  }

  void queueResumed(String queue) {
    LOG.info("Queue resumed queue={}", queue);
    send(new WorkerEvent.QueueResumed(queue));
  }

  void schemaTooOld(int found, int needed) {
    LOG.error(
        "Schema {} for this library; run Migrations.migrate(dataSource, schema) found={} needed={}",
        found == 0 ? "missing, or too old" : "too old",
        found,
        needed);
  }

  void encodingUnsuitable(String found) {
    LOG.error(
        "Database encoding cannot represent every payload and error message; use a database with"
            + " encoding UTF8 found={}",
        found);
  }

  void ignoredAfterCompletion(Attempt attempt, JobError said) {
    LOG.warn(
        "Handler failed after its completion was committed; the completion stands {} {}",
        attempt.info(),
        failures.describe(said));
  }

  void refused(int outcomes, Throwable thrown) {
    LOG.warn(
        "Outcomes rejected; retrying count={} error={}",
        outcomes,
        thrown instanceof StoreException store
            ? store.sqlState().orElse("no SQLSTATE")
            : thrown.getClass().getName());
    LOG.trace("Outcomes rejected because", thrown);
  }

  void partitionsCreated(List<String> partitions) {
    if (!partitions.isEmpty()) {
      LOG.info("Partitions created partitions={}", partitions);
    }
  }

  void partitionsRemoved(List<String> partitions, long rows) {
    if (!partitions.isEmpty() || rows > 0) {
      LOG.info("History removed partitions={} rows={}", partitions, rows);
    }
  }

  void pruned(Pruned pruned) {
    if (pruned.keys() > 0 || pruned.jobs() > 0) {
      LOG.info("Pruned deadJobs={} keys={}", pruned.jobs(), pruned.keys());
    }
  }

  /** Reports which rows could not be pruned, and why. */
  void notPruned(String failure) {
    LOG.warn("Pruning failed and needs an operator error={}", failure);
  }

  /** Reports that the numbers for charts could not be written. Logged once until it works again. */
  void minutesNotAdded(StoreException why) {
    LOG.warn("Numbers for charts could not be written error={}", LogText.of(why));
  }

  void cannotListen(Throwable why) {
    LOG.warn(
        "Wake-ups cannot be received; jobs are found by polling only error={}", LogText.of(why));
    LOG.trace("Wake-ups cannot be received because", why);
  }

  void partitionPostponed(Postponed postponed) {
    switch (postponed.reason()) {
      case BUSY, RUNNING, UNFINISHED ->
          LOG.info(
              "Partition postponed partition={} reason={}",
              postponed.partition(),
              postponed.reason());
      case FORBIDDEN, IN_THE_WAY, DEPENDED_ON, FAILED ->
          LOG.warn(
              "Partition needs an operator partition={} reason={} error={}",
              postponed.partition(),
              postponed.reason(),
              postponed.detail());
    }
  }

  void scheduleFired(Fired fired) {
    metrics.record(WorkerMeter.SCHEDULE_LATE, Math.max(0, fired.late().toNanos()), worker);
    LOG.debug(
        "Schedule fired schedule={} plannedAt={} jobId={} lateMs={}",
        fired.fire().schedule(),
        fired.fire().at(),
        fired.job(),
        fired.late().toMillis());
  }

  void scheduleFailed(ScheduleStore.Failed failed) {
    metrics.count(WorkerMeter.SCHEDULE_FAILED, 1, worker);
    LOG.error(
        "Schedule failed, retrying schedule={} retryInMs={}",
        failed.schedule(),
        failed.retryIn().toMillis(),
        failed.error());
    send(new WorkerEvent.ScheduleFailed(failed.schedule(), failed.error(), failed.retryIn()));
  }

  void scheduleUndeclared(ScheduleStore.Undeclared undeclared) {
    LOG.warn(
        undeclared.needsCode()
            ? "Schedule does not fire because it needs code that no program declares, retire it if"
                + " it is obsolete schedule={} declaredAt={}"
            : "Schedule fires although no program declares it, retire it if it is obsolete"
                + " schedule={} declaredAt={}",
        undeclared.schedule(),
        undeclared.declaredAt());
    send(
        new WorkerEvent.ScheduleUndeclared(
            undeclared.schedule(), undeclared.declaredAt(), undeclared.needsCode()));
  }

  /**
   * Reports that schedules could not be declared or recalculated, although they can be fired.
   *
   * @param what the failed step as a participle, for example "declared"
   */
  void schedulesNot(String what, Throwable error) {
    LOG.error("Schedules could not be {}, trying again in a minute", what, error);
    send(new WorkerEvent.LoopFailed(Scheduler.ROLE, error));
  }

  void schedulesRecalculated(List<String> schedules) {
    if (!schedules.isEmpty()) {
      LOG.info("Next fires recalculated with newer time zone data schedules={}", schedules);
    }
  }

  /** Reports that the worker's database user may not fire schedules. Logged once. */
  void schedulesForbidden(Throwable why) {
    if (!schedulesForbidden) {
      schedulesForbidden = true;
      LOG.error(
          "Schedules cannot be fired, grant the role of producers to the worker's user error={}",
          LogText.of(why));
    }
  }

  void loopFailed(String loop, Throwable error) {
    LOG.warn("Worker loop failed; retrying loop={} error={}", loop, LogText.of(error));
    if (!(error instanceof StoreException)) {
      LOG.warn("Worker loop failed because", error);
    }
    LOG.trace("Worker loop failed because", error);
    send(new WorkerEvent.LoopFailed(loop, error));
  }

  /** Reports that a loop failed. The error shows whether the database was unavailable. */
  void databaseFailed(String loop, Throwable error) {
    if (!DatabaseWatch.isExhausted(error)) {
      waitsNoMore(loop); // it fails for another reason now
    } else if (database.waits(loop)) {
      LOG.error(
          "Connection pool exhausted; the worker is waiting for a connection loop={} error={}",
          loop,
          LogText.of(error));
      send(new WorkerEvent.PoolExhausted(error));
    }
    if (database.failed(loop, error)) {
      LOG.error(
          "Database unavailable; retrying until it is available loop={} error={}",
          loop,
          LogText.of(error));
      send(new WorkerEvent.DatabaseLost(error));
    }
  }

  /** Reports that a loop no longer waits for a connection. */
  void waitsNoMore(String loop) {
    if (database.waitsNoMore(loop)) {
      Duration after = database.exhaustedFor();
      LOG.warn("Connection pool no longer exhausted afterMs={}", after.toMillis());
      send(new WorkerEvent.PoolFree(after));
    }
  }

  void databaseAnswered(String loop) {
    if (database.worked(loop)) {
      Duration after = database.duration();
      LOG.warn("Database available again afterMs={}", after.toMillis());
      send(new WorkerEvent.DatabaseBack(after));
    }
  }

  /** Reports that a step of a loop succeeded without using the database. */
  void askedNothing(String loop) {
    database.askedNothing(loop);
  }

  void loopRecovered(String loop) {
    LOG.warn("Worker loop recovered loop={}", loop);
    send(new WorkerEvent.LoopRecovered(loop));
  }

  /** Registers the gauges of a worker. The returned action removes them. */
  Runnable gauges(WorkerId id, Supplier<WorkerStatus> status, Supplier<WorkerHealth> health) {
    return metrics.gauges(id, status, health);
  }

  private void send(WorkerEvent event) {
    events.accept(event);
  }
}
