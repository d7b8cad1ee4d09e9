package dev.skipjack.torture;

import dev.skipjack.faults.ForkedJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The processes of the producers and workers. Safe for any number of threads. */
final class Fleet implements AutoCloseable {

  private static final String WORKER = "worker-";
  private static final String PRODUCER = "producer-";
  private static final Duration START_TIMEOUT = Duration.ofSeconds(90);
  private static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);
  private static final int MAX_CRASHES = 20;

  /**
   * The jobs are planned for this share of the run. In the rest, producers repeat requests that
   * created no job.
   */
  private static final double ENQUEUE_SHARE = 0.95;

  private final TortureDatabase database;
  private final Path folder;
  private final TortureOptions options;
  private final Optional<SkewedClocks> clocks;
  private final HistoryFile history;
  private final Set<ForkedJvm> killed = new HashSet<>();
  private final Map<String, ForkedJvm> workers = new TreeMap<>();
  private final Map<String, ForkedJvm> producers = new TreeMap<>();
  private final Instant start = Instant.now();
  private int crashes;

  /**
   * @param clocks empty if no clock is skewed
   * @param history the file that records the exits of processes that no fault killed
   */
  Fleet(
      TortureDatabase database,
      Path folder,
      TortureOptions options,
      Optional<SkewedClocks> clocks,
      HistoryFile history) {
    this.database = database;
    this.folder = folder;
    this.options = options;
    this.clocks = clocks;
    this.history = history;
  }

  /** Starts all processes, and returns when the workers have started. */
  synchronized void start() {
    for (int n = 1; n <= options.load().processes(); n++) {
      startWorker(WORKER + n);
    }
    for (int n = 1; n <= options.load().processes(); n++) {
      startProducer(PRODUCER + n);
    }
    try {
      workers.forEach((name, worker) -> worker.awaitLine(readyLine(name), START_TIMEOUT));
    } catch (AssertionError timeout) {
      throw new IllegalStateException("A worker did not start. See its log in " + folder, timeout);
    }
  }

  static boolean isWorker(String process) {
    return process.startsWith(WORKER);
  }

  static boolean isProducer(String process) {
    return process.startsWith(PRODUCER);
  }

  private void startWorker(String name) {
    String[] arguments =
        settings(name).arguments(HistoryClock.ofWall().moment(), options.load().name());
    workers.put(name, fork(WorkerProcess.class, name, arguments));
  }

  /**
   * Returns the line that a worker prints once it has started. It contains the skew of the worker's
   * clock, to prove that the clock is skewed as planned.
   */
  private String readyLine(String name) {
    return WorkerProcess.readyLine(clocks.isPresent() ? SkewedClocks.hours(name) : 0);
  }

  private void startProducer(String name) {
    int jobs = share(options.load().jobs(options.jobs()), name);
    int events = share(options.load().events(options.jobs()), name);
    producers.put(
        name,
        fork(
            ProducerProcess.class,
            name,
            settings(name)
                .arguments(
                    String.valueOf(options.seed()),
                    String.valueOf(jobs),
                    String.valueOf(gapMicros(jobs)),
                    String.valueOf(start.toEpochMilli()),
                    options.load().name(),
                    String.valueOf(events),
                    String.valueOf(gapMicros(events)))));
  }

  /** Returns a producer's share. The first producer also gets the remainder. */
  private int share(int all, String name) {
    int processes = options.load().processes();
    return all / processes + (name.endsWith("1") ? all % processes : 0);
  }

  private long gapMicros(int requests) {
    return Math.round(options.minutes() * ENQUEUE_SHARE * 60_000_000 / Math.max(1, requests));
  }

  private ProcessSettings settings(String name) {
    return new ProcessSettings(database.jdbcUrl(), database.schema(), folder, name);
  }

  private ForkedJvm fork(Class<?> main, String name, String[] arguments) {
    ForkedJvm.Builder process = ForkedJvm.of(main);
    clocks.ifPresent(skewed -> skewed.skew(process, name));
    return process
        .arguments(arguments)
        .option("-Xmx256m")
        .option("-XX:+UseSerialGC")
        .option("-Dorg.jooq.no-logo=true")
        .option("-Dorg.jooq.no-tips=true")
        .option("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
        .option("-Dorg.slf4j.simpleLogger.showDateTime=true")
        .option("-Dorg.slf4j.simpleLogger.logFile=" + folder.resolve(name + ".log"))
        .start();
  }

  /** Returns the names of all workers, including those that are not running. */
  synchronized List<String> workers() {
    return List.copyOf(workers.keySet());
  }

  /** Returns the names of the producers that are still enqueuing jobs. */
  synchronized List<String> producers() {
    return producers.entrySet().stream()
        .filter(entry -> entry.getValue().isAlive())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Returns the last process with the given name, or null if there was none. */
  synchronized @Nullable ForkedJvm process(String name) {
    ForkedJvm worker = workers.get(name);
    return worker == null ? producers.get(name) : worker;
  }

  synchronized void kill(String name) {
    ForkedJvm process = process(name);
    if (process != null) {
      recordExit(name, process);
      killed.add(process);
      process.kill();
    }
  }

  /**
   * Records the exit of a process that no fault killed. Ignores a process that exited before it
   * began to work, because the server may have been unreachable.
   */
  private void recordExit(String name, ForkedJvm process) {
    if (!process.isAlive()
        && !killed.contains(process)
        && process.lines().stream().anyMatch(line -> line.startsWith(ProcessSettings.READY))) {
      killed.add(process); // so that it is recorded once
      int exit = process.awaitExit(Duration.ofSeconds(1));
      if (exit != 0 || isWorker(name)) {
        history.write(name, EventType.EXITED, Event.NONE, 0, 0, String.valueOf(exit));
      }
    }
  }

  /** Restarts a process, which continues its history. */
  synchronized void restart(String name) {
    ForkedJvm old = process(name);
    if (old != null) {
      recordExit(name, old);
      killed.remove(old);
      old.close();
    }
    if (workers.containsKey(name)) {
      startWorker(name);
    } else {
      startProducer(name);
    }
  }

  /** Returns whether all producers are done. Restarts those that have crashed. */
  synchronized boolean isProduced() {
    List<String> crashed = new ArrayList<>();
    producers.forEach(
        (name, process) -> {
          if (!process.isAlive() && process.awaitExit(Duration.ofSeconds(1)) != 0) {
            crashed.add(name);
          }
        });
    crashes += crashed.size();
    crashed.forEach(this::restart);
    return crashed.isEmpty() && producers().isEmpty();
  }

  /** Returns whether producers have crashed too often to continue. */
  synchronized boolean areProducersCrashing() {
    return crashes > MAX_CRASHES;
  }

  /**
   * Stops the producers, whether they are done or not. The first one's worker releases its jobs.
   */
  synchronized void stopProducers() {
    producers.forEach(this::recordExit);
    killed.addAll(producers.values());
    stop(producers.values());
  }

  synchronized void restartStoppedWorkers() {
    for (String name : workers()) {
      ForkedJvm worker = workers.get(name);
      if (worker == null || !worker.isAlive()) {
        restart(name);
      }
    }
  }

  /** Stops the workers in an orderly way, and kills those that do not stop in time. */
  synchronized void stopWorkers() {
    workers.forEach(this::recordExit);
    stop(workers.values());
  }

  private static void stop(Collection<ForkedJvm> processes) {
    processes.forEach(ForkedJvm::terminate);
    for (ForkedJvm process : processes) {
      try {
        process.awaitExit(STOP_TIMEOUT);
      } catch (AssertionError timeout) {
        process.kill();
      }
    }
  }

  @Override
  public synchronized void close() {
    workers.values().forEach(ForkedJvm::close);
    producers.values().forEach(ForkedJvm::close);
  }
}
