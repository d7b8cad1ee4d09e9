package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.torture.Scale.Measure;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Runs the test for a short time with processes, a server and all faults, as the command does. */
@DisabledOnOs(OS.WINDOWS) // no signals
class TortureIT {

  private static final int JOBS_PER_MINUTE = 2_000;

  /** Also checks that every kind of fault occurs. Half a minute suffices for that. */
  @Test
  @Timeout(value = 8, unit = TimeUnit.MINUTES)
  void noGuaranteeIsViolatedUnderAllFaults() throws Exception {
    assertNoGuaranteeIsViolated(0.5);
  }

  @Test
  @Tag("soak")
  @Timeout(value = 12, unit = TimeUnit.MINUTES)
  void noGuaranteeIsViolatedUnderAllFaultsForLonger() throws Exception {
    assertNoGuaranteeIsViolated(2);
  }

  private static void assertNoGuaranteeIsViolated(double minutes) throws Exception {
    List<String> notes = new ArrayList<>();

    TortureReport report =
        Torture.run(
            new TortureOptions(
                minutes,
                (int) (minutes * JOBS_PER_MINUTE),
                4_711,
                Optional.empty(),
                EnumSet.allOf(FaultKind.class),
                Load.ALL),
            Duration.ofMinutes(5), // enough for each kind of fault, even on a slow machine
            notes::add);

    assertThat(report.isClean())
        .as("%s%n%s%n%s", report.json(), String.join("\n", report.stories()), notes)
        .isTrue();
    assertThat(report.json()).contains("\"verdict\":\"clean\"").doesNotContain("\"struck\":0");
    assertThat(notes).noneMatch(note -> note.contains("could not be injected"));
    assertThat(report.json())
        .doesNotContain("\"fires\":0,")
        .doesNotContain("\"events_published\":0,");
    assertThat(report.scale().count(Measure.CUT_COMMITS)).as(report.json()).isPositive();
    assertThat(report.scale().count(Measure.ZOMBIES)).as(report.json()).isPositive();
    assertThat(reruns(report, "kill") + reruns(report, "stop")).as(report.json()).isPositive();
  }

  private static long reruns(TortureReport report, String kind) {
    return Objects.requireNonNull(Objects.requireNonNull(report.faults().get(kind)).get("reruns"));
  }

  /** The load takes several minutes even on a fast machine. */
  @Test
  @Tag("soak")
  @Timeout(value = 8, unit = TimeUnit.MINUTES)
  void aRunWhoseLoadDoesNotFitEndsWithAVerdictAndReportsWhatWasCutShort() throws Exception {
    List<String> notes = new ArrayList<>();

    TortureReport report =
        Torture.run(
            new TortureOptions(
                0.1,
                20_000,
                4_711,
                Optional.empty(),
                EnumSet.of(FaultKind.KILL, FaultKind.BACKEND),
                Load.JOBS),
            Duration.ofSeconds(3),
            notes::add);

    assertThat(report.isClean())
        .as("%s%n%s", report.json(), String.join("\n", report.stories()))
        .isTrue();
    StringWriter text = new StringWriter();
    report.print(new PrintWriter(text));
    for (String all : List.of(report.json(), text.toString(), String.join("\n", notes))) {
      assertThat(all).contains("of 2 faults injected").contains("of the load produced: the time");
    }
  }

  @Test
  @Timeout(value = 8, unit = TimeUnit.MINUTES)
  void healthySchedulesFireAlongsideOddOnes() throws Exception {
    TortureReport report =
        Torture.run(
            new TortureOptions(
                0.2,
                10,
                4_711,
                Optional.empty(),
                EnumSet.of(FaultKind.KILL, FaultKind.COMMIT_CUT),
                Load.SCHEDULES),
            note -> {});

    assertThat(report.isClean())
        .as("%s%n%s", report.json(), String.join("\n", report.stories()))
        .isTrue();
    assertThat(report.json())
        .doesNotContain("\"fires\":0,")
        .doesNotContain("\"odd_rows\":0,")
        .doesNotContain("\"odd_rows_refused\":0,")
        .contains("\"cut_short\":[]");
  }

  @Test
  @Timeout(value = 8, unit = TimeUnit.MINUTES)
  void stepsAreDurableWhenProcessesAreKilled() throws Exception {
    assertStepsAreDurable(0.1, 200, EnumSet.of(FaultKind.KILL, FaultKind.COMMIT_CUT));
  }

  @Test
  @Tag("soak")
  @Timeout(value = 8, unit = TimeUnit.MINUTES)
  void stepsAreDurableUnderAllFaults() throws Exception {
    assertStepsAreDurable(1, JOBS_PER_MINUTE, EnumSet.allOf(FaultKind.class));
  }

