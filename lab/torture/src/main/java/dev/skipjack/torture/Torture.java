package dev.skipjack.torture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Runs producers and workers under faults, lets the queue drain, and checks the outcome. Stateless.
 * Run only one instance at a time on a machine.
 */
public final class Torture {

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
    return run(options, Production.limit(planned(options)), notes);
  }

  private static Duration planned(TortureOptions options) {
    return Duration.ofMillis(Math.round(options.minutes() * 60_000));
  }

  /**
   * Runs the test.
   *
   * @param limit the time after which the load and the faults are cut short
   */
  static TortureReport run(TortureOptions options, Duration limit, Consumer<String> notes)
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
              limit,
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
      Duration limit,
      Consumer<String> notes)
      throws SQLException, InterruptedException {
    long start = System.nanoTime();
    Map<String, Object> facts = facts(options, kinds, database);
    database.addRows(options.load().rows(options.jobs()), options.minutes() * 60);
    try (HistoryFile history = HistoryFile.open(folder, "faults");
        Fleet fleet = new Fleet(database, folder, options, clocks, history);
        FaultInjector injector = new FaultInjector(database, fleet, history, folder, notes)) {
      new LimitOperator(database.queue().admin(), history).prepare();
      fleet.start();
      Hiccups hiccups = Hiccups.watch(history);
      LeaseWatch leases =
          LeaseWatch.start(database.direct(), database.schema(), history, Pace.FORKED.lease());
      Optional<OddRows> odd = startOddRows(options, database);
      List<PlannedFault> faults = PlannedFault.schedule(kinds, options.minutes(), options.seed());
      Load load = options.load();
      int jobs = load.jobs(options.jobs());
      int events = load.events(options.jobs());
      notes.accept(
          "Enqueuing %d jobs and recording %d events in %s minutes under %d faults, seed %d."
              .formatted(jobs, events, options.minutes(), faults.size(), options.seed()));
      Production production =
          new Production(
              fleet, new Progress(folder, jobs + events), history, planned(options), limit);
      production.run(injector, faults);
      production.cutShort().forEach(what -> notes.accept("Cut short: " + what + "."));
      facts.put(TortureReport.CUT_SHORT, production.cutShort());
      if (odd.isPresent()) {
        odd.get().stop();
        facts.put("odd_rows", odd.get().accepted());
        facts.put("odd_rows_refused", odd.get().refused());
      }
      Destination.heal(folder);
      notes.accept("The load is produced and all faults are removed. Draining.");
      Drain drain = new Drain(database, notes);
      if (load.hasJobs()) {
        drain.pauseSchedules();
      }
      drain.await(folder);
      fleet.stopWorkers();
      hiccups.stop();
      leases.stop();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    facts.put(TortureReport.CUT_COMMITS, (long) database.proxy().cutCommits());
    FinalRead read = FinalReader.read(database.direct(), database.schema());
    facts.put("seconds", TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start));
    return TortureReport.of(facts, HistoryFile.readAll(folder), read, Pace.FORKED);
  }

  private static Optional<OddRows> startOddRows(TortureOptions options, TortureDatabase database) {
    return options
        .load()
        .oddRows()
        .map(source -> OddRows.start(database.direct(), database.schema(), source, options.seed()));
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
    facts.put("server", database.value("SHOW server_version"));
    facts.put("fsync", database.value("SHOW fsync"));
    facts.put("synchronous_commit", database.value("SHOW synchronous_commit"));
    return facts;
  }

  private static String labels(Collection<FaultKind> kinds) {
    return kinds.stream().map(FaultKind::label).collect(Collectors.joining(","));
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
