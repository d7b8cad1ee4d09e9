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
 * Makes planned faults happen, and notes whom each struck and from when to when. Belongs to one
 * thread; what ends later is ended by another.
 */
final class FaultInjector implements AutoCloseable {

  /** How a server is treated that resets all sessions because one was killed. */
  static final String ONE_BACKEND = "backend";

  /** How the network is disturbed if everything arrives, but late. */
  static final String SLOW = "slow";

  /** How it is disturbed if nobody gets in, and whoever was in is put out. */
  static final String REFUSED = "refused";

  /** How it is disturbed if it swallows everything, of new connections too. */
  static final String BLACK_HOLE = "black-hole";

  private static final String FORGOTTEN = "forgotten";
  private static final String RESET = "reset";
  private static final List<String> WAYS = List.of(BLACK_HOLE, FORGOTTEN, REFUSED, SLOW, RESET);

  private static final int CUTS = 5;
  private static final Duration LONGEST_CUT = Duration.ofSeconds(1);

  /** So many kills are one of a producer and the others of workers. */
  private static final int PRODUCER_EVERY = 5;

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
  private final Set<String> unwell = new HashSet<>();
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

  /** Lets all of them happen, each at its time or as soon after it as the one before is over. */
  void run(List<PlannedFault> faults) throws InterruptedException {
    long begin = System.nanoTime();
    for (PlannedFault fault : faults) {
      long ahead = begin + fault.at().toNanos() - System.nanoTime();
      if (ahead > 0) {
        TimeUnit.NANOSECONDS.sleep(ahead);
      }
      strike(fault);
    }
  }

  private void strike(PlannedFault fault) throws InterruptedException {
    number++;
    Random dice = new Random(fault.dice());
    try {
      switch (fault.kind()) {
        case KILL -> kill(fault.nth(), dice);
        case STOP -> stop(dice);
        case BACKEND -> terminateBackends(dice);
        case POSTMASTER -> crash(fault.nth(), dice);
        case PROXY -> disturbNetwork(dice);
        case COMMIT_CUT -> cutCommits();
        case POOL -> exhaustPool(dice);
        case CLOCK -> throw new IllegalStateException("Clocks are set when workers start.");
      }
    } catch (SQLException | RuntimeException | AssertionError failure) {
      notes.accept("A " + fault.kind().label() + " fault did not succeed: " + failure);
      if (fault.kind() != FaultKind.POSTMASTER) {
        journal.end(
            number); // but a server that did not restart is unavailable until all faults are
        // removed
      }
    }
  }

  private void kill(int nth, Random dice) throws InterruptedException {
    List<String> producers = fleet.producers();
    String name =
        nth % PRODUCER_EVERY == PRODUCER_EVERY - 1 && !producers.isEmpty()
            ? producers.get(dice.nextInt(producers.size()))
            : well(dice);
    ForkedJvm process = fleet.process(name);
    if (process == null) {
      return;
    }
    begin(FaultKind.KILL, name);
    fleet.kill(name);
    TimeUnit.MILLISECONDS.sleep(dice.nextInt(500));
    fleet.restart(name);
    end();
  }

  private void stop(Random dice) {
    String name = well(dice);
    ForkedJvm process = fleet.process(name);
    if (process == null) {
      return;
    }
    begin(FaultKind.STOP, name);
    process.freeze();
    becomesUnwell(name);
    after(times(Pace.FORKED.lease(), 1.3 + dice.nextDouble()), name, process::thaw);
  }

  private void exhaustPool(Random dice) {
    String name = well(dice);
    long millis = times(Pace.FORKED.lease(), 1.2).toMillis();
    begin(FaultKind.POOL, name);
    ExhaustedPool.ask(folder, name, millis);
    becomesUnwell(name);
    after(Duration.ofMillis(millis + 500), name, () -> {});
  }

  private void terminateBackends(Random dice) throws SQLException {
    begin(FaultKind.BACKEND, Event.ALL);
    try (Connection connection = database.direct().getConnection();
        PreparedStatement terminate = connection.prepareStatement(TERMINATE)) {
      terminate.setString(1, ProcessSettings.APPLICATION);
      terminate.setInt(2, 1 + dice.nextInt(4));
      terminate.execute();
    } finally {
      end();
    }
  }

  private void crash(int nth, Random dice) throws InterruptedException, SQLException {
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
    TimeUnit.MILLISECONDS.sleep(200 + dice.nextInt(1_500));
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
          throw new IllegalStateException("There is no session to kill.");
        }
        return row.getInt(1);
      }
    }
  }

  private void disturbNetwork(Random dice) throws InterruptedException {
    TcpProxy proxy = database.proxy();
    int millis = 500 + dice.nextInt(2_500);
    String way = WAYS.get(dice.nextInt(WAYS.size()));
    begin(FaultKind.PROXY, Event.ALL, way);
    switch (way) {
      case BLACK_HOLE -> {
        proxy.blackHole();
        TimeUnit.MILLISECONDS.sleep(millis);
        proxy.pass();
        journal.ease(number);
        TimeUnit.MILLISECONDS.sleep(2_500); // until all have found out by themselves
        proxy.reset(); // or the server would keep the forgotten sessions for hours
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

  /** Over when all have struck: who looks for a cause wants to know when that was. */
  private void cutCommits() throws InterruptedException {
    TcpProxy proxy = database.proxy();
    begin(FaultKind.COMMIT_CUT, Event.ALL);
    announcedCuts += CUTS;
    proxy.cutBeforeCommit(CUTS / 2);
    proxy.cutAfterCommit(CUTS - CUTS / 2);
    long deadline = System.nanoTime() + LONGEST_CUT.toNanos();
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

  private void after(Duration wait, String name, Runnable heal) {
    int which = number;
    ScheduledFuture<?> unused =
        later.schedule(
            () -> {
              try {
                heal.run();
              } catch (IllegalStateException gone) {
                notes.accept("A process had ended by itself: " + name);
              } finally {
                journal.end(which);
                recovers(name);
              }
            },
            wait.toMillis(),
            TimeUnit.MILLISECONDS);
  }

  /** A worker that is neither frozen nor without connections; any if all are. */
  private String well(Random dice) {
    List<String> all = fleet.workers();
    List<String> well = all.stream().filter(name -> !isUnwell(name)).toList();
    List<String> from = well.isEmpty() ? all : well;
    return from.get(dice.nextInt(from.size()));
  }

  private boolean isUnwell(String name) {
    synchronized (unwell) {
      return unwell.contains(name);
    }
  }

  private void becomesUnwell(String name) {
    synchronized (unwell) {
      unwell.add(name);
    }
  }

  private void recovers(String name) {
    synchronized (unwell) {
      unwell.remove(name);
    }
  }

  /** Ends every fault; returns when none is left. */
  void heal() throws InterruptedException {
    later.shutdown(); // what was scheduled is done all the same
    if (!later.awaitTermination(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException("Faults did not end.");
    }
    database.server().ifPresent(CrashingPostgres::start);
    database.awaitServer();
    database.proxy().pass();
    database.proxy().latency(Duration.ZERO, Duration.ZERO);
    database.proxy().clearCuts();
    fleet.reviveWorkers();
    journal.endAll();
  }

  @Override
  public void close() {
    later.shutdownNow();
  }
}
