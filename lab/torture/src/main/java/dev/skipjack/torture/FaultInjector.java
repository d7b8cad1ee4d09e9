package dev.skipjack.torture;

import dev.skipjack.faults.CrashingPostgres;
import dev.skipjack.faults.ForkedJvm;
import dev.skipjack.faults.TcpProxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Injects the planned faults and records which process each fault hits, when it begins and when it
 * ends. Used by one thread. Another thread ends the faults that last for some time.
 */
final class FaultInjector implements AutoCloseable {

  /** The server resets all sessions, because one backend was killed. */
  static final String ONE_BACKEND = "backend";

  /** The network delivers all traffic with a delay. */
  static final String SLOW = "slow";

  /** The network resets open connections and refuses new ones. */
  static final String REFUSED = "refused";

  /** The network discards all traffic, including that of new connections. */
  static final String BLACK_HOLE = "black-hole";

  private static final String FORGOTTEN = "forgotten";
  private static final String RESET = "reset";
  private static final List<String> NETWORK_FAULTS =
      List.of(BLACK_HOLE, FORGOTTEN, REFUSED, SLOW, RESET);

  private static final int CUTS = 5;
  private static final Duration CUT_TIMEOUT = Duration.ofSeconds(1);

  /** One in this number of kills hits a producer; the others hit workers. */
  private static final int KILLS_PER_PRODUCER_KILL = 5;

  private static final String TERMINATE =
      "SELECT pg_terminate_backend(pid) FROM (SELECT pid FROM pg_stat_activity"
          + " WHERE application_name = ? AND pid <> pg_backend_pid() ORDER BY random() LIMIT ?) AS sessions";

  private static final String PICK_BACKEND =
      "SELECT pid FROM pg_stat_activity WHERE application_name = ? ORDER BY random() LIMIT 1";

  private final TortureDatabase database;
  private final Fleet fleet;
  private final FaultJournal journal;
  private final Path folder;
  private final Consumer<String> notes;
  private final ScheduledExecutorService later = Executors.newScheduledThreadPool(2);
  private final Set<String> impaired = new HashSet<>();
  private int number;
  private int announcedCuts;

  FaultInjector(
      TortureDatabase database,
      Fleet fleet,
      HistoryFile history,
      Path folder,
      Consumer<String> notes) {
    this.database = database;
    this.fleet = fleet;
    this.journal = new FaultJournal(history);
    this.folder = folder;
    this.notes = notes;
  }

  @FunctionalInterface
  interface Turns {
    /** Waits until a fault is due, and returns false if it is too late for any fault. */
    boolean await(PlannedFault fault) throws InterruptedException;
  }

  /** Injects the faults one after another, and returns the number of injected faults. */
  int run(List<PlannedFault> faults, Turns turns) throws InterruptedException {
    int injected = 0;
    for (PlannedFault fault : faults) {
      if (!turns.await(fault)) {
        break;
      }
      inject(fault);
      injected++;
    }
    return injected;
  }

  private void inject(PlannedFault fault) throws InterruptedException {
    number++;
    Random random = new Random(fault.seed());
    try {
      switch (fault.kind()) {
        case KILL -> kill(fault.nth(), random);
        case STOP -> stop(random);
        case BACKEND -> terminateBackends(random);
        case POSTMASTER -> crash(fault.nth(), random);
        case PROXY -> disturbNetwork(random);
        case COMMIT_CUT -> cutCommits();
        case POOL -> exhaustPool(random);
        case CLOCK -> throw new IllegalStateException("Clocks are set when workers start.");
      }
    } catch (SQLException | RuntimeException | AssertionError failure) {
      notes.accept("Fault " + fault.kind().label() + " could not be injected: " + failure);
      if (fault.kind() != FaultKind.POSTMASTER) {
        // A server that did not restart stays unavailable until all faults are removed.
        journal.end(number);
      }
    }
  }

  private void kill(int nth, Random random) throws InterruptedException {
    List<String> producers = fleet.producers();
    String name =
        nth % KILLS_PER_PRODUCER_KILL == KILLS_PER_PRODUCER_KILL - 1 && !producers.isEmpty()
            ? producers.get(random.nextInt(producers.size()))
            : healthyWorker(random);
    ForkedJvm process = fleet.process(name);
    if (process == null) {
      return;
    }
    begin(FaultKind.KILL, name);
    fleet.kill(name);
    TimeUnit.MILLISECONDS.sleep(random.nextInt(500));
    fleet.restart(name);
    end();
  }

  private void stop(Random random) {
    String name = healthyWorker(random);
    ForkedJvm process = fleet.process(name);
    if (process == null) {
      return;
    }
    begin(FaultKind.STOP, name);
    process.freeze();
    markImpaired(name);
    endLater(times(Pace.FORKED.lease(), 1.3 + random.nextDouble()), name, process::thaw);
  }

  private void exhaustPool(Random random) {
    String name = healthyWorker(random);
    long millis = times(Pace.FORKED.lease(), 1.2).toMillis();
    begin(FaultKind.POOL, name);
    ExhaustedPool.request(folder, name, millis);
    markImpaired(name);
    endLater(Duration.ofMillis(millis + 500), name, () -> {});
  }

  private void terminateBackends(Random random) throws SQLException {
    begin(FaultKind.BACKEND, Event.ALL);
    try (Connection connection = database.direct().getConnection();
        PreparedStatement terminate = connection.prepareStatement(TERMINATE)) {
      terminate.setString(1, ProcessSettings.APPLICATION);
      terminate.setInt(2, 1 + random.nextInt(4));
      terminate.execute();
    } finally {
      end();
    }
  }

