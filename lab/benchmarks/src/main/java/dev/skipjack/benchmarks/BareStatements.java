package dev.skipjack.benchmarks;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.benchmarks.Recording.Sent;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The store's claim and completion for bare JDBC, exactly as the store sends them, including the
 * settings. Only the ids of the completed executions differ between calls.
 */
final class BareStatements {

  private final Sent claim;
  private final Sent complete;

  private BareStatements(Sent claim, Sent complete) {
    this.claim = claim;
    this.complete = complete;
  }

  /**
   * Records both statements while the store runs them.
   *
   * @param database must not contain due jobs
   * @param batch number of jobs per claim
   */
  static BareStatements capture(BenchmarkDatabase database, int batch) throws SQLException {
    Recording recording = new Recording();
    JobQueue queue = database.queue(recording::wrap);
    ClaimRequest request =
        new ClaimRequest(
            WorkerId.boot("bare"),
            List.of(new LaneShare(new Lane(Noop.TYPE.queue(), 0), batch, null)),
            List.of(Noop.TYPE.kind()),
            batch,
            Duration.ofSeconds(30));
    int claimed = queue.store().claim(request).size();
    if (claimed > 0) {
      throw new IllegalStateException("%d jobs are due, but none should be.".formatted(claimed));
    }
    Instant now =
        Instant.ofEpochSecond(database.number("SELECT extract(epoch FROM now())::bigint"));
    Execution any = new Execution(new JobId(1), new ExecutionId(1), now);
    queue.store().complete(List.of(any, any)); // the text for batches
    return new BareStatements(only(recording, "\"claimed\""), only(recording, "\"ended\""));
  }

  private static Sent only(Recording recording, String name) {
    return recording.sent().stream()
        .filter(sent -> sent.sql().contains(name))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("The store sent no statement with " + name));
  }

  /**
   * Claims a batch and completes it, in two transactions.
   *
   * @param connection a connection that is not in auto-commit mode
   * @return the number of jobs in the batch
   */
  int claimAndComplete(Connection connection) throws SQLException {
    Long[] jobs = new Long[ClaimRequest.LARGEST];
    Long[] executions = new Long[ClaimRequest.LARGEST];
    int count = 0;
    try (PreparedStatement statement = connection.prepareStatement(claim.sql())) {
      for (int i = 0; i < claim.binds().size(); i++) {
        claim.binds().get(i).on(statement, i + 1);
      }
      try (ResultSet rows = rows(statement)) {
        int width = rows.getMetaData().getColumnCount();
        while (rows.next()) {
          jobs[count] = rows.getLong(1);
          executions[count] = rows.getLong(2);
          count++;
          for (int column = 3; column <= width; column++) {
            rows.getString(column);
          }
        }
      }
    }
    connection.commit();
    Long[] jobsLeft = Arrays.copyOf(jobs, count);
    Long[] executionsLeft = Arrays.copyOf(executions, count);
    while (jobsLeft.length > 0) {
      boolean[] busy = complete(connection, jobsLeft, executionsLeft);
      jobsLeft = only(jobsLeft, busy);
      executionsLeft = only(executionsLeft, busy);
    }
    return count;
  }

  private static Long[] only(Long[] ids, boolean[] busy) {
    return IntStream.range(0, ids.length)
        .filter(i -> busy[i])
        .mapToObj(i -> ids[i])
        .toArray(Long[]::new);
  }

  /**
   * Completes jobs and returns which were busy. A job is busy while a concurrent claim, which still
   * saw it as pending, holds a lock on its row.
   */
  private boolean[] complete(Connection connection, Long[] jobs, Long[] executions)
      throws SQLException {
    boolean[] busy = new boolean[jobs.length];
    try (PreparedStatement statement = connection.prepareStatement(complete.sql())) {
      Array jobIds = connection.createArrayOf("int8", jobs);
      Array executionIds = connection.createArrayOf("int8", executions);
      for (int i = 0; i < complete.binds().size(); i++) {
        statement.setArray(i + 1, i % 2 == 0 ? jobIds : executionIds);
      }
      try (ResultSet rows = rows(statement)) {
        for (int i = 0; rows.next(); i++) {
          String verdict = rows.getString(1);
          if (verdict.equals("LOST")) {
            throw new IllegalStateException("Execution of job %d was lost.".formatted(jobs[i]));
          }
          busy[i] = verdict.equals("BUSY");
        }
      }
    }
    connection.commit();
    return busy;
  }

  /** Executes the statement, skips the results of the settings before it, and returns its rows. */
  private static ResultSet rows(PreparedStatement statement) throws SQLException {
    boolean hasRows = statement.execute();
    while (!hasRows
        || statement.getResultSet().getMetaData().getColumnName(1).equals("set_config")) {
      hasRows = statement.getMoreResults();
      if (!hasRows && statement.getUpdateCount() == -1) {
        throw new SQLException("The statement returned no rows.");
      }
    }
    return statement.getResultSet();
  }
}
