package dev.skipjack.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Verdict;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Batches of heartbeats and outcomes return a result for each attempt and never wait. */
abstract class BatchPromises extends AttemptPromises {

  private static final String ALONE = "COMPLETE_IN.*";

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ALONE)
  void batchesReturnVerdictsInTheOrderOfTheInput(AttemptWrite write) throws SQLException {
    fixture.enqueueMany(6);
    List<Execution> backwards = new ArrayList<>(fixture.claimExecutions(6));
    Collections.reverse(backwards);
    store.complete(List.of(backwards.get(1), backwards.get(4)));

    assertThat(write.write(fixture, backwards))
        .containsExactly(
            Verdict.DONE, Verdict.LOST, Verdict.DONE, Verdict.DONE, Verdict.LOST, Verdict.DONE);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ALONE)
  void batchesOfHundredsOfJobsAreWrittenCompletely(AttemptWrite write) throws SQLException {
    fixture.enqueueMany(500);
    List<Execution> executions = fixture.claimExecutions(500);

    assertThat(write.write(fixture, executions)).hasSize(500).containsOnly(Verdict.DONE);

    assertThat(fixture.statusOf(executions.get(333).jobId())).isEqualTo(write.leadsTo());
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ALONE)
  void emptyBatchesReturnNothing(AttemptWrite write) throws SQLException {
    assertThat(write.write(fixture, List.of())).isEmpty();
  }

  /** The execution still owns the job, so a write that was busy succeeds when it is repeated. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ALONE)
  void batchesDoNotWaitForALockedRow(AttemptWrite write) throws Exception {
    fixture.enqueueMany(3);
    List<Execution> executions = fixture.claimExecutions(3);
    Execution held = executions.get(1);
    try (Connection rival = fixture.hold(held.jobId())) {
      assertThat(rival).isNotNull();
      assertThat(fixture.withoutWaiting(() -> write.write(fixture, executions)))
          .containsExactly(Verdict.DONE, Verdict.BUSY, Verdict.DONE);

      assertThat(fixture.find(held.jobId()).currentExecution()).isEqualTo(held.id());
    }
    assertThat(write.writeOne(fixture, held)).isEqualTo(Verdict.DONE);
  }

  /**
   * The transaction of a handler may stay open for a long time. Other jobs must keep their leases.
   */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.MATCH_NONE, names = ALONE)
  void batchesDoNotWaitForAnOpenCompletionInAHandlersTransaction(AttemptWrite write)
      throws Exception {
    fixture.enqueueMany(2);
    List<Execution> executions = fixture.claimExecutions(2);
    try (Connection handlers = fixture.transaction()) {
      store.completeIn(handlers, executions.get(0));

      assertThat(fixture.withoutWaiting(() -> write.write(fixture, executions)))
          .containsExactly(Verdict.BUSY, Verdict.DONE);

      handlers.commit();
    }
    assertThat(write.writeOne(fixture, executions.get(0))).isEqualTo(Verdict.LOST);
  }
}