  private void crash(int nth, Random random) throws InterruptedException, SQLException {
    CrashingPostgres server = database.server().orElseThrow();
    switch (nth % 3) {
      case 0 -> {
        begin(FaultKind.POSTMASTER, Event.ALL, "immediate");
        server.crash();
      }
      case 1 -> {
        begin(FaultKind.POSTMASTER, Event.ALL, "killed");
        server.kill();
      }
      default -> {
        int backend = anyBackend();
        begin(FaultKind.POSTMASTER, Event.ALL, ONE_BACKEND);
        server.killBackend(backend);
      }
    }
    TimeUnit.MILLISECONDS.sleep(200 + random.nextInt(1_500));
    server.start();
    database.awaitServer();
    end();
  }

  private int anyBackend() throws SQLException {
    try (Connection connection = database.direct().getConnection();
        PreparedStatement pick = connection.prepareStatement(PICK_BACKEND)) {
      pick.setString(1, ProcessSettings.APPLICATION);
      try (var row = pick.executeQuery()) {
        if (!row.next()) {
          throw new IllegalStateException(
              "There is no session to kill; the producers and workers are not connected.");
        }
        return row.getInt(1);
      }
    }
  }

  private void disturbNetwork(Random random) throws InterruptedException {
    TcpProxy proxy = database.proxy();
    int millis = 500 + random.nextInt(2_500);
    String how = NETWORK_FAULTS.get(random.nextInt(NETWORK_FAULTS.size()));
    begin(FaultKind.PROXY, Event.ALL, how);
    switch (how) {
      case BLACK_HOLE -> {
        proxy.blackHole();
        TimeUnit.MILLISECONDS.sleep(millis);
        proxy.pass();
        journal.ease(number);
        TimeUnit.MILLISECONDS.sleep(2_500); // until timeouts have expired in all processes
        proxy.reset(); // otherwise the server keeps the forgotten sessions for hours
      }
      case FORGOTTEN -> {
        proxy.forgetOpen();
        TimeUnit.MILLISECONDS.sleep(3_000);
        proxy.reset();
      }
      case REFUSED -> {
        proxy.refuseNew();
        proxy.reset();
        TimeUnit.MILLISECONDS.sleep(millis);
        proxy.pass();
      }
      case SLOW -> {
        proxy.latency(Duration.ofMillis(30), Duration.ofMillis(30));
        TimeUnit.MILLISECONDS.sleep(millis);
        proxy.latency(Duration.ZERO, Duration.ZERO);
      }
      default -> proxy.reset();
    }
    end();
  }

  /** Ends the fault as soon as all cuts have happened, to record that time in the journal. */
  private void cutCommits() throws InterruptedException {
    TcpProxy proxy = database.proxy();
    begin(FaultKind.COMMIT_CUT, Event.ALL);
    announcedCuts += CUTS;
    proxy.cutBeforeCommit(CUTS / 2);
    proxy.cutAfterCommit(CUTS - CUTS / 2);
    long deadline = System.nanoTime() + CUT_TIMEOUT.toNanos();
    while (proxy.cutCommits() < announcedCuts && System.nanoTime() < deadline) {
      TimeUnit.MILLISECONDS.sleep(5);
    }
    end();
  }

  private static Duration times(Duration duration, double factor) {
    return Duration.ofMillis(Math.round(duration.toMillis() * factor));
  }

  private void begin(FaultKind kind, String target) {
    begin(kind, target, "");
  }

  private void begin(FaultKind kind, String target, String how) {
    journal.begin(number, kind, target, how);
  }

  private void end() {
    journal.end(number);
  }

  private void endLater(Duration wait, String name, Runnable end) {
    int ended = number;
    ScheduledFuture<?> unused =
        later.schedule(
            () -> {
              try {
                end.run();
              } catch (IllegalStateException exited) {
                notes.accept("Process " + name + " had exited on its own.");
              } finally {
                journal.end(ended);
                markHealthy(name);
              }
            },
            wait.toMillis(),
            TimeUnit.MILLISECONDS);
  }

  /**
   * Returns a random worker that is not frozen and has connections. If there is none, returns any
   * worker.
   */
  private String healthyWorker(Random random) {
    List<String> all = fleet.workers();
    List<String> healthy = all.stream().filter(name -> !isImpaired(name)).toList();
    List<String> from = healthy.isEmpty() ? all : healthy;
    return from.get(random.nextInt(from.size()));
  }

  private boolean isImpaired(String name) {
    synchronized (impaired) {
      return impaired.contains(name);
    }
  }

  private void markImpaired(String name) {
    synchronized (impaired) {
      impaired.add(name);
    }
  }

  private void markHealthy(String name) {
    synchronized (impaired) {
      impaired.remove(name);
    }
  }

  /** Ends all faults, and returns when none remains. */
  void endAllFaults() throws InterruptedException {
    later.shutdown(); // what was scheduled still runs
    if (!later.awaitTermination(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException("Faults did not end.");
    }
    database.server().ifPresent(CrashingPostgres::start);
    database.awaitServer();
    database.proxy().pass();
    database.proxy().latency(Duration.ZERO, Duration.ZERO);
    database.proxy().clearCuts();
    fleet.restartStoppedWorkers();
    journal.endAll();
  }

  @Override
  public void close() {
    later.shutdownNow();
  }
}
