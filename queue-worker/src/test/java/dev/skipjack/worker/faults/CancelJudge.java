package dev.skipjack.worker.faults;

import dev.skipjack.api.JobId;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.worker.faults.Cancels.Answer;
import dev.skipjack.worker.faults.Cancels.Deed;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds jobs whose end contradicts the result of their cancellation. */
final class CancelJudge {

  /** Selects every job with its final state and the start of its last attempt. */
  private static final String ENDS =
      """
      SELECT job.id, job.status, job.payload ->> 'deed', job.execution_id,
             (SELECT (extract(epoch FROM max(started_at)) * 1e6)::bigint FROM @job_executions WHERE job_id = job.id),
             (SELECT count(*) FROM @job_executions WHERE job_id = job.id AND status = 'succeeded')
        FROM (SELECT id, status, payload, execution_id FROM @jobs_archive
              UNION ALL
              SELECT id, status, payload, NULL FROM @jobs) AS job
      """;

  private final QueueDatabase database;
  private final Cancels cancels;
  private final List<String> violations = new ArrayList<>();

  CancelJudge(QueueDatabase database, Cancels cancels) {
    this.database = database;
    this.cancels = cancels;
  }

  /**
   * The final state of a job.
   *
   * @param completedBy the execution that the archive names; 0 if there is none
   * @param lastBegin the start of the last attempt, in microseconds by the database's clock; 0 if
   *     there was none
   */
  private record End(
      long id, String status, Deed deed, long completedBy, long lastBegin, long successes) {}

  /**
   * @param jobs the expected number of jobs
   */
  List<String> violations(int jobs) {
    int seen = 0;
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(ENDS.replace("@", database.schema() + "."))) {
      while (row.next()) {
        seen++;
        judge(
            new End(
                row.getLong(1),
                row.getString(2),
                Deed.valueOf(row.getString(3)),
                row.getLong(4),
                row.getLong(5),
                row.getLong(6)));
      }
    } catch (SQLException broken) {
      throw new AssertionError(ENDS, broken);
    }
    if (seen != jobs) {
      violations.add("%d jobs are left of %d".formatted(seen, jobs));
    }
    return violations;
  }

  private void judge(End end) {
    Answer answer = cancels.answers.get(new JobId(end.id()));
    boolean completed = end.status().equals("completed");
    require(completed == (end.successes() == 1), "the audit agrees with the status", end, answer);
    if (completed) {
      require(
          cancels.completing.contains(end.completedBy()), "its handler completed it", end, answer);
    }
    if (answer == null) {
      require(
          end.status().equals(end.deed() == Deed.FAIL ? "dead" : "completed"),
          "a job without a request is not cancelled",
          end,
          answer);
      return;
    }
    switch (answer.result()) {
      case CANCELLED -> {
        require(end.status().equals("cancelled"), "a cancelled job stays cancelled", end, answer);
        require(end.lastBegin() <= answer.at(), "a cancelled job never begins", end, answer);
      }
      case REQUESTED -> {
        require(end.lastBegin() <= answer.at(), "no attempt begins after the request", end, answer);
        require(
            completed || end.status().equals("cancelled"),
            "a job ends as cancelled or completed after a request",
            end,
            answer);
      }
      case GONE -> require(completed, "a job that is gone was completed", end, answer);
      case DEAD -> require(end.status().equals("dead"), "a dead job stays dead", end, answer);
      case BUSY -> require(false, "a busy job is cancelled again", end, answer);
    }
  }

  private void require(boolean holds, String rule, End end, @Nullable Answer answer) {
    if (!holds) {
      violations.add("%s: %s, %s".formatted(rule, end, answer));
    }
  }
}
