package dev.skipjack.worker.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.store.jooq.JobQueue;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** Enqueues tasks, and checks the conditions that must hold after any fault. */
final class FaultFixture {

  static final Duration PATIENCE = Duration.ofSeconds(30);

  private final DataSource dataSource;
  private final String schema;
  private int numbers;

  /**
   * @param dataSource a data source that no fault affects
   */
  FaultFixture(DataSource dataSource, String schema) {
    this.dataSource = dataSource;
    this.schema = schema;
    execute("CREATE TABLE IF NOT EXISTS effects (number integer, execution bigint)");
    execute("TRUNCATE effects");
  }

  JobQueue queue() {
    return JobQueue.builder(dataSource).schema(schema).build();
  }

  /** Enqueues tasks with consecutive numbers, which no other tasks have. */
  void enqueue(int jobs, Task.Deed deed) {
    List<Task> tasks = new ArrayList<>();
    IntStream.range(0, jobs).forEach(i -> tasks.add(new Task(++numbers, deed)));
    queue().enqueueAll(Task.TYPE, tasks);
  }

  /** Enqueues tasks that have a single attempt. */
  void enqueueWithOneAttempt(int jobs) {
    queue()
        .enqueueAll(
            Task.TYPE.maxAttempts(1),
            IntStream.range(0, jobs).mapToObj(i -> next(Task.Deed.WORK)).toList());
  }

  /** Returns a task to enqueue, which counts as enqueued. */
  Task next(Task.Deed deed) {
    return new Task(++numbers, deed);
  }

  /** Returns how many tasks were enqueued. */
  int tasks() {
    return numbers;
  }

  /** Waits until all tasks are completed, and checks that each had its effect exactly once. */
  void assertAllDoneOnce() {
    assertAllDoneOnce(PATIENCE);
  }

  /** Like {@link #assertAllDoneOnce()}, but waits for the given time at most. */
  void assertAllDoneOnce(Duration atMost) {
    await()
        .atMost(atMost)
        .untilAsserted(
            () -> assertThat(count("jobs_archive WHERE status = 'completed'")).isEqualTo(numbers));
    assertThat(count("jobs")).isZero();
    assertThat(value("SELECT count(*) || ' of ' || count(DISTINCT number) FROM effects"))
        .isEqualTo(numbers + " of " + numbers);
    assertAuditComplete();
  }

  /** Checks that the audit has a row for every attempt, and that every row records an end. */
  void assertAuditComplete() {
    assertThat(count("job_executions WHERE status = 'running'")).isZero();
    assertThat(count("job_executions WHERE status = 'succeeded'"))
        .isEqualTo(count("jobs_archive WHERE status = 'completed'"));
    assertThat(
            value(
                "SELECT coalesce(sum(attempts), 0) FROM (SELECT attempts FROM @jobs_archive UNION ALL SELECT attempts FROM @jobs) AS all_jobs"))
        .isEqualTo(String.valueOf(count("job_executions")));
  }

  long count(String from) {
    return Long.parseLong(value("SELECT count(*) FROM @" + from));
  }

  /** Returns the first column of the first row. In the SQL, {@code @} stands for the schema. */
  String value(String sql) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql.replace("@", schema + "."))) {
      return row.next() ? String.valueOf(row.getString(1)) : "";
    } catch (SQLException broken) {
      throw new AssertionError(sql, broken);
    }
  }

  void execute(String sql) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql.replace("@", schema + "."));
    } catch (SQLException broken) {
      throw new AssertionError(sql, broken);
    }
  }
}
