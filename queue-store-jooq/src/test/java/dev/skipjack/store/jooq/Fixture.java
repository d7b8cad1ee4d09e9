package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobType;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.faults.RowTimeout;
import dev.skipjack.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/** Common steps of the store's tests. */
public final class Fixture {

  public record Work(int number) {}

  public static final JobType<Work> WORK = JobType.of("work", Work.class).maxAttempts(3);
  public static final Duration LEASE = Duration.ofSeconds(30);

  /** A lease that has expired when the claim returns, so that no test waits for one. */
  public static final Duration EXPIRED = Duration.ofNanos(1_000);

  /**
   * A setting that any role may change up to PostgreSQL 18, and with which literals with
   * backslashes have another meaning.
   */
  public static final String BACKSLASHES_ESCAPE = "standard_conforming_strings = off";

  public final QueueDatabase database;
  public final JobQueue queue;
  public final JobStore store;

  public Fixture(QueueDatabase database) {
    this.database = database;
    this.queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
    this.store = queue.store();
  }

  public void enqueue(int count) {
    queue.enqueueAll(WORK, IntStream.rangeClosed(1, count).mapToObj(Work::new).toList());
  }

  public List<ClaimedJob> claim(int limit) {
    return claim(limit, LEASE);
  }

  public List<ClaimedJob> claim(int limit, Duration lease) {
    return store.claim(request(limit, lease, new Lane("default", 0)));
  }

  /** Claims one job and returns its execution. */
  public Execution claimOne(Duration lease) {
    return claim(1, lease).get(0).execution();
  }

  public static ClaimRequest request(int limit, Duration lease, Lane... lanes) {
    return new ClaimRequest(
        WorkerId.boot("test"),
        List.of(lanes).stream().map(lane -> new LaneShare(lane, limit, null)).toList(),
        List.of(WORK.kind()),
        limit,
        lease);
  }

  /** Returns whether the execution still owns its job. */
  public boolean owns(Execution execution) {
    return value("SELECT count(*) FROM @jobs WHERE current_execution_id = " + execution.id())
        .equals("1");
  }

  /** Returns the only value of a query as text. */
  public String value(String sql) {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(inSchema(sql))) {
      return row.next() ? row.getString(1) : "(no row)";
    } catch (SQLException failure) {
      throw new AssertionError(sql, failure);
    }
  }

  public void execute(String sql) {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute(inSchema(sql));
    } catch (SQLException failure) {
      throw new AssertionError(sql, failure);
    }
  }

  /**
   * Returns whether the server accepts {@link #BACKSLASHES_ESCAPE}. PostgreSQL 19 must refuse it.
   */
  public boolean canLetBackslashesEscape() {
    if (Integer.parseInt(value("SHOW server_version_num")) < 190_000) {
      return true;
    }
    assertThatThrownBy(() -> execute("SET " + BACKSLASHES_ESCAPE))
        .rootCause()
        .hasMessageContaining("standard_conforming_strings");
    return false;
  }

  /**
   * Checks that a call does not change the only job in the last second before a moment, by the
   * database's clock. If the moment passes during the call, the check is repeated.
   *
   * @param prepare creates the job
   * @param column the column that holds the moment
   * @param leaves makes the call, and returns whether it has left the job unchanged
   */
  void requireLeftBefore(Runnable prepare, String column, BooleanSupplier leaves) {
    for (int tries = 0; tries < 50; tries++) {
      execute("DELETE FROM @jobs");
      prepare.run();
      String moment =
          value(
              "UPDATE @jobs SET %1$s = clock_timestamp() + interval '0.8 seconds' RETURNING %1$s"
                  .formatted(column));
      boolean left = leaves.getAsBoolean();
      if (value("SELECT clock_timestamp() < '" + moment + "'").equals("t")) {
        assertThat(left).as("the job before its %s", column).isTrue();
        return;
      }
    }
    throw new AssertionError("No call took less than 0.8 seconds.");
  }

  /**
   * Aborts statements that change more than {@code rows} rows of the table, until the result is
   * closed.
   */
  public RowTimeout timeoutOver(int rows, String table) throws SQLException {
    return RowTimeout.over(rows, database.dataSource(), database.schema(), table);
  }

  /** Replaces each {@code @} in a statement with the schema's prefix. */
  public String inSchema(String sql) {
    return sql.replace("@", "\"" + database.schema().replace("\"", "\"\"") + "\".");
  }
}
