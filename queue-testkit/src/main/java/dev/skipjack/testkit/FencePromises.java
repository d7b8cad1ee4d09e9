package dev.skipjack.testkit;

import static dev.skipjack.testkit.AttemptFixture.LEASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Verdict;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An execution that no longer owns its job changes nothing, whatever it writes. */
abstract class FencePromises extends AttemptPromises {

  @ParameterizedTest
  @EnumSource
  void theOwnersWriteSucceeds(AttemptWrite write) throws SQLException {
    fixture.enqueue(1);
    Execution owner = fixture.claimOne(LEASE);

    assertThat(write.writeOne(fixture, owner)).isEqualTo(Verdict.DONE);

    assertThat(fixture.statusOf(owner.jobId())).isEqualTo(write.leadsTo());
    assertThat(fixture.audit(owner.jobId())).containsExactly(write.auditSays());
  }

  @ParameterizedTest
  @EnumSource
  void writeIsLostOnceTheJobWasRescued(AttemptWrite write) throws SQLException {
    assertLost(write, fixture.rescuedExecution());
  }

  @ParameterizedTest
  @EnumSource
  void writeIsLostOnceTheJobWasClaimedAgain(AttemptWrite write) throws SQLException {
    Execution zombie = fixture.rescuedExecution();
    Execution owner = fixture.claimOne(LEASE);

    assertLost(write, zombie);

    assertThat(fixture.find(owner.jobId()).currentExecution()).isEqualTo(owner.id());
    assertThat(store.complete(List.of(owner))).containsExactly(Verdict.DONE);
  }

  @ParameterizedTest
  @EnumSource
  void writeIsLostOnceTheAttemptHasEnded(AttemptWrite write) throws SQLException {
    for (AttemptWrite end : AttemptWrite.values()) {
      if (end.isEnd()) {
        String queue = end.name().toLowerCase(Locale.ROOT);
        fixture.enqueue(1, job -> job.onQueue(queue));
        Execution ended = fixture.claimFrom(queue, LEASE);
        assertThat(end.writeOne(fixture, ended)).isEqualTo(Verdict.DONE);

        assertLost(write, ended);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void writeIsLostIfItsExecutionIsThatOfAnotherJob(AttemptWrite write) throws SQLException {
    fixture.enqueueMany(2);
    List<Execution> owners = fixture.claimExecutions(2);
    Execution crossed =
        new Execution(owners.get(0).jobId(), owners.get(1).id(), owners.get(1).startedAt());
    JobDetails other = fixture.find(owners.get(1).jobId());

    assertLost(write, crossed);

    assertThat(fixture.find(owners.get(1).jobId())).isEqualTo(other);
  }

  @ParameterizedTest
  @EnumSource
  void writeIsLostIfItsExecutionOrJobNeverExisted(AttemptWrite write) throws SQLException {
    fixture.enqueue(1);
    Execution owner = fixture.claimOne(LEASE);

    assertLost(
        write, new Execution(owner.jobId(), new ExecutionId(Long.MAX_VALUE), owner.startedAt()));
    assertThat(
            write.writeOne(
                fixture, new Execution(AttemptFixture.UNKNOWN, owner.id(), owner.startedAt())))
        .isEqualTo(Verdict.LOST);
    assertThat(fixture.find(owner.jobId()).currentExecution()).isEqualTo(owner.id());
  }

  /**
   * A worker that was disconnected for a while may write an attempt that it has lost and the
   * current attempt of the same job in one batch.
   */
  @ParameterizedTest
  @EnumSource
  void lostWriteAndOwnersWriteMayShareABatchInEitherOrder(AttemptWrite write) throws SQLException {
    for (boolean zombieFirst : List.of(true, false)) {
      String queue = zombieFirst ? "first" : "last";
      Execution zombie = fixture.rescuedExecutionOf(queue);
      Execution owner = fixture.claimFrom(queue, LEASE);
      List<Execution> batch = new ArrayList<>(List.of(zombie, owner));
      List<Verdict> answers = new ArrayList<>(List.of(Verdict.LOST, Verdict.DONE));
      if (!zombieFirst) {
        Collections.reverse(batch);
        Collections.reverse(answers);
      }

      assertThat(write.write(fixture, batch)).isEqualTo(answers);

      assertThat(fixture.statusOf(owner.jobId())).isEqualTo(write.leadsTo());
      assertThat(fixture.audit(owner.jobId()))
          .containsExactly(ExecutionStatus.LOST, write.auditSays());
    }
  }

  private void assertLost(AttemptWrite write, Execution stale) throws SQLException {
    JobDetails before = fixture.find(stale.jobId());

    assertThat(write.writeOne(fixture, stale)).isEqualTo(Verdict.LOST);

    assertThat(fixture.find(stale.jobId())).isEqualTo(before);
  }
}
