package dev.skipjack.worker;

import static dev.skipjack.worker.WorkerLog.LOG;

import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.spi.LocalWorkers;
import dev.skipjack.api.spi.OwnedJobs;
import dev.skipjack.api.spi.Sweeper;
import dev.skipjack.api.spi.WorkerRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Starts and stops the parts of a started worker, such as the engine, the claim loop, the slots and
 * the rescuer.
 */
final class BackgroundRun {

  /**
   * The maximum duration of a stop after the drain, even if something hangs. With the default drain
   * timeout, the whole stop takes less than the 30 s after which Kubernetes kills the process.
   */
  private static final long AFTER_DRAIN = Duration.ofMillis(3_500).toNanos();

  /**
   * The maximum time that a claimed job waits for a free slot. It is twenty times the wait that the
   * prefetch aims at, so that only jobs that wait unusually long are released.
   */
  private static final long LONGEST_WAIT = Duration.ofSeconds(1).toNanos();

  /** The part of {@link #AFTER_DRAIN} in which the last endings are written. */
  private static final long LAST_WRITES = AFTER_DRAIN / 2;

  /** The part of {@link #AFTER_DRAIN} for removing the worker's row at the end. */
  private static final long GOODBYE = Duration.ofMillis(500).toNanos();

  /** The interval at which a drain checks whether it must end early. */
  private static final long HURRY_CHECK = Duration.ofMillis(50).toNanos();

  /** The duration after which a step of a loop is assumed to hang on a dead connection. */
  private static final Duration LONGEST_STEP = Duration.ofMinutes(2);

  private final Engine engine;
  private final WorkerConfig config;
  private final WorkerThreads threads;
  private final Reporter reporter;
  private final Map<String, Slots> slots = new LinkedHashMap<>();
  private final Claimer claimer;
  private final Loop claimLoop;
  private final Registrar registrar;
  private final Optional<WakeUpListener> wakeUps;
  private final Optional<LocalWorkers> localWorkers;
  private final DirectStarts directStarts;
  private final LostClaims lost;
  private final Optional<OwnerChecks> owners;

  /** The loops that use the database, in the order in which they start. */
  private final List<Loop> loops = new ArrayList<>();

  /** Started when there is a schedule. */
  private final Loop schedulerLoop;

  private final Scheduler scheduler;
  private final Saturation saturation;
  private final Loop watchdog;
  private volatile boolean hurried;

