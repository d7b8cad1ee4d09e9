package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TortureOptionsTest {

  @Test
  void faultsAreParsedFromTheirLabels() {
    assertThat(FaultKind.parse("kill, commit-cut"))
        .containsExactlyInAnyOrder(FaultKind.KILL, FaultKind.COMMIT_CUT);
    assertThat(FaultKind.parse("none")).isEmpty();
    assertThatThrownBy(() -> FaultKind.parse("kill,fire"))
        .hasMessage(
            "Unknown fault 'fire' in --faults. Available faults: kill,stop,backend,postmaster,proxy,commit-cut,pool,clock; or none.");
  }

  @Test
  void valuesOutOfRangeAreRejected() {
    assertThatThrownBy(() -> options(0, 100)).hasMessageContaining("--minutes is 0.0");
    assertThatThrownBy(() -> options(Double.NaN, 100)).hasMessageContaining("--minutes is NaN");
    assertThatThrownBy(() -> options(1, 9)).hasMessageContaining("--jobs is 9");
  }

  private static TortureOptions options(double minutes, int jobs) {
    return new TortureOptions(minutes, jobs, 1, Optional.empty(), Set.of(), Load.ALL);
  }

  @Test
  void theLoadDecidesTheNumberOfJobsAndEvents() {
    assertThat(Load.ALL.jobs(3_000)).isEqualTo(3_000);
    assertThat(Load.ALL.events(3_000)).isEqualTo(300);
    assertThat(Load.JOBS.jobs(3_000)).isEqualTo(3_000);
    assertThat(Load.JOBS.events(3_000)).isZero();
    assertThat(Load.OUTBOX.jobs(3_000)).isZero();
    assertThat(Load.OUTBOX.events(3_000)).isEqualTo(3_000);
    assertThat(Load.SCHEDULES.jobs(3_000) + Load.SCHEDULES.events(3_000)).isZero();
    assertThat(Load.OUTBOX.processes() * Load.OUTBOX.eventProducers()).isEqualTo(64);
  }

  @Test
  void serverOfAGivenUrlIsNotCrashed() {
    Set<FaultKind> all = EnumSet.allOf(FaultKind.class);

    assertThat(
            new TortureOptions(1, 10, 1, Optional.of("jdbc:x"), all, Load.ALL).possibleFaults(true))
        .isEqualTo(EnumSet.complementOf(EnumSet.of(FaultKind.POSTMASTER)));
    assertThat(new TortureOptions(1, 10, 1, Optional.empty(), all, Load.ALL).possibleFaults(true))
        .isEqualTo(all);
  }

  @Test
  void clockIsLeftOutWithoutLibfaketimeAndIsNeverScheduled() {
    Set<FaultKind> clock = EnumSet.of(FaultKind.CLOCK);
    TortureOptions options = new TortureOptions(1, 10, 1, Optional.empty(), clock, Load.ALL);

    assertThat(options.possibleFaults(true)).isEqualTo(clock);
    assertThat(options.possibleFaults(false)).isEmpty();
    assertThat(PlannedFault.schedule(clock, 60, 1)).isEmpty();
  }

  @Test
  void theSeedDecidesTheScheduleAndLeavingOutAKindDoesNotChangeOthers() {
    Set<FaultKind> all = EnumSet.allOf(FaultKind.class);
    List<PlannedFault> schedule = PlannedFault.schedule(all, 2, 42);
    List<PlannedFault> kills = PlannedFault.schedule(EnumSet.of(FaultKind.KILL), 2, 42);

    assertThat(schedule).isEqualTo(PlannedFault.schedule(all, 2, 42)).containsAll(kills);
    assertThat(schedule).isNotEqualTo(PlannedFault.schedule(all, 2, 43));
    assertThat(kills).hasSize(16);
    assertThat(schedule).extracting(PlannedFault::at).isSorted();
  }
}
