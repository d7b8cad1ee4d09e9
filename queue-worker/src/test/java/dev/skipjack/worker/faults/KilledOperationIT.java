package dev.skipjack.worker.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobOperation.State;
import dev.skipjack.api.operations.JobOperations;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.faults.ForkedJvm;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests that a worker continues a bulk operation whose process was killed. */
@QueueTest
@Timeout(120)
class KilledOperationIT {

  private static final int JOBS = 1_200;

  @Test
  void aWorkerContinuesTheOperationOfAKilledProcess(QueueDatabase database) {
    FaultFixture fixture = new FaultFixture(database.dataSource(), database.schema());
    fixture.enqueue(JOBS, Task.Deed.WORK);
    fixture.execute("UPDATE @jobs SET status = 'dead', died_at = now()");
    try (ForkedJvm killed =
        ForkedJvm.of(KilledOperationIT.class)
            .arguments(database.jdbcUrl(), database.schema())
            .option("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
            .start()) {
      killed.awaitLine("redriven 500", ForkedWorker.PATIENCE);
      killed.kill();
    }
    JobOperations operations = fixture.queue().operations();
    JobOperation interrupted = operations.list(1).get(0);
    assertThat(interrupted.state()).isEqualTo(State.RUNNING);
    assertThat(interrupted.done()).isEqualTo(500);
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, died_at) VALUES ('later', '{}', 'dead', now())");
    fixture.execute("UPDATE @job_operations SET updated_at = now() - interval '3 minutes'");

    try (Worker worker =
        Worker.on(fixture.queue())
            .handle(Task.TYPE, new TaskHandler(database.dataSource()))
            .queue("default", 4)
            .config(ForkedWorker.config())
            .start()) {
      await()
          .atMost(FaultFixture.PATIENCE)
          .until(
              () ->
                  operations.find(interrupted.id()).orElseThrow().state() == State.FINISHED
                      && fixture.count("jobs WHERE kind <> 'later'") == 0);
      assertThat(worker.health().reasons()).isEmpty();
    }
    JobOperation ended = operations.find(interrupted.id()).orElseThrow();
    assertThat(ended.done()).isEqualTo(JOBS);
    assertThat(ended.skipped() + ended.failed()).isZero();
    assertThat(ended.actor()).isEqualTo("killed");
    assertThat(fixture.value("SELECT count(*) || ' of ' || count(DISTINCT number) FROM effects"))
        .isEqualTo(JOBS + " of " + JOBS);
    assertThat(fixture.count("jobs WHERE status = 'dead' AND kind = 'later'")).isEqualTo(1);
  }

  /**
   * Redrives all dead jobs, and hangs after the first batch.
   *
   * @param args URL, schema
   */
  public static void main(String[] args) {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(args[0]);
      JobOperations operations = JobQueue.builder(pool).schema(args[1]).build().operations();
      JobOperation started =
          operations.start(operations.preview(OperationAction.REDRIVE, JobQuery.live()), "killed");
      operations.run(
          started.id(),
          progress -> {
            System.out.println("redriven " + progress.done());
            while (true) {
              LockSupport.park();
            }
          });
    }
  }
}