  BackgroundRun(
      Engine engine,
      Engine.Parts parts,
      Claimer claimer,
      Collection<ServedQueue> queues,
      Wakeup claimWakeup,
      WorkerRow row,
      List<Schedule> schedules,
      Vitals vitals,
      WorkerThreads threads) {
    this.engine = engine;
    this.config = parts.config();
    this.threads = threads;
    this.reporter = parts.reporter();
    this.claimer = claimer;
    QueueAccess access = parts.access();
    SplittableRandom random = new SplittableRandom();
    for (ServedQueue queue : queues) {
      slots.put(queue.name(), new Slots(queue, engine.handlerThreads(), engine.runner(), reporter));
    }
    HeardLanes heard = new HeardLanes(claimWakeup);
    lost = engine.newLostClaims();
    ClaimLoop claims =
        new ClaimLoop(
            claimer,
            lost,
            queues,
            config.pollInterval(),
            this::accept,
            new PollSchedule(config.pollInterval(), random.split()),
            heard,
            System::nanoTime,
            vitals::polled);
    claimLoop = loop("claim-loop", claims, claimWakeup, random.split(), Loop.PROBE_PAUSE);
    Set<String> kinds = Set.copyOf(parts.handlers().kinds());
    localWorkers =
        config.directStart() && engine.handlerThreads().isOwn()
            ? access.localWorkers()
            : Optional.empty();
    directStarts =
        new DirectStarts(
            parts.worker(),
            config.lease(),
            queues.stream().collect(Collectors.toMap(ServedQueue::name, queue -> queue)),
            kinds,
            this::accept,
            engine.running()::latest,
            before -> {
              lost.search(before);
              claimWakeup.raise();
            },
            heard,
            reporter);
    Wakeup rescueWakeup = new Wakeup();
    Optional<Promoter> promoter =
        access
            .orderedJobs()
            .map(
                port ->
                    new Promoter(
                        port,
                        wakeUp -> heard.add(wakeUp, slots.keySet(), kinds),
                        rescueWakeup,
                        System::nanoTime,
                        random.split()));
    owners = access.ownedJobs().map(port -> ownerChecks(port, heard, kinds, random));
    Rescuer rescuer =
        new Rescuer(
            access.store(),
            config.rescueInterval(),
            reporter,
            () -> owners.ifPresent(OwnerChecks::sweepSoon),
            random.split());
    loop(
        "rescuer",
        promoter.isEmpty() ? rescuer : new SharedLoop(rescuer, promoter.get(), System::nanoTime),
        rescueWakeup,
        random.split());
    engine.running().whenSettled(attempt -> settled(attempt, heard, promoter));
    loop(
        DatabaseWatch.MAINTAINER,
        new Maintainer(access.maintenance(), config.retention(), vitals, reporter, random.split()),
        new Wakeup(),
        random.split());
    List<Sweeper> sweepers = access.sweepers();
    if (!sweepers.isEmpty()) {
      loop(
          "sweeper",
          new SweeperTask(
              sweepers, wakeUp -> heard.add(wakeUp, slots.keySet(), kinds), random.split()),
          new Wakeup(),
          random.split());
    }
    Wakeup schedulerWakeup = new Wakeup();
    scheduler =
        new Scheduler(
            access.scheduleStore(),
            schedules,
            schedulerWakeup,
            reporter,
            System::nanoTime,
            random.split(),
            threads.factory(ScheduleCode.ROLE),
            this::startScheduler);
    schedulerLoop =
        new Loop(
            Scheduler.ROLE,
            scheduler,
            schedulerWakeup,
            reporter,
            random.split(),
            Loop.LONGEST_PAUSE);
    vitals.hangingSchedules(scheduler::hanging);
    registrar =
        new Registrar(
            access.workers(),
            row,
            access.schemaVersion(),
            scheduler,
            vitals,
            reporter,
            new MinuteWriter(
                access.workers(),
                parts.worker(),
                reporter.minutes(),
                reporter,
                System::currentTimeMillis,
                random.split()),
            random.split());
    loop("registrar", registrar, new Wakeup(), random.split());
    wakeUps =
        config.wakeUps()
            ? access
                .wakeUps()
                .map(
                    port ->
                        new WakeUpListener(
                            port,
                            slots.keySet(),
                            kinds,
                            heard,
                            claimLoop::runHere,
                            scheduler::schedulesChanged,
                            key -> promoter.ifPresent(each -> each.expect(key)),
                            reporter))
            : Optional.empty();
    wakeUps.ifPresent(step -> loop(DatabaseWatch.LISTENER, step, new Wakeup(), random.split()));
    saturation = new Saturation(queues, vitals, reporter);
    watchdog =
        new Loop(
            "watchdog",
            new StuckHandlers(
                engine.running(), config.interruptGrace(), this::replace, this::takeBack, reporter),
            new Wakeup(),
            reporter,
            random.split(),
            Loop.LONGEST_PAUSE);
    reporter.database().whenBack(() -> talking().forEach(Loop::databaseIsBack));
  }

  private OwnerChecks ownerChecks(
      OwnedJobs port, HeardLanes heard, Set<String> kinds, SplittableRandom random) {
    Wakeup wakeup = new Wakeup();
    OwnerChecks checks =
        new OwnerChecks(
            port,
            wakeUp -> heard.add(wakeUp, slots.keySet(), kinds),
            wakeup,
            System::nanoTime,
            random.split());
    loop(OwnerChecks.ROLE, checks, wakeup, random.split());
    return checks;
  }

