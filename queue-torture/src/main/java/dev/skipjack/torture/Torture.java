package dev.skipjack.torture;

import dev.skipjack.api.JobStatus;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.store.jooq.JobQueue;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs producers and workers under faults, lets the queue drain, and checks the outcome. Stateless.
 * Run only one instance at a time on a machine.
 */
public final class Torture {

  private static final Duration NO_PROGRESS = Duration.ofSeconds(60);
  private static final long POLL_MILLIS = 250;

  private static final String LIVE =
      "SELECT (SELECT count(*) FROM @jobs WHERE status <> '%1$s') + (SELECT count(*) FROM @outbox_events WHERE status <> '%1$s')"
          .formatted(JobStatus.DEAD.literal());

  private Torture() {}

  /**
   * Runs the test once with the given options.
   *
   * @param notes receives progress messages, each a sentence
   * @throws SQLException if the database could not be prepared or read
   * @throws IllegalStateException if the run could not be completed
   */
  public static TortureReport run(TortureOptions options, Consumer<String> notes)
      throws SQLException, InterruptedException {
    Optional<SkewedClocks> clocks = SkewedClocks.find();
    Set<FaultKind> kinds = options.possibleFaults(clocks.isPresent());
    reportLeftOut(options, kinds, notes);
    Path folder = newFolder();
    try (TortureDatabase database = TortureDatabase.open(options.url())) {
      TortureReport report =
          run(
              options,
              kinds,
              database,
              clocks.filter(found -> kinds.contains(FaultKind.CLOCK)),
              folder,
              notes);
      if (report.isClean()) {
        delete(folder);
      } else {
        notes.accept("Histories and logs of the processes are kept in " + folder);
      }
      return report;
    }
  }

  private static void reportLeftOut(
      TortureOptions options, Set<FaultKind> kinds, Consumer<String> notes) {
    if (options.faults().contains(FaultKind.CLOCK) && !kinds.contains(FaultKind.CLOCK)) {
      notes.accept(
          "Leaving out clock: libfaketime is not installed (Debian: libfaketime). If it is in another folder, set -D%s=FOLDER."
              .formatted(SkewedClocks.FOLDER_PROPERTY));
    }
    List<FaultKind> needServer =
        options.faults().stream()
            .filter(FaultKind::needsOwnServer)
            .filter(kind -> !kinds.contains(kind))
            .toList();
    if (!needServer.isEmpty()) {
      notes.accept("Leaving out faults that need an embedded server: " + labels(needServer));
    }
  }

