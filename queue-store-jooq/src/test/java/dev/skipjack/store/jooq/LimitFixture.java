package dev.skipjack.store.jooq;

import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.testkit.QueueDatabase;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Common steps of tests of limits and fair queues. */
public final class LimitFixture {

  public final Fixture fixture;

  public LimitFixture(QueueDatabase database) {
    this.fixture = new Fixture(database);
  }

  /** Returns the name of a group that {@link #enqueue} uses. */
  public static String group(int number) {
    return "tenant " + number;
  }

  /** Creates or changes a limit. */
  public void limit(String name, @Nullable Integer running, @Nullable Integer perGroup) {
    fixture.execute(
        "INSERT INTO @job_limits (name, max_running, max_running_per_group) VALUES ('%s', %s, %s)"
                .formatted(name, running, perGroup)
            + " ON CONFLICT (name) DO UPDATE SET max_running = excluded.max_running,"
            + " max_running_per_group = excluded.max_running_per_group");
  }

  /**
   * Sets the rate of a limit.
   *
   * @param kind bucket, sliding or fixed
   * @param burst null except for a bucket
   */
  public void rate(
      String name,
      String kind,
      int count,
      Duration period,
      @Nullable Integer burst,
      boolean perGroup) {
    fixture.execute(
        "UPDATE @job_limits SET rate_kind = '%s', rate_count = %d, rate_period = interval '%d microseconds', rate_burst = %s, rate_per_group = %s WHERE name = '%s'"
            .formatted(kind, count, period.toNanos() / 1_000, burst, perGroup, name));
  }

  /** Creates or changes a queue. */
  public void queue(String queue, @Nullable String limit, boolean fair) {
    fixture.execute(
        "INSERT INTO @job_queues (queue, limit_name, fair) VALUES ('%s', %s, %s)"
                .formatted(queue, limit == null ? "NULL" : "'" + limit + "'", fair)
            + " ON CONFLICT (queue) DO UPDATE SET limit_name = excluded.limit_name, fair ="
            + " excluded.fair");
  }

  /** Pauses a group. */
  public void pause(String queue, String group) {
    fixture.execute(
        "INSERT INTO @job_groups (queue, group_key, paused_at) VALUES ('%s', '%s', clock_timestamp())"
                .formatted(queue, group)
            + " ON CONFLICT (queue, group_key) DO UPDATE SET paused_at = excluded.paused_at");
  }

  /** Resumes a group. */
  public void resume(String queue, String group) {
    fixture.execute(
        "UPDATE @job_groups SET paused_at = NULL WHERE queue = '%s' AND group_key = '%s'"
            .formatted(queue, group));
  }

  /**
   * Sets the maximum number of running jobs of a group, instead of that of the limit; null removes
   * it.
   */
  public void groupMost(String queue, String group, @Nullable Integer most) {
    fixture.execute(
        "INSERT INTO @job_groups (queue, group_key, max_running) VALUES ('%s', '%s', %s)"
                .formatted(queue, group, most)
            + " ON CONFLICT (queue, group_key) DO UPDATE SET max_running = excluded.max_running");
  }

  /** Sets the weight of a group. */
  public void weight(String queue, String group, int weight) {
    fixture.execute(
        "INSERT INTO @job_groups (queue, group_key, weight) VALUES ('%s', '%s', %d)"
                .formatted(queue, group, weight)
            + " ON CONFLICT (queue, group_key) DO UPDATE SET weight = excluded.weight");
  }

  /** Inserts the given number of due jobs of each group. */
  public void enqueue(String queue, int groups, int each) {
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, group_key, payload, max_attempts) SELECT '%s', 'work', 'tenant ' || g, '{\"number\": 1}', 1000 FROM generate_series(1, %d) AS n, generate_series(1, %d) AS g"
            .formatted(queue, each, groups));
  }

  /** Inserts due jobs of one group. */
  public void enqueue(String queue, @Nullable String group, int priority, int count) {
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, group_key, priority, payload, max_attempts) SELECT '%s', 'work', %s, %d, '{\"number\": 1}', 1000 FROM generate_series(1, %d) AS n"
            .formatted(queue, group == null ? "NULL" : "'" + group + "'", priority, count));
  }

  /** Changes the numbers of a limit as an operator does. */
  public void change(String name, @Nullable Integer running, @Nullable Integer perGroup) {
    Limit limit = Limit.none();
    if (running != null) {
      limit = limit.running(running);
    }
    if (perGroup != null) {
      limit = limit.runningPerGroup(perGroup);
    }
    fixture.queue.admin().limit(name, limit);
  }

  /** Returns whether a session waits for a lock. */
  public boolean hasWaiter() {
    return !fixture
        .value(
            "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype IN ('tuple',"
                + " 'transactionid', 'advisory')")
        .equals("0");
  }

  /** Returns the time of the database in microseconds since 1970. */
  public long now() {
    return Long.parseLong(
        fixture.value("SELECT (extract(epoch FROM clock_timestamp()) * 1e6)::bigint"));
  }

  public Audit audit() throws SQLException {
    return Audit.read(fixture.database);
  }

  public long running() {
    return Long.parseLong(fixture.value("SELECT count(*) FROM @jobs WHERE status = 'running'"));
  }

  /** Returns claims on the connections of a data source. */
  public LimitClaims claims(DataSource dataSource, String worker) {
    return new LimitClaims(store(dataSource), worker);
  }

  public JobStore store(DataSource dataSource) {
    return JobQueue.builder(dataSource)
        .schema(fixture.database.schema())
        .wakeUps(false)
        .build()
        .store();
  }
}