  private void settled(Attempt attempt, HeardLanes heard, Optional<Promoter> promoter) {
    expectNext(attempt, heard, promoter);
    Long owner = attempt.execution().owner();
    if (owner != null) {
      owners.ifPresent(checks -> checks.expect(owner));
    }
  }

  /**
   * Adds the lane of an ordered job that has ended, because the next job of its key is most likely
   * in the same lane. A completion in the handler's transaction promotes only jobs that are visible
   * at that time. The promoter promotes jobs that were enqueued between that completion and the
   * commit.
   */
  private static void expectNext(Attempt attempt, HeardLanes heard, Optional<Promoter> promoter) {
    String key = attempt.execution().orderingKey();
    if (key != null && !attempt.hasHandedOver()) {
      heard.add(attempt.job().lane());
      if (attempt.completion().isWritten()) {
        promoter.ifPresent(each -> each.expect(key));
      }
    }
  }

  private Loop loop(String role, Loop.Step step, Wakeup wakeup, SplittableRandom random) {
    return loop(role, step, wakeup, random, Loop.LONGEST_PAUSE);
  }

  private Loop loop(
      String role, Loop.Step step, Wakeup wakeup, SplittableRandom random, Duration longestPause) {
    Loop loop = new Loop(role, step, wakeup, reporter, random, longestPause);
    loops.add(loop);
    return loop;
  }

  private void startScheduler() {
    schedulerLoop.startOnce(threads);
  }

  /** Returns all loops that use the database. */
  private Stream<Loop> talking() {
    return Stream.concat(
        Stream.concat(loops.stream(), Stream.of(schedulerLoop).filter(Loop::isStarted)),
        Stream.of(engine.flusher(), engine.heartbeat()));
  }

  /** Starts all threads, or none if the system cannot create one of them. */
  void start() {
    engine.handOvers().begin();
    try {
      engine.start();
      watchdog.start(threads);
      loops.forEach(loop -> loop.start(threads));
      scheduler.start();
      // Runs in a separate thread, because it takes a while to prepare the first statement.
      localWorkers.ifPresent(each -> threads.start("direct-start", () -> directStarts.open(each)));
    } catch (Throwable refused) {
      stop();
      throw refused;
    }
  }

  /** Returns the roles of the threads that have died or hang. */
  List<String> dead() {
    return Stream.concat(talking(), Stream.of(watchdog))
        .filter(loop -> !loop.isAlive(LONGEST_STEP))
        .map(Loop::role)
        .toList();
  }

  /** Returns the queues whose jobs wait for slots. */
  Saturation saturation() {
    return saturation;
  }

  /** Returns the failures that keep loops from working. */
  List<Loop.Trouble> troubles() {
    return talking().map(Loop::trouble).filter(Objects::nonNull).toList();
  }

  /**
   * Accepts the attempts of a claim. All of them are registered for renewal before the first one
   * begins, because its handler may run for a long time. An attempt that was given up does not
   * begin.
   */
  private void accept(List<Attempt> attempts) {
    int accepted = 0;
    List<Attempt> claimed = attempts;
    try {
      claimed = attempts.stream().filter(engine.running()::add).toList();
      for (Attempt attempt : claimed) {
        reporter.claimed(attempt);
        Slots ofQueue = slots.get(attempt.queue().name());
        if (ofQueue == null || !ofQueue.add(attempt)) {
          engine.runner().release(attempt);
        }
        accepted++;
      }
    } finally {
      // The lease of an attempt that is neither buffered nor released would be renewed forever.
      claimed.subList(accepted, claimed.size()).forEach(this::releaseUnaccepted);
    }
  }

  private void releaseUnaccepted(Attempt attempt) {
    if (attempt.isBuffered()) { // one whose release failed has ended, and must not be added again
      engine.running().add(attempt);
    }
    engine.release(attempt);
  }

