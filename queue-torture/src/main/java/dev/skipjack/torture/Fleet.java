package dev.skipjack.torture;

import dev.skipjack.faults.ForkedJvm;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The processes under torture. Safe for any number of threads. */
final class Fleet implements AutoCloseable {

  static final int WORKERS = 3;
  static final int PRODUCERS = 3;

  private static final String WORKER = "worker-";
  private static final Duration BIRTH = Duration.ofSeconds(90);
  private static final Duration GOODBYE = Duration.ofSeconds(20);
  private static final int MOST_CRASHES = 20;

  /** Of the time jobs are planned for: some requests make none, and others take their place. */
  private static final double PART = 0.95;

  private final TortureDatabase database;
  private final Path folder;
  private final TortureOptions options;
  private final Optional<SkewedClocks> clocks;
  private final HistoryFile history;
  private final Set<ForkedJvm> killed = new HashSet<>();
  private final Map<String, ForkedJvm> workers = new TreeMap<>();
  private final Map<String, ForkedJvm> producers = new TreeMap<>();
  private final Instant begin = Instant.now();
  private int crashes;

  /**
   * @param clocks empty if all clocks are right
   * @param history hears of processes that ended by themselves
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

  /** Starts all of them and returns when they work. */
  synchronized void start() {
    for (int n = 1; n <= WORKERS; n++) {
      startWorker(WORKER + n);
    }
    for (int n = 1; n <= PRODUCERS; n++) {
      startProducer("producer-" + n);
    }
    try {
      workers.forEach((name, worker) -> worker.awaitLine(ready(name), BIRTH));
    } catch (AssertionError silent) {
      throw new IllegalStateException("A worker did not start; see its log in " + folder, silent);
    }
  }

  static boolean isWorker(String process) {
    return process.startsWith(WORKER);
  }

  private void startWorker(String name) {
    String[] arguments = settings(name).arguments(HistoryClock.ofWall().moment());
    workers.put(name, fork(WorkerProcess.class, name, arguments));
  }

  /** What it says when it works: a clock that was to be wrong must be. */
  private String ready(String name) {
    return WorkerProcess.ready(clocks.isPresent() ? SkewedClocks.hours(name) : 0);
  }

  private void startProducer(String name) {
    int jobs = options.jobs() / PRODUCERS + (name.endsWith("1") ? options.jobs() % PRODUCERS : 0);
    long gapMicros = Math.round(options.minutes() * PART * 60_000_000 / Math.max(1, jobs));
    producers.put(
        name,
        fork(
            ProducerProcess.class,
            name,
            settings(name)
                .arguments(
                    String.valueOf(options.seed()),
                    String.valueOf(jobs),
                    String.valueOf(gapMicros),
                    String.valueOf(begin.toEpochMilli()))));
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

  synchronized List<String> workers() {
    return List.copyOf(workers.keySet());
  }

  /** Those that still have jobs to enqueue. */
  synchronized List<String> producers() {
    return producers.entrySet().stream()
        .filter(entry -> entry.getValue().isAlive())
        .map(Map.Entry::getKey)
        .toList();
  }

  synchronized @Nullable ForkedJvm process(String name) {
    ForkedJvm worker = workers.get(name);
    return worker == null ? producers.get(name) : worker;
  }

  /** Kills a process, if it is there still. */
  synchronized void kill(String name) {
    ForkedJvm process = process(name);
    if (process != null) {
      noteDeath(name, process);
      killed.add(process);
      process.kill();
    }
  }

  /**
   * Notes that a process has ended though nobody killed it. One that had not begun to work is left
   * out: it may have been born while nobody reached the server.
   */
  private void noteDeath(String name, ForkedJvm process) {
    if (!process.isAlive()
        && !killed.contains(process)
        && process.lines().stream().anyMatch(line -> line.startsWith(ProcessSettings.READY))) {
      killed.add(process); // told once
      int exit = process.awaitExit(Duration.ofSeconds(1));
      if (exit != 0 || isWorker(name)) {
        history.write(name, EventType.DIED, Event.NONE, 0, 0, String.valueOf(exit));
      }
    }
  }

  /** Starts a process again that was killed; its history goes on. */
  synchronized void restart(String name) {
    ForkedJvm gone = process(name);
    if (gone != null) {
      noteDeath(name, gone);
      killed.remove(gone);
      gone.close();
    }
    if (workers.containsKey(name)) {
      startWorker(name);
    } else {
      startProducer(name);
    }
  }

  /**
   * Waits until all jobs are enqueued.
   *
   * @throws IllegalStateException if producers crash again and again, or do not come to an end
   */
  void awaitProducers(Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (!producers().isEmpty() || !finished()) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("The producers did not end within %s.".formatted(atMost));
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  /** Restarts those that ended badly. */
  private synchronized boolean finished() {
    List<String> bad = new ArrayList<>();
    producers.forEach(
        (name, process) -> {
          if (!process.isAlive() && process.awaitExit(Duration.ofSeconds(1)) != 0) {
            bad.add(name);
          }
        });
    crashes += bad.size();
    if (crashes > MOST_CRASHES) {
      throw new IllegalStateException("Producers end by themselves; see their logs in " + folder);
    }
    bad.forEach(this::restart);
    return bad.isEmpty();
  }

  /** Starts the workers again that are not there, for whatever reason. */
  synchronized void reviveWorkers() {
    for (String name : workers()) {
      ForkedJvm worker = workers.get(name);
      if (worker == null || !worker.isAlive()) {
        restart(name);
      }
    }
  }

  /** Ends the workers in order. */
  synchronized void stopWorkers() {
    workers.forEach(this::noteDeath);
    workers.values().forEach(ForkedJvm::terminate);
    for (ForkedJvm worker : workers.values()) {
      try {
        worker.awaitExit(GOODBYE);
      } catch (AssertionError runsOn) {
        worker.kill();
      }
    }
  }

  @Override
  public synchronized void close() {
    workers.values().forEach(ForkedJvm::close);
    producers.values().forEach(ForkedJvm::close);
  }
}