  private static void assertStepsAreDurable(double minutes, int jobs, Set<FaultKind> faults)
      throws Exception {
    TortureReport report =
        Torture.run(
            new TortureOptions(minutes, jobs, 4_711, Optional.empty(), faults, Load.STEPS),
            note -> {});

    assertThat(report.isClean())
        .as("%s%n%s", report.json(), String.join("\n", report.stories()))
        .isTrue();
    assertThat(struck(report, "kill")).as(report.json()).isPositive();
  }

  /** The runs under all faults have jobs with a limit too, but fewer. */
  @Test
  @Tag("soak")
  @Timeout(value = 8, unit = TimeUnit.MINUTES)
  void limitsAreExactUnderAllFaults() throws Exception {
    TortureReport report =
        Torture.run(
            new TortureOptions(
                1,
                JOBS_PER_MINUTE,
                4_711,
                Optional.empty(),
                EnumSet.allOf(FaultKind.class),
                Load.LIMITED),
            note -> {});

    assertThat(report.isClean())
        .as("%s%n%s", report.json(), String.join("\n", report.stories()))
        .isTrue();
    assertThat(report.scale().count(Measure.ZOMBIES)).as(report.json()).isPositive();
  }

  /** Runs 64 producers and four relays without jobs. The runs under all faults have events too. */
  @Test
  @Tag("soak")
  @Timeout(value = 8, unit = TimeUnit.MINUTES)
  void theOutboxAloneIsComplete() throws Exception {
    TortureReport report =
        Torture.run(
            new TortureOptions(
                0.1,
                200,
                4_711,
                Optional.empty(),
                EnumSet.of(FaultKind.KILL, FaultKind.STOP, FaultKind.COMMIT_CUT),
                Load.OUTBOX),
            note -> {});

    assertThat(report.isClean())
        .as("%s%n%s", report.json(), String.join("\n", report.stories()))
        .isTrue();
    assertThat(report.json())
        .contains("\"jobs_enqueued\":0,")
        .doesNotContain("\"odd_rows\":0,")
        .doesNotContain("\"events_published\":0,");
  }

  /** Lasts for {@code -Dskipjack.torture.minutes} minutes. */
  @Test
  @Tag("soak")
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void theOutboxAloneIsCompleteAndOnlyKilledOrFrozenRelaysRepeatEvents() throws Exception {
    double minutes = Double.parseDouble(System.getProperty("skipjack.torture.minutes", "3"));

    TortureReport report =
        Torture.run(
            new TortureOptions(
                minutes,
                Math.max(10, (int) (minutes * JOBS_PER_MINUTE)),
                20_261_123,
                Optional.empty(),
                EnumSet.of(FaultKind.KILL, FaultKind.STOP),
                Load.OUTBOX),
            note -> {});

    assertThat(struck(report, "kill")).as(report.json()).isPositive();
    assertThat(struck(report, "stop")).as(report.json()).isPositive();
    assertThat(report.json())
        .contains("\"jobs_enqueued\":0,")
        .doesNotContain("\"events_published\":0,");
    assertThat(
            List.of(
                report.count(Counter.OUTBOX_MISSED),
                report.count(Counter.OUTBOX_PHANTOM),
                report.count(Counter.OUTBOX_MISORDERED),
                report.count(Counter.OUTBOX_DUPLICATES)))
        .as("%s%n%s", report.json(), String.join("\n", report.stories()))
        .containsOnly(0L);
    assertThat(report.isClean()).as(report.json()).isTrue();
  }

  private static long struck(TortureReport report, String kind) {
    return Objects.requireNonNull(Objects.requireNonNull(report.faults().get(kind)).get("struck"));
  }

  @Test
  @Tag("soak")
  @Timeout(value = 4, unit = TimeUnit.MINUTES)
  void serverOfAGivenUrlIsNotCrashed() throws Exception {
    List<String> notes = new ArrayList<>();
    try (QueueDatabase database = QueueDatabase.create()) {
      TortureReport report =
          Torture.run(
              new TortureOptions(
                  0.1,
                  100,
                  1,
                  Optional.of(database.jdbcUrl()),
                  EnumSet.of(FaultKind.KILL, FaultKind.POSTMASTER, FaultKind.COMMIT_CUT),
                  Load.JOBS),
              notes::add);

      assertThat(report.isClean()).as(report.json()).isTrue();
      assertThat(report.json()).contains("\"left_out\":\"postmaster\"");
      assertThat(report.faults().get("kill")).containsEntry("struck", 1L);
      assertThat(report.faults().get("postmaster")).containsEntry("struck", 0L);
      assertThat(notes)
          .anyMatch(note -> note.startsWith("Leaving out") && note.endsWith("postmaster"));
    }
  }
}