  private void replace(Attempt stuck) {
    Slots ofQueue = slots.get(stuck.queue().name());
    if (ofQueue != null) {
      ofQueue.replace(stuck);
    }
  }

  private void takeBack() {
    long patience = Math.max(config.lease().toNanos(), config.interruptGrace().toNanos());
    for (Slots ofQueue : slots.values()) {
      ofQueue.releaseWaiting(LONGEST_WAIT);
      ofQueue.takeBack(patience);
    }
    directStarts.takeBack(LONGEST_WAIT);
    saturation.warn();
  }

  /**
   * Stops gracefully, as {@link Worker#stop()} documents. If the calling thread is interrupted, it
   * stops waiting for handlers.
   */
  void stop() {
    long deadline = System.nanoTime() + config.drainTimeout().toNanos();
    boolean interrupted = false;
    directStarts.close();
    engine.handOvers().end();
    claimer.stop();
    loops.forEach(Loop::stop);
    schedulerLoop.stop();
    for (Slots ofQueue : slots.values()) {
      ofQueue.close().forEach(engine::release);
    }
    try {
      drain(deadline);
    } catch (InterruptedException hurry) {
      interrupted = true;
    }
    watchdog.stop();
    engine.running().all().forEach(engine::release);
    long end = System.nanoTime() + AFTER_DRAIN;
    long last = end - AFTER_DRAIN + LAST_WRITES;
    try {
      directStarts.awaitNone(last);
      engine.running().awaitNone(last);
      // The loops' current steps need the pool, which the caller may close next.
      for (Loop loop : loops) {
        loop.join(last - System.nanoTime());
      }
      schedulerLoop.join(last - System.nanoTime());
    } catch (InterruptedException hurry) {
      interrupted = true;
    } finally {
      scheduler.close();
    }
    // The engine stops even if the wait was interrupted: threads that keep running would renew
    // leases forever.
    interrupted |= stopEngine(end - GOODBYE);
    interrupted |= sayGoodbye(end);
    if (engine.running().size() > 0) {
      LOG.warn(
          "Worker stopped with unwritten outcomes; their leases will expire count={}",
          engine.running().size());
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void drain(long deadline) throws InterruptedException {
    boolean drained = false;
    for (long left = deadline - System.nanoTime();
        left > 0 && !drained && !hurried;
        left = deadline - System.nanoTime()) {
      long pause = Math.min(left, HURRY_CHECK);
      // The last claim and enqueues with a slot may still add attempts.
      drained =
          claimLoop.join(pause)
              && directStarts.awaitNone(System.nanoTime() + pause)
              && engine.running().awaitNone(System.nanoTime() + pause);
    }
  }

  /**
   * Ends the wait for handlers in {@link #stop}, whether it is already running or is called later.
   */
  void hurry() {
    hurried = true;
  }

  /**
   * Removes the worker's row in a separate thread, because a hanging connection must not delay the
   * stop.
   */
  private boolean sayGoodbye(long deadline) {
    try {
      Thread leaving =
          threads.start(
              "leaver",
              () -> {
                wakeUps.ifPresent(WakeUpListener::stop);
                registrar.leave();
                releaseLost();
                owners.ifPresent(OwnerChecks::checkLast);
              });
      TimeUnit.NANOSECONDS.timedJoin(leaving, Math.max(deadline - System.nanoTime(), 1));
      return false;
    } catch (InterruptedException hurry) {
      return true;
    }
  }

  /**
   * Releases the jobs of claims and direct starts whose responses were lost and that were not
   * released yet.
   */
  private void releaseLost() {
    try {
      lost.releaseLast();
    } catch (Throwable unavailable) {
      LOG.debug("Jobs of lost direct starts were not released", unavailable);
    }
  }

  /** Stops the engine. Returns whether the caller was interrupted in the meantime. */
  private boolean stopEngine(long deadline) {
    try {
      engine.stop(deadline);
      return false;
    } catch (InterruptedException hurry) {
      return true;
    }
  }
}
