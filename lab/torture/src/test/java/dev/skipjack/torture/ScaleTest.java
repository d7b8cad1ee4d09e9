package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.torture.Scale.Measure;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScaleTest {

  private final MadeUpRun run = new MadeUpRun();

  private Scale scale(long cutCommits) {
    return Scale.of(run.checked(), run.log(), Pace.FORKED, cutCommits);
  }

  @Test
  void onlyWorkersThatContinueAfterALeaseAreZombies() {
    run.fault("kill", "worker-1", 0.2, 0.5);
    run.fault("stop", "worker-1", 1, 4.1);
    run.fault("stop", "worker-2", 1, 3.9);
    run.fault("stop", "worker-3", 1, 5);
    run.fault("kill", "worker-3", 2, 2.5);
    run.fault("kill", "worker-1", 5, 5.5);

    assertThat(scale(0).count(Measure.ZOMBIES)).isEqualTo(1);
    assertThat(scale(0).count(Measure.WORKER_KILLS)).isEqualTo(3);
  }

  @Test
  void killsOfProducersAndOfSingleSessionsAreNotCounted() {
    run.fault("kill", "producer-1", 1, 2);
    run.fault("postmaster backend", Event.ALL, 1, 2);
    run.fault("postmaster killed", Event.ALL, 3, 4);
    run.fault("postmaster immediate", Event.ALL, 5, 6);
    run.job(7, "completed", "a", "", 0, 0);
    run.job(7, "running", "a", "", 0, 0);

    assertThat(scale(3).count(Measure.WORKER_KILLS)).isZero();
    assertThat(scale(3).count(Measure.SERVER_KILLS)).isEqualTo(2);
    assertThat(scale(3).count(Measure.JOBS)).isEqualTo(1);
    assertThat(scale(3).count(Measure.CUT_COMMITS)).isEqualTo(3);
    assertThat(scale(5_000).isRelease()).isFalse();
  }

  @Test
  void thirtyFourMinutesReachTheScaleOfARelease() {
    List<PlannedFault> plan = PlannedFault.schedule(EnumSet.allOf(FaultKind.class), 34, 20_261_121);

    assertThat(count(plan, FaultKind.KILL) * 4 / 5)
        .isGreaterThanOrEqualTo(Measure.WORKER_KILLS.release());
    assertThat(count(plan, FaultKind.POSTMASTER) * 2 / 3)
        .isGreaterThanOrEqualTo(Measure.SERVER_KILLS.release());
    assertThat(count(plan, FaultKind.STOP)).isGreaterThan(Measure.ZOMBIES.release());
    assertThat(count(plan, FaultKind.COMMIT_CUT) * 5).isGreaterThan(Measure.CUT_COMMITS.release());
    for (int n = 0; n < count(plan, FaultKind.KILL); n++) {
      int nth = n;
      assertThat(plan).anyMatch(f -> f.kind() == FaultKind.KILL && f.nth() == nth);
    }
  }

  private static long count(List<PlannedFault> plan, FaultKind kind) {
    return plan.stream().filter(fault -> fault.kind() == kind).count();
  }
}