  private static TortureReport run(
      TortureOptions options,
      Set<FaultKind> kinds,
      TortureDatabase database,
      Optional<SkewedClocks> clocks,
      Path folder,
      Consumer<String> notes)
      throws SQLException, InterruptedException {
    long start = System.nanoTime();
    Map<String, Object> facts = facts(options, kinds, database);
    try (HistoryFile history = HistoryFile.open(folder, "faults");
        Fleet fleet = new Fleet(database, folder, options, clocks, history);
        FaultInjector injector = new FaultInjector(database, fleet, history, folder, notes)) {
      fleet.start();
      Hiccups hiccups = Hiccups.watch(history);
      LeaseWatch leases =
          LeaseWatch.start(database.direct(), database.schema(), history, Pace.FORKED.lease());
      List<PlannedFault> faults = PlannedFault.schedule(kinds, options.minutes(), options.seed());
      notes.accept(
          "Enqueuing %d jobs and recording %d events in %s minutes under %d faults, seed %d."
              .formatted(
                  options.load().jobs(options.jobs()),
                  options.load().events(options.jobs()),
                  options.minutes(),
                  faults.size(),
                  options.seed()));
      injector.run(faults);
      injector.endAllFaults();
      fleet.awaitProducers(
          Duration.ofMillis(Math.round(options.minutes() * 60_000)).plusMinutes(5));
      notes.accept("All jobs are enqueued, all events recorded and all faults removed. Draining.");
      if (options.load().hasJobs()) {
        pauseSchedules(database, notes);
      }
      drain(database, folder, notes);
      fleet.stopWorkers();
      hiccups.stop();
      leases.stop();
    }
    facts.put(TortureReport.CUT_COMMITS, (long) database.proxy().cutCommits());
    FinalRead read = FinalReader.read(database.direct(), database.schema());
    facts.put("seconds", TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start));
    return TortureReport.of(facts, HistoryFile.readAll(folder), read, Pace.FORKED);
  }

  private static Map<String, Object> facts(
      TortureOptions options, Set<FaultKind> kinds, TortureDatabase database) throws SQLException {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("seed", options.seed());
    facts.put("minutes", options.minutes());
    facts.put("workload", options.load().label());
    facts.put("jobs", options.jobs());
    facts.put("chosen_faults", labels(kinds));
    facts.put(
        "left_out", labels(options.faults().stream().filter(k -> !kinds.contains(k)).toList()));
    facts.put("lease_ms", Pace.FORKED.lease().toMillis());
    facts.put("rescue_ms", Pace.FORKED.rescueInterval().toMillis());
    facts.put("server", value(database, "SHOW server_version"));
    facts.put("fsync", value(database, "SHOW fsync"));
    facts.put("synchronous_commit", value(database, "SHOW synchronous_commit"));
    return facts;
  }

  private static String labels(Collection<FaultKind> kinds) {
    return kinds.stream().map(FaultKind::label).collect(Collectors.joining(","));
  }

  /** Pauses the schedules once they have caught up on the fires that faults delayed. */
  private static void pauseSchedules(TortureDatabase database, Consumer<String> notes)
      throws SQLException, InterruptedException {
    String overdue = ScheduledWork.OVERDUE.replace("@", database.schema() + ".");
    long deadline = System.nanoTime() + NO_PROGRESS.toNanos();
    while (!value(database, overdue).equals("0")) {
      if (System.nanoTime() > deadline) {
        notes.accept("Schedules are late although all faults are removed.");
        break;
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
    ScheduledWork.pause(
        JobQueue.builder(database.direct()).schema(database.schema()).build().schedules());
  }

  /**
   * Waits until every job has ended or is dead and every event is published or dead, or until the
   * number of the others no longer falls. Meanwhile, an operator frees the ordering keys that dead
   * jobs block, and the aggregates that dead events block.
   */
  private static void drain(TortureDatabase database, Path folder, Consumer<String> notes)
      throws SQLException, InterruptedException {
    JobQueue queue = JobQueue.builder(database.direct()).schema(database.schema()).build();
    try (HistoryFile history = HistoryFile.open(folder, "operator")) {
      drain(
          database,
          new Operator(queue.reader(), queue.admin(), history),
          new EventOperator(Outbox.on(queue).admin(), history),
          notes);
    }
  }

  private static void drain(
      TortureDatabase database, Operator operator, EventOperator events, Consumer<String> notes)
      throws SQLException, InterruptedException {
    SplittableRandom random = new SplittableRandom(1);
    String sql = LIVE.replace("@", database.schema() + ".");
    long fewest = Long.MAX_VALUE;
    long lastProgress = System.nanoTime();
    while (true) {
      long live = Long.parseLong(value(database, sql));
      if (live == 0) {
        return;
      }
      if (live < fewest) {
        fewest = live;
        lastProgress = System.nanoTime();
      } else if (System.nanoTime() - lastProgress > NO_PROGRESS.toNanos()) {
        notes.accept(
            "%d jobs and events are still live, and none has ended for %d s."
                .formatted(live, NO_PROGRESS.toSeconds()));
        return;
      }
      operator.freeBlockedKeys(random);
      events.unblockAggregates();
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  private static String value(TortureDatabase database, String sql) throws SQLException {
    try (Connection connection = database.direct().getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return String.valueOf(row.getString(1));
    }
  }

  private static Path newFolder() {
    try {
      return Files.createTempDirectory("skipjack-torture");
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static void delete(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
