package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.Retention;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.Postponed;
import dev.skipjack.api.spi.Postponed.Reason;
import dev.skipjack.api.spi.Pruned;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MaintainerTest {

  private final MemoryStore store = new MemoryStore();
  private final Reporter reporter = new Reporter(List.of());
  private final Vitals vitals = new Vitals(reporter);
  private final Maintainer maintainer =
      new Maintainer(store, Retention.defaults(), vitals, reporter, new SplittableRandom(7));

  @Test
  void partitionsAreCreatedBeforeOthersAreRemoved() {
    maintainer.run();

    assertThat(store.calls).containsExactly("createPartitions", "removePartitions", "prune");
  }

  @ParameterizedTest
  @ValueSource(strings = {"createPartitions", "removePartitions", "prune"})
  void aStepThatFailsDoesNotStopTheOthers(String broken) {
    store.fault = failing(broken, new IllegalStateException("broken"));

    assertThatThrownBy(maintainer::run).hasMessage("broken");

    assertThat(Duration.ofNanos(maintainer.pauseAfter(new IllegalStateException("broken"))))
        .isBetween(Duration.ofSeconds(48), Duration.ofSeconds(72));
    assertThat(store.calls).containsExactly("createPartitions", "removePartitions", "prune");
  }

  @Test
  void anErrorOfAStepDoesNotStopTheOthers() {
    store.fault =
        new MemoryStore.Fault() {
          @Override
          public void after(String call, int size) {
            if (call.equals("createPartitions")) {
              throw new StackOverflowError("too deep");
            }
          }
        };

    assertThatThrownBy(maintainer::run).hasRootCauseInstanceOf(StackOverflowError.class);

    assertThat(store.calls).containsExactly("createPartitions", "removePartitions", "prune");
  }

  @Test
  void anUnavailableDatabaseIsNotAskedAgainAtOnce() {
    store.fault =
        failing(
            "createPartitions",
            new StoreException("unavailable", new SQLException("unavailable", "08006")));

    assertThatThrownBy(maintainer::run).hasMessage("unavailable");

    assertThat(maintainer.pauseAfter(new IllegalStateException("unavailable"))).isZero();
    assertThat(store.calls).containsExactly("createPartitions");
  }

  @Test
  void failedStepDoesNotDelayUnfinishedWork() {
    store.fault = failing("createPartitions", new IllegalStateException("broken"));
    store.pruned = new Pruned(5_000, 0, true);

    assertThatThrownBy(maintainer::run).hasMessage("broken");

    assertThat(Duration.ofNanos(maintainer.pauseAfter(new IllegalStateException("broken"))))
        .isLessThan(Duration.ofSeconds(2));
  }

  private static MemoryStore.Fault failing(String broken, RuntimeException failure) {
    return new MemoryStore.Fault() {
      @Override
      public void before(String call, int size) {
        if (call.equals(broken)) {
          throw failure;
        }
      }
    };
  }

  @Test
  void maintenanceRunsAgainSoonIfRowsCouldNotBePruned() {
    store.pruned = new Pruned(0, 0, false, List.of("Dead jobs of queue 'mail' were not pruned."));

    assertThat(Duration.ofNanos(maintainer.run())).isLessThan(Duration.ofMinutes(2));
  }

  @Test
  void healthReportsDaysAheadThatNoPartitionCanBeCreated() {
    Instant end = Instant.now().plus(Duration.ofDays(13));
    store.missingFrom = end;
    store.postponed.add(new Postponed("job_executions_20300101", Reason.FORBIDDEN));
    maintainer.run();

    assertThat(vitals.partitionTrouble())
        .contains(
            "The worker cannot create partitions (job_executions_20300101: FORBIDDEN); the last one ends at "
                + end
                + ", and no job can be claimed or completed after that.");

    store.missingFrom = null;
    store.postponed.clear();
    maintainer.run();
    assertThat(vitals.partitionTrouble()).isEmpty();
  }

  @Test
  void aTemporaryLockIsReportedOnlyInTheLastDays() {
    store.postponed.add(new Postponed("job_executions_20300101", Reason.BUSY));
    store.missingFrom = Instant.now().plus(Duration.ofDays(13));
    maintainer.run();
    assertThat(vitals.partitionTrouble()).isEmpty();

    store.missingFrom = Instant.now().plus(Duration.ofDays(3));
    maintainer.run();
    assertThat(vitals.partitionTrouble()).isPresent();
  }

  @Test
  void maintenanceRunsAgainInAboutAnHour() {
    assertThat(Duration.ofNanos(maintainer.run()))
        .isBetween(Duration.ofMinutes(48), Duration.ofMinutes(72));
  }

  @Test
  void maintenanceRunsAgainSoonAfterALockBlockedIt() {
    store.postponed.add(new Postponed("p", Reason.BUSY));

    assertThat(Duration.ofNanos(maintainer.run()))
        .isBetween(Duration.ofSeconds(48), Duration.ofSeconds(72));
  }

  @Test
  void maintenanceContinuesAtOnceWithUnfinishedWork() {
    store.postponed.add(new Postponed("p", Reason.BUSY));
    store.postponed.add(new Postponed("q", Reason.UNFINISHED));

    assertThat(Duration.ofNanos(maintainer.run())).isLessThan(Duration.ofSeconds(2));
  }

  @Test
  void maintenanceContinuesAtOnceWithRowsThatAreNotPrunedYet() {
    store.pruned = new Pruned(5_000, 0, true);

    assertThat(Duration.ofNanos(maintainer.run())).isLessThan(Duration.ofSeconds(2));
  }

  @Test
  void maintenanceWaitsTheUsualTimeForProblemsThatOnlyAnOperatorOrAJobCanSolve() {
    store.postponed.add(new Postponed("p", Reason.FORBIDDEN));
    store.postponed.add(new Postponed("q", Reason.IN_THE_WAY));
    store.postponed.add(new Postponed("r", Reason.RUNNING));

    assertThat(Duration.ofNanos(maintainer.run())).isGreaterThan(Duration.ofMinutes(40));
  }
}
