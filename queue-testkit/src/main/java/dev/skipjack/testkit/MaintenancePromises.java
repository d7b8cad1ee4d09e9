package dev.skipjack.testkit;

import static dev.skipjack.testkit.StoreFixture.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.Retention;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.Pruned;
import dev.skipjack.api.spi.Verdict;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Partitions of the history are created and removed, and no history is removed before its retention
 * ends.
 */
abstract class MaintenancePromises extends Promises {

  @Test
  void createsEachMissingPartitionOnce() {
    Maintenance maintenance = fixture.ports.maintenance();

    assertThat(maintenance.createPartitions(Duration.ofDays(20)).postponed()).isEmpty();

    assertThat(maintenance.createPartitions(Duration.ofDays(20)).created()).isEmpty();
  }

  @Test
  void keepsRowsThatAreYoungerThanTheirRetention() {
    fixture.enqueue(1);
    Execution ended = fixture.claimOne(LEASE);
    store.complete(List.of(ended));

    fixture.ports.maintenance().removePartitions(Retention.defaults());

    assertThat(fixture.audit(ended.jobId())).containsExactly(ExecutionStatus.SUCCEEDED);
  }

  @Test
  void keepsTheAuditOfAnAttemptThatBeganJustNow() {
    fixture.enqueue(1);
    Execution running = fixture.claimOne(LEASE);

    fixture.ports.maintenance().removePartitions(new Retention(Duration.ZERO, Duration.ZERO));

    assertThat(fixture.audit(running.jobId())).containsExactly(ExecutionStatus.RUNNING);
    assertThat(store.complete(List.of(running))).containsExactly(Verdict.DONE);
    assertThat(fixture.audit(running.jobId())).containsExactly(ExecutionStatus.SUCCEEDED);
  }

  @Test
  void prunesDeadJobsAfterTheirQueuesRetention() {
    JobId kept = dead("default");
    JobId over = dead("forgetful");
    fixture
        .ports
        .admin()
        .configure("forgetful", QueueSettings.defaults().deadRetention(Duration.ZERO));

    assertThat(fixture.ports.maintenance().prune()).isEqualTo(new Pruned(0, 1, false));

    assertThat(fixture.ports.reader().find(over)).isEmpty();
    assertThat(fixture.ports.reader().find(kept)).isPresent();
    assertThat(fixture.ports.maintenance().prune()).isEqualTo(new Pruned(0, 0, false));
  }

  private JobId dead(String queue) {
    JobId job = fixture.enqueue(1, options -> options.onQueue(queue));
    List<Execution> claimed =
        store.claim(StoreFixture.request(1, LEASE, new Lane(queue, 0))).stream()
            .map(ClaimedJob::execution)
            .toList();
    fixture.fail(claimed, true);
    return job;
  }

  @Test
  void doesNotWaitForLocksAndBlocksNoOthers() throws Exception {
    fixture.enqueueMany(2);
    Execution open = fixture.claimOne(LEASE);
    try (Connection handlers = fixture.transaction()) {
      store.completeIn(handlers, open);

      fixture.withoutWaiting(
          () -> fixture.ports.maintenance().createPartitions(Duration.ofDays(21)));
      fixture.withoutWaiting(() -> store.complete(List.of(fixture.claimOne(LEASE))));

      handlers.commit();
    }
    assertThat(fixture.audit(open.jobId())).containsExactly(ExecutionStatus.SUCCEEDED);
  }
}
