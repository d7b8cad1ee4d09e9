package dev.skipjack.worker;

import dev.skipjack.api.QueueAccess;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A started worker: fetcher, handler threads, rescuer and maintainer around an engine, and their
 * end.
 */
final class BackgroundRun {

  private static final Logger log = LoggerFactory.getLogger(Worker.class);

  /** Beyond the drain: time to write what the last handlers and the shutdown itself left. */
  private static final long LAST_WRITES = Duration.ofSeconds(3).toNanos();

  private final Engine engine;
  private final List<ServedQueue> queues;
  private final WorkerConfig config;
  private final WorkerThreads threads;
  private final Reporter reporter;
  private final Loop fetcher;
  private final Loop rescuer;
  private final Loop maintainer;
  private final Optional<WakeUpListener> wakeUps;
  private final Optional<Loop> listener;

  BackgroundRun(
      Engine engine,
      Claimer claimer,
      Collection<ServedQueue> queues,
      Collection<String> kinds,
      Wakeup fetch,
      QueueAccess access,
      WorkerConfig config,
      WorkerThreads threads,
      Reporter reporter) {
    this.engine = engine;
    this.queues = List.copyOf(queues);
    this.config = config;
    this.threads = threads;
    this.reporter = reporter;
    SplittableRandom random = new SplittableRandom();
    HeardLanes heard = new HeardLanes(fetch);
    ClaimLoop claims =
        new ClaimLoop(claimer, queues, config.pollInterval(), this::accept, random.split(), heard);
    fetcher = new Loop("fetcher", claims, fetch, reporter, random.split(), Loop.LONGEST_PAUSE);
    Rescuer rescue = new Rescuer(access.store(), config.rescueInterval(), reporter, random.split());
    rescuer =
        new Loop("rescuer", rescue, new Wakeup(), reporter, random.split(), Loop.LONGEST_PAUSE);
    Maintainer maintain =
        new Maintainer(access.maintenance(), config.retention(), reporter, random.split());
    maintainer =
        new Loop(
            "maintainer", maintain, new Wakeup(), reporter, random.split(), Loop.LONGEST_PAUSE);
    Set<String> names = queues.stream().map(ServedQueue::name).collect(Collectors.toSet());
    wakeUps =
        config.wakeUps()
            ? access
                .wakeUps()
                .map(port -> new WakeUpListener(port, names, Set.copyOf(kinds), heard, reporter))
            : Optional.empty();
    listener =
        wakeUps.map(
            step ->
                new Loop(
                    "listener", step, new Wakeup(), reporter, random.split(), Loop.LONGEST_PAUSE));
  }

  /** Starts all threads or, when the system refuses one, none. */
  void start() {
    try {
      engine.start();
      for (ServedQueue queue : queues) {
        for (int i = 0; i < queue.concurrency(); i++) {
          threads.start("handler", () -> runBuffered(queue.buffer()));
        }
      }
      fetcher.start(threads);
      rescuer.start(threads);
      maintainer.start(threads);
      listener.ifPresent(loop -> loop.start(threads));
    } catch (Throwable refused) {
      stop();
      throw refused;
    }
  }

  private void accept(Attempt attempt) {
    engine.running().add(attempt);
    reporter.claimed(attempt);
    if (!attempt.queue().buffer().add(attempt)) {
      engine.runner().giveBack(attempt);
    }
  }

  private void runBuffered(AttemptBuffer buffer) {
    while (true) {
      try {
        Attempt attempt = buffer.take();
        if (attempt == null) {
          return;
        }
        engine.runner().run(attempt);
        Thread.interrupted(); // a flag that the handler left must not strike the next job
      } catch (InterruptedException stray) {
        // Somebody kept a reference to this thread; only a closed buffer ends it.
      } catch (Throwable thrown) {
        logSafely(thrown);
      }
    }
  }

  private static void logSafely(Throwable thrown) {
    try {
      log.error("Attempt could not be ended, its lease will run out", thrown);
    } catch (Throwable again) {
      Thread.onSpinWait(); // no memory for a log line; the thread must live on
    }
  }

  /**
   * Stops claiming, gives back what has not begun, lets handlers finish until the drain timeout,
   * gives back the rest, writes, and stops renewing last. An interrupt of the caller cuts the
   * waiting short.
   */
  void stop() {
    long deadline = System.nanoTime() + config.drainTimeout().toNanos();
    boolean interrupted = false;
    fetcher.stop();
    rescuer.stop();
    maintainer.stop();
    listener.ifPresent(Loop::stop);
    wakeUps.ifPresent(WakeUpListener::stop);
    for (ServedQueue queue : queues) {
      queue.buffer().close().forEach(engine.runner()::giveBack);
    }
    try {
      fetcher.join(deadline - System.nanoTime()); // its last claim may still come in
      engine.running().awaitNone(deadline);
    } catch (InterruptedException hurry) {
      interrupted = true;
    }
    engine.running().all().forEach(engine.runner()::giveBack);
    try {
      engine.running().awaitNone(System.nanoTime() + LAST_WRITES);
      // What they are in the middle of needs the pool, which the caller may close next.
      rescuer.join(LAST_WRITES);
      maintainer.join(LAST_WRITES);
      if (listener.isPresent()) {
        listener.get().join(LAST_WRITES);
      }
    } catch (InterruptedException hurry) {
      interrupted = true;
    }
    // Whatever interrupts the waiting: threads that nobody stops would renew leases for ever.
    interrupted |= stopEngine();
    if (engine.running().size() > 0) {
      log.warn(
          "Worker stopped with unwritten outcomes, their leases will run out count={}",
          engine.running().size());
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Answers whether the caller was interrupted meanwhile. */
  private boolean stopEngine() {
    try {
      engine.stop();
      return false;
    } catch (InterruptedException hurry) {
      return true;
    }
  }
}
