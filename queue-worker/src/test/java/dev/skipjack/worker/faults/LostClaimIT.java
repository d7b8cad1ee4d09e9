package dev.skipjack.worker.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.StoreException;
import dev.skipjack.faults.TcpProxy;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests claims that were committed, but whose acknowledgement did not reach the worker. */
@Timeout(180)
@QueueTest
class LostClaimIT {

  /** Half of a lease, so the jobs cannot have been rescued yet. */
  private static final Duration SOON = Duration.ofSeconds(15);

  private static final int CLAIMS = 3;
  private static final int MOST_ROUNDS = 40;

  @Test
  void jobsOfALostClaimRunLongBeforeTheirLeasesExpire(QueueDatabase database) {
    cutClaims(database, fixture -> fixture.enqueue(4, Task.Deed.WORK));
  }

  /** The attempt of a lost claim does not count. */
  @Test
  void jobsWithASingleAttemptSurviveALostClaim(QueueDatabase database) {
    cutClaims(database, fixture -> fixture.enqueueWithOneAttempt(1));
  }

  /** Cuts commits until some claims were lost, and asserts that each job runs once and soon. */
  private static void cutClaims(QueueDatabase database, Consumer<FaultFixture> enqueue) {
    FaultFixture fixture = new FaultFixture(database.dataSource(), database.schema());
    try (TcpProxy proxy = TcpProxy.before(database.jdbcUrl());
        HikariDataSource pool = pool(proxy.url(database.jdbcUrl()));
        Worker worker =
            Worker.on(JobQueue.builder(pool).schema(database.schema()).build())
                .handle(Task.TYPE, new TaskHandler(database.dataSource()))
                .queue("default", 4)
                .start()) {
      int rounds = 0;
      while (fixture.count("job_executions WHERE status = 'released'") < CLAIMS) {
        assertThat(++rounds).as("rounds until %s claims were cut", CLAIMS).isLessThan(MOST_ROUNDS);
        proxy.cutAfterCommit(1); // may be another commit than that of the claim
        enqueue.accept(fixture);
        fixture.assertAllDoneOnce(SOON);
        proxy.clearCuts();
      }
      assertThat(worker.status().running()).isZero();
    }
  }

  @Test
  void jobsOfLostDirectStartsRunLongBeforeTheirLeasesExpire(QueueDatabase database) {
    FaultFixture fixture = new FaultFixture(database.dataSource(), database.schema());
    try (TcpProxy proxy = TcpProxy.before(database.jdbcUrl());
        HikariDataSource pool = pool(proxy.url(database.jdbcUrl()))) {
      JobQueue queue = JobQueue.builder(pool).schema(database.schema()).build();
      try (Worker worker =
          Worker.on(queue)
              .handle(Task.TYPE, new TaskHandler(database.dataSource()))
              .queue("default", 4)
              .start()) {
        int rounds = 0;
        while (fixture.count("job_executions WHERE status = 'released'") < CLAIMS) {
          assertThat(++rounds).as("rounds until %s jobs were lost", CLAIMS).isLessThan(MOST_ROUNDS);
          proxy.cutAfterCommit(1);
          enqueue(queue, fixture.next(Task.Deed.WORK));
          fixture.assertAllDoneOnce(SOON);
          proxy.clearCuts();
        }
        assertThat(worker.status().running()).isZero();
      }
    }
  }

  /** Enqueues a task with a single attempt. It is committed even if the response is lost. */
  private static void enqueue(JobQueue queue, Task task) {
    try {
      queue.enqueue(Task.TYPE.maxAttempts(1), task);
    } catch (StoreException lost) {
      assertThat(lost.isOutcomeUnknown()).as(lost.toString()).isTrue();
    }
  }

  private static HikariDataSource pool(String url) {
    HikariConfig settings = new HikariConfig();
    settings.setJdbcUrl(url);
    return new HikariDataSource(settings);
  }
}
