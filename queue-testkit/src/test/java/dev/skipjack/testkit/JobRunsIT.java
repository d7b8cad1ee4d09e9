package dev.skipjack.testkit;

import static dev.skipjack.testkit.QueueAssertions.assertThat;
import static dev.skipjack.testkit.QueueAssertions.assertThatJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobRunner;
import dev.skipjack.api.JobType;
import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.spi.JobStore;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

@QueueTest
class JobRunsIT {

  private static final JobType<String> MAIL = JobType.of("mail", String.class);

  private final QueueDatabase database;

  JobRunsIT(QueueDatabase database) {
    this.database = database;
  }

  /** A simple runner that deletes due jobs of kind {@code mail}, or runs the given SQL instead. */
  private final class Eraser implements JobRunner {

    private final String sql;

    Eraser() {
      this(
          "WITH done AS (DELETE FROM skipjack.jobs WHERE kind = 'mail' AND scheduled_at <= clock_timestamp() RETURNING 1) SELECT count(*) FROM done");
    }

    Eraser(String sql) {
      this.sql = sql;
    }

    @Override
    public int runUntilIdle() {
      try {
        return Integer.parseInt(Jobs.query(database, sql));
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public boolean runNext() {
      throw new AssertionError("not asked for");
    }
  }

  private JobId insert(String kind, String due) throws SQLException {
    return Jobs.insert(database, kind, "\"x\"", "pending", "clock_timestamp() + " + due);
  }

  @Test
  void travelMovesWaitingJobsAndKeepsTheirDelay() throws SQLException {
    JobId job = insert("mail", "interval '2 hours'");
    Jobs.execute(
        database,
        "INSERT INTO skipjack.job_keys (key, job_id, expires_at) VALUES ('k', 1, clock_timestamp() + interval '1 hour')");

    database.timeTravel(Duration.ofMinutes(90));

    assertThatJob(database, job).isDueIn(Duration.ofMinutes(30));
    assertThat(database).hasEnqueued(MAIL).dueIn(Duration.ofHours(2));
    assertThat(
            Jobs.query(
                database,
                "SELECT expires_at - clock_timestamp() BETWEEN interval '-31 minutes' AND interval '-30 minutes' FROM skipjack.job_keys"))
        .isEqualTo("t");
  }

  @Test
  void travelMovesNeitherLeasesNorDeadJobs() throws SQLException {
    Jobs.insert(database, "mail", "{}", "running", "clock_timestamp()");
    Jobs.insert(database, "mail", "{}", "dead", "clock_timestamp()");
    String times =
        "SELECT string_agg(concat(status, scheduled_at, created_at, lease_expires_at), ',' ORDER BY id) FROM skipjack.jobs";
    String before = Jobs.query(database, times);

    database.timeTravel(Duration.ofDays(2));

    assertThat(Jobs.query(database, times)).isEqualTo(before);
  }

  @Test
  void timeTravelBackwardsIsRefused() {
    assertThatThrownBy(() -> database.timeTravel(Duration.ofSeconds(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("forward only");
    assertThatThrownBy(() -> database.timeTravel(Duration.ofDays(107_000_000)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("too far");
  }

  @Test
  void jobsThatAreDueWithinATimeAreRun() throws SQLException {
    insert("mail", "interval '1 hour'");
    insert("mail", "interval '3 hours'");
    JobRuns runs = JobRuns.with(new Eraser(), database);

    assertThat(runs.due()).isZero();
    assertThat(runs.dueWithin(Duration.ofHours(1))).isOne();
    assertThat(runs.dueWithin(Duration.ofHours(1))).isZero();
    assertThat(runs.dueWithin(Duration.ofHours(1))).isOne();
  }

  @Test
  void toTheEndIgnoresJobsOfOtherRunners() throws SQLException {
    insert("mail", "interval '0'");
    JobId foreign = insert("foreign", "interval '1 day'");
    insert("foreign", "interval '20 days'"); // no job of this runner is due then
    insert("mail", "interval '2 days'");
    insert("mail", "interval '40 days'");

    assertThat(JobRuns.with(new Eraser(), database).toTheEnd()).isEqualTo(3);

    assertThat(database).hasExactly(2);
    assertThatJob(database, foreign).isDue();
  }

  @Test
  void toTheEndFailsAfterAThousandSteps() throws SQLException {
    insert("mail", "interval '1 second'");
    JobRunner snoozing =
        new Eraser(
            "WITH later AS (UPDATE skipjack.jobs SET scheduled_at = clock_timestamp() + interval '1 day' RETURNING 1) SELECT count(*) FROM later");

    assertThatThrownBy(() -> JobRuns.with(snoozing, database).toTheEnd())
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("After 1,000 due times and 1,000 attempts")
        .hasMessageContaining("snooze");
  }

  @Test
  void loseLeaseFailsForAJobThatIsNotRunning() throws SQLException {
    JobId job = insert("mail", "interval '0'");
    assertThatThrownBy(() -> database.loseLease(job, rescuing(() -> fail("called"))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("Job %s has no lease to lose: it is not running.", job);
  }

  @Test
  void aLostLeaseEndsWhenTheStoreRescues() throws SQLException {
    JobId job = Jobs.insert(database, "mail", "{}", "running", "clock_timestamp()");
    JobId other = Jobs.insert(database, "mail", "{}", "running", "clock_timestamp()");

    database.loseLease(
        job,
        rescuing(
            () ->
                Jobs.execute(
                    database,
                    "UPDATE skipjack.jobs SET status = 'pending', current_execution_id = NULL, lease_expires_at = NULL WHERE lease_expires_at < clock_timestamp()")));

    assertThatJob(database, job).isPending();
    assertThatJob(database, other).isRunning();
  }

  @Test
  void loseLeaseFailsIfTheJobKeepsItsLease() throws SQLException {
    JobId job = Jobs.insert(database, "mail", "{}", "running", "clock_timestamp()");

    assertThatThrownBy(() -> database.loseLease(job, rescuing(() -> {})))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Job %s keeps its lease", job);
  }

  private interface Rescue {
    void run() throws SQLException;
  }

  /** Returns a queue whose store supports only {@code rescue}. */
  private static QueueAccess rescuing(Rescue rescue) {
    JobStore store =
        only(
            JobStore.class,
            "rescue",
            () -> {
              rescue.run();
              return List.of();
            });
    return only(QueueAccess.class, "store", () -> store);
  }

  private static <T> T only(Class<T> type, String name, Callable<Object> answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo(name);
              return answer.call();
            }));
  }

  @Test
  void cutConnectionsBreakAndThePoolRecovers() throws SQLException {
    try (Connection broken = DriverManager.getConnection(database.jdbcUrl())) {
      database.cutConnections();

      assertThat(broken.isValid(5)).isFalse();
    }
    assertThat(Jobs.query(database, "SELECT 1")).isEqualTo("1");
  }
}
