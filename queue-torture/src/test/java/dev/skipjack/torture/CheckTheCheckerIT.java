package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A checker that never finds anything would find nothing here either. */
@QueueTest
@Timeout(60)
class CheckTheCheckerIT {

  /** Each has a database of its own and is idle most of the time, until leases run out. */
  private static final int AT_A_TIME = 5;

  private static final List<Rig.Faults> ALL = List.of(Rig.Faults.values());
  private static final ExecutorService THREADS = Executors.newFixedThreadPool(AT_A_TIME);
  private static final Map<BrokenQueue, Future<TortureReport>> BROKEN =
      new EnumMap<>(BrokenQueue.class);

  private static final int MOST_RUNS = 4;

  @SuppressWarnings("NullAway.Init") // JUnit sets it before anything runs
  @TempDir
  private static Path histories;

  private final QueueDatabase database;

  CheckTheCheckerIT(QueueDatabase database) {
    this.database = database;
  }

  @AfterAll
  static void end() {
    THREADS.shutdownNow();
  }

  @ParameterizedTest
  @EnumSource
  void aBrokenQueueIsCaughtUnderItsName(BrokenQueue broken) throws Exception {
    // By the first, and all are over with the last: runs of the real queue meet none of them.
    if (BROKEN.isEmpty()) {
      for (BrokenQueue one : BrokenQueue.values()) {
        BROKEN.put(one, THREADS.submit(() -> run(one)));
      }
    }

    TortureReport report = Objects.requireNonNull(BROKEN.get(broken)).get();

    assertThat(report.count(broken.counter())).as(report.json()).isPositive();
    assertThat(report.isClean()).isFalse();
    assertThat(report.stories()).isNotEmpty();
    for (Counter other : innocentOf(broken)) {
      assertThat(report.count(other))
          .as("%s: %s%n%s", other, report.json(), String.join("\n", report.stories()))
          .isZero();
    }
  }

  /** What cannot follow from a broken promise, under no timing: a false name for it. */
  private static Set<Counter> innocentOf(BrokenQueue broken) {
    return switch (broken) {
      case RESCUE_IGNORES_THE_LEASE,
          COUNTS_ATTEMPTS_AT_FAILURE,
          NEVER_RESCUES,
          HEARTBEAT_STOPS_FIRST,
          BURIES_THE_LIVING ->
          EnumSet.of(Counter.LOST, Counter.DOUBLE_COMPLETED, Counter.UNIQUE_VIOLATIONS);
      case REPEATS_ENQUEUES, CANCELS_NOTHING ->
          EnumSet.of(
              Counter.LOST,
              Counter.DOUBLE_COMPLETED,
              Counter.STALE_ACCEPTED,
              Counter.OVERLAPPING_LEASES,
              Counter.UNIQUE_VIOLATIONS);
      case NO_UNIQUE_INDEX, REMEMBERS_UNIQUE_KEYS ->
          EnumSet.of(
              Counter.LOST,
              Counter.UNEXPECTED,
              Counter.DOUBLE_COMPLETED,
              Counter.STALE_ACCEPTED,
              Counter.OVERLAPPING_LEASES,
              Counter.AUDIT_GAPS);
      case ACKNOWLEDGES_BEFORE_COMMIT, DELETES_WITHOUT_ARCHIVE, CLAIMS_WITHOUT_AUDIT_ROW ->
          EnumSet.of(Counter.DOUBLE_COMPLETED, Counter.UNIQUE_VIOLATIONS);
      case RAISES_THE_CANCELLED ->
          EnumSet.of(Counter.STALE_ACCEPTED, Counter.OVERLAPPING_LEASES, Counter.UNIQUE_VIOLATIONS);
      case LOSES_COMPLETIONS, KEEPS_COMPLETED_JOBS -> EnumSet.of(Counter.OVERLAPPING_LEASES);
      // A worker whose lease is taken from it may believe what a lost answer would have said.
      case RESCUE_IGNORES_RENEWALS -> EnumSet.of(Counter.AUDIT_GAPS);
      // What ends or begins an attempt of another's job may be called by almost any name.
      case COMPLETES_BY_ID_ONLY, COMPLETES_IN_BY_ID_ONLY, FAILS_BY_ID_ONLY, CLAIMS_WITHOUT_LOCK ->
          EnumSet.of(Counter.UNIQUE_VIOLATIONS);
    };
  }

  /** What is broken need not show in every run: it may be that no frozen worker meets its rival. */
  private static TortureReport run(BrokenQueue broken) throws Exception {
    for (int seed = 1; ; seed++) {
      Path folder = Files.createDirectory(histories.resolve(broken.name() + "-" + seed));
      try (QueueDatabase own = QueueDatabase.create()) {
        TortureReport report = new Rig(own, folder, broken, broken.faults()).run(seed);
        if (report.count(broken.counter()) > 0 || seed == MOST_RUNS) {
          return report;
        }
      }
    }
  }

  @RepeatedTest(3)
  void aRunOfTheRealQueueGivesNoAlarm(RepetitionInfo run, @TempDir Path folder) throws Exception {
    assertNoAlarm(run, folder);
  }

  @RepeatedTest(20)
  @Tag("soak")
  void noRunOfManyGivesAlarm(RepetitionInfo run, @TempDir Path folder) throws Exception {
    assertNoAlarm(run, folder);
  }

  private void assertNoAlarm(RepetitionInfo run, Path folder) throws Exception {
    TortureReport report =
        new Rig(database, folder, null, ALL.get(run.getCurrentRepetition() % ALL.size()))
            .run(run.getCurrentRepetition());

    assertThat(report.isClean())
        .as("%s%n%s", report.json(), String.join("\n", report.stories()))
        .isTrue();
  }
}
