package dev.skipjack.worker;

import dev.skipjack.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Writes limits, groups and jobs with SQL, and reads the starts from the audit. */
record LimitTables(QueueDatabase database) {

  /** Returns the name of a group that {@link #enqueue} uses. */
  static String group(int number) {
    return "tenant " + number;
  }

  /** Creates or changes a queue. */
  void queue(String queue, @Nullable String limit, boolean fair) {
    execute(
        "INSERT INTO @job_queues (queue, limit_name, fair) VALUES ('%s', %s, %s)"
                .formatted(queue, limit == null ? "NULL" : "'" + limit + "'", fair)
            + " ON CONFLICT (queue) DO UPDATE SET limit_name = excluded.limit_name, fair ="
            + " excluded.fair");
  }

  /** Creates or changes a limit. */
  void limit(String name, @Nullable Integer running, @Nullable Integer perGroup) {
    execute(
        "INSERT INTO @job_limits (name, max_running, max_running_per_group) VALUES ('%s', %s, %s)"
                .formatted(name, running, perGroup)
            + " ON CONFLICT (name) DO UPDATE SET max_running = excluded.max_running,"
            + " max_running_per_group = excluded.max_running_per_group");
  }

  /** Sets the weight of a group. */
  void weight(String queue, String group, int weight) {
    execute(
        "INSERT INTO @job_groups (queue, group_key, weight) VALUES ('%s', '%s', %d)"
                .formatted(queue, group, weight)
            + " ON CONFLICT (queue, group_key) DO UPDATE SET weight = excluded.weight");
  }

  /** Pauses or resumes a group. */
  void pause(String queue, String group, boolean paused) {
    execute(
        "INSERT INTO @job_groups (queue, group_key, paused_at) VALUES ('%s', '%s', %s)"
                .formatted(queue, group, paused ? "clock_timestamp()" : "NULL")
            + " ON CONFLICT (queue, group_key) DO UPDATE SET paused_at = excluded.paused_at");
  }

  /** Inserts the given number of due jobs of each group. */
  void enqueue(String queue, int groups, int each) {
    execute(
        "INSERT INTO @jobs (queue, kind, group_key, payload) SELECT '%s', 'work', 'tenant ' || g, '{\"number\": 1}' FROM generate_series(1, %d) AS n, generate_series(1, %d) AS g"
            .formatted(queue, each, groups));
  }

  /** Inserts due jobs of one group; null for jobs without a group. */
  void enqueue(String queue, @Nullable String group, int priority, int count) {
    execute(
        "INSERT INTO @jobs (queue, kind, group_key, priority, payload) SELECT '%s', 'work', %s, %d, '{\"number\": 1}' FROM generate_series(1, %d) AS n"
            .formatted(queue, group == null ? "NULL" : "'" + group + "'", priority, count));
  }

  /** Returns whether no live job matches. */
  boolean hasNo(String condition) {
    return number("SELECT count(*) FROM @jobs WHERE " + condition) == 0;
  }

  /** Returns the groups of all attempts in the order of their executions; empty for none. */
  List<String> starts() {
    List<String> groups = new ArrayList<>();
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                inSchema("SELECT coalesce(group_key, '') FROM @job_executions ORDER BY id"))) {
      while (row.next()) {
        groups.add(row.getString(1));
      }
    } catch (SQLException failure) {
      throw new AssertionError(failure);
    }
    return groups;
  }

  /** Returns the largest number of attempts that ran at the same time, by the audit. */
  long mostRunning() {
    return most("");
  }

  /** Returns the largest number of attempts of one group that ran at the same time. */
  long mostRunningOfAGroup() {
    return most("PARTITION BY group_key");
  }

  private long most(String partition) {
    return number(
        """
        SELECT coalesce(max(running), 0)
          FROM (SELECT sum(step) OVER (%s ORDER BY at, step) AS running
                  FROM (SELECT group_key, started_at AS at, 1 AS step FROM @job_executions
                        UNION ALL
                        SELECT group_key, finished_at, -1 FROM @job_executions WHERE finished_at IS NOT NULL) AS steps) AS moments
        """
            .formatted(partition));
  }

  long number(String sql) {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(inSchema(sql))) {
      row.next();
      return row.getLong(1);
    } catch (SQLException failure) {
      throw new AssertionError(sql, failure);
    }
  }

  void execute(String sql) {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute(inSchema(sql));
    } catch (SQLException failure) {
      throw new AssertionError(sql, failure);
    }
  }

  private String inSchema(String sql) {
    return sql.replace("@", database.schema() + ".");
  }
}
