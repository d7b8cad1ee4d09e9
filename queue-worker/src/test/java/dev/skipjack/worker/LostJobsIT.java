package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests a claim that was committed in one round trip, but whose response was lost. In most tests,
 * the job changes before the worker has found it.
 */
@QueueTest
class LostJobsIT {

  private static final JobType<Integer> NUMBER = JobType.of("number", Integer.class);
  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final ExecutionId BEFORE = new ExecutionId(0);

  private final QueueDatabase database;
  private final JobQueue queue;
  private final JobStore store;
  private final WorkerId worker = WorkerId.boot("unlucky");
  private final RunningJobs running = new RunningJobs();
  private final LostClaims lost;
  private JobId job = new JobId(0);
  private long now;

  LostJobsIT(QueueDatabase database) {
    this.database = database;
    queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
    store = queue.store();
    lost =
        new LostClaims(
            (after, limit) -> store.heldBy(worker, after, limit),
            running,
            store::requeue,
            LEASE,
            () -> now,
            jobs -> {});
  }

  @BeforeEach
  void lose() {
    job = queue.enqueue(NUMBER, 1, options -> options.maxAttempts(1));
    assertThat(claim(worker)).hasSize(1);
    lost.search(BEFORE);
    lost.release();
  }

  @Test
  void jobOfALostClaimIsReleased() {
    searchAgain();

    assertThat(state()).isEqualTo("pending 1 1");
    assertThat(claim(WorkerId.boot("other"))).hasSize(1);
  }

  @Test
  void jobOfAPausedQueueIsReleased() {
    queue.admin().pause("default");

    searchAgain();

    assertThat(state()).isEqualTo("pending 1 1");
    assertThat(claim(WorkerId.boot("other"))).isEmpty();
  }

  @Test
  void cancelledJobIsArchivedAsCancelled() {
    queue.admin().cancel(List.of(job));

    searchAgain();

    assertThat(value("SELECT count(*) FROM @jobs")).isEqualTo("0");
    assertThat(value("SELECT status FROM @jobs_archive")).isEqualTo("cancelled");
  }

  @Test
  void jobWhoseLeaseHasExpiredIsReleased() {
    execute("UPDATE @jobs SET lease_expires_at = now() - interval '1 second'");

    searchAgain();

    assertThat(state()).isEqualTo("pending 1 1");
  }

  @Test
  void jobThatAnotherWorkerHasClaimedIsNotReleased() {
    execute("UPDATE @jobs SET lease_expires_at = now() - interval '1 second', max_attempts = 2");
    assertThat(store.rescue(Duration.ZERO, 10)).hasSize(1);
    ClaimedJob other = claim(WorkerId.boot("other")).get(0);

    searchAgain();

    assertThat(state()).isEqualTo("running 2 0");
    assertThat(store.complete(List.of(other.execution()))).containsExactly(Verdict.DONE);
  }

  @Test
  void jobThatTheSameWorkerHasClaimedAgainIsNotReleased() {
    execute("UPDATE @jobs SET lease_expires_at = now() - interval '1 second', max_attempts = 2");
    assertThat(store.rescue(Duration.ZERO, 10)).hasSize(1);
    ClaimedJob again = claim(worker).get(0);
    assertThat(running.add(attempt(again))).isTrue();

    searchAgain();
    searchAgain();

    assertThat(store.complete(List.of(again.execution()))).containsExactly(Verdict.DONE);
  }

  @Test
  void lockedJobIsReleasedLater() throws SQLException {
    try (Connection rival = database.connection();
        Statement statement = rival.createStatement()) {
      rival.setAutoCommit(false);
      statement.execute(inSchema("SELECT id FROM @jobs FOR UPDATE"));
      searchAgain();
      assertThat(state()).isEqualTo("running 1 0");
      rival.rollback();
    }

    searchAgain();

    assertThat(state()).isEqualTo("pending 1 1");
  }

  private void searchAgain() {
    now += lost.pause(LEASE.toNanos());
    lost.release();
  }

  private List<ClaimedJob> claim(WorkerId by) {
    return store.claimFew(
        new ClaimRequest(
            by,
            List.of(new LaneShare(new Lane("default", 0), 5, null)),
            List.of(NUMBER.kind()),
            5,
            LEASE));
  }

  private static Attempt attempt(ClaimedJob claimed) {
    ServedQueue served =
        new ServedQueue(
            claimed.queue(),
            1,
            0,
            new Wakeup(),
            LaneOrder.fair().reserve(),
            new PayloadBudget(Long.MAX_VALUE));
    return new Attempt(claimed, served, LEASE, System.nanoTime());
  }

  private String state() {
    return value("SELECT concat_ws(' ', status, attempts, uncounted_attempts) FROM @jobs");
  }

  private String inSchema(String sql) {
    return sql.replace("@", database.schema() + ".");
  }

  private void execute(String sql) {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute(inSchema(sql));
    } catch (SQLException broken) {
      throw new AssertionError(sql, broken);
    }
  }

  private String value(String sql) {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(inSchema(sql))) {
      return row.next() ? String.valueOf(row.getString(1)) : "";
    } catch (SQLException broken) {
      throw new AssertionError(sql, broken);
    }
  }
}
