package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.store.jooq.JobMoves.Answer;
import dev.skipjack.store.jooq.JobMoves.Move;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Compares the results that callers received for one job with the database. Each attempt must have
 * been ended by the caller whose result reports it.
 */
final class Ledger {

  private static final String LOOK =
      """
      SELECT live.n + gone.n,
             coalesce(live.attempts, gone.attempts),
             coalesce(live.status, gone.status),
             live.current_execution_id,
             gone.execution_id,
             ARRAY(SELECT id FROM @job_executions WHERE job_id = given.id ORDER BY id),
             ARRAY(SELECT status::text FROM @job_executions WHERE job_id = given.id ORDER BY id)
        FROM (SELECT ?::bigint AS id) AS given
       CROSS JOIN LATERAL (SELECT count(*) AS n, max(attempts) AS attempts, max(status) AS status,
                                  max(current_execution_id) AS current_execution_id
                             FROM @jobs WHERE id = given.id) AS live
       CROSS JOIN LATERAL (SELECT count(*) AS n, max(attempts) AS attempts, max(status) AS status,
                                  max(execution_id) AS execution_id
                             FROM @jobs_archive WHERE id = given.id) AS gone
      """;

  private static final Map<Move, Set<String>> AUDIT =
      Map.of(
          Move.COMPLETE, Set.of("succeeded"),
          Move.COMPLETE_IN, Set.of("succeeded"),
          Move.END_WITH_DATA, Set.of("succeeded"),
          Move.FAIL, Set.of("failed", "dead", "cancelled"),
          Move.RELEASE, Set.of("released", "cancelled"),
          Move.RESCUE, Set.of("lost", "cancelled"));

  private static final Set<Move> COMPLETIONS =
      Set.of(Move.COMPLETE, Move.COMPLETE_IN, Move.END_WITH_DATA);

  private final Map<Long, Move> ends = new HashMap<>();
  private int claims;

  /** Records a result whose transaction has committed. */
  void note(Answer answer) {
    if (answer.move() == Move.CLAIM && answer.accepted()) {
      claims++;
    }
    answer
        .ended()
        .ifPresent(
            execution ->
                assertThat(ends.put(execution.id().value(), answer.move()))
                    .as("an earlier report of the end of execution %s", execution.id())
                    .isNull());
  }

  /** Compares the results with the database. No transaction may be open. */
  void compare(Fixture fixture, Connection connection, JobId job) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(fixture.inSchema(LOOK))) {
      statement.setLong(1, job.value());
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        compare(row);
      }
    }
  }

  private void compare(ResultSet row) throws SQLException {
    Long[] executions = (Long[]) row.getArray(6).getArray();
    String[] statuses = (String[]) row.getArray(7).getArray();
    String status = row.getString(3);
    assertThat(row.getInt(1)).as("rows of the job, live and archived").isEqualTo(1);
    assertThat(executions).as("audit rows").hasSize(claims).hasSize(row.getInt(2));
    long running = 0;
    for (int i = 0; i < executions.length; i++) {
      Move end = ends.get(executions[i]);
      if (end == null) {
        assertThat(statuses[i]).as("audit of an attempt that no caller ended").isEqualTo("running");
        running = executions[i];
      } else {
        assertThat(AUDIT.get(end)).as("audit of an attempt ended by %s", end).contains(statuses[i]);
      }
    }
    assertThat(ends.keySet()).as("attempts that were ended").isSubsetOf(Set.of(executions));
    assertThat(row.getLong(4)).as("the fence").isEqualTo(running);
    assertThat(status.equals("running")).as("running with an open attempt").isEqualTo(running > 0);
    assertThat(ends.values().stream().anyMatch(COMPLETIONS::contains))
        .as("reported as completed")
        .isEqualTo(status.equals("completed"));
    if (status.equals("completed")) {
      assertThat(ends.get(row.getLong(5))).isIn(COMPLETIONS);
    }
  }
}
