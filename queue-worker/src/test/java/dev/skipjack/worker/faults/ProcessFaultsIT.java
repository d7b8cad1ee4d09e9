package dev.skipjack.worker.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.faults.ForkedJvm;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Handler;
import dev.skipjack.worker.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Tests workers whose process is killed, frozen, or halted by a job. */
@QueueTest
@Timeout(120)
class ProcessFaultsIT {

  private static final String OPEN_TRANSACTIONS =
      "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'forked' AND (state LIKE 'idle in%' OR state = 'active')";

  private final QueueDatabase database;
  private final List<Worker> workers = new ArrayList<>();
  private FaultFixture fixture;

  ProcessFaultsIT(QueueDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void begin() {
    fixture = new FaultFixture(database.dataSource(), database.schema());
  }

  @AfterEach
  void stop() {
    workers.forEach(Worker::close);
  }

  /** The successor has the same name as the dead process, like a restarted pod. */
  @Test
  void jobsOfAKilledWorkerRunOnceOnItsSuccessorOfTheSameName() {
    fixture.enqueue(3, Task.Deed.HANG);
    fixture.enqueue(1, Task.Deed.HANG_AFTER_COMMIT);
    fixture.enqueue(30, Task.Deed.WORK);
    try (ForkedJvm killed = fork(4)) {
      for (int number = 1; number <= 3; number++) {
        killed.awaitLine("began " + number, ForkedWorker.PATIENCE);
      }
      killed.awaitLine("committed 4", ForkedWorker.PATIENCE);
      killed.kill();
    }
    assertThat(fixture.count("jobs WHERE status = 'running'")).isGreaterThanOrEqualTo(3);

    start(new TaskHandler(database.dataSource()), 4);

    fixture.assertAllDoneOnce();
    assertThat(fixture.count("job_executions WHERE status = 'lost'")).isGreaterThanOrEqualTo(3);
    assertThat(fixture.value("SELECT count(*) FROM effects WHERE number = 4")).isEqualTo("1");
    assertThat(
            fixture.value(
                "SELECT count(DISTINCT worker_id) || ' boots of ' || count(DISTINCT split_part(worker_id, '/', 1)) FROM @job_executions"))
        .isEqualTo("2 boots of 1");
  }

  @Test
  @DisabledOnOs(OS.WINDOWS) // which has no signals
  void aFrozenWorkerThatResumesChangesNothing() {
    fixture.enqueue(1, Task.Deed.FREEZE_THEN_COMPLETE);
    fixture.enqueue(1, Task.Deed.FREEZE_THEN_FAIL);
    fixture.enqueue(1, Task.Deed.FREEZE_THEN_SNOOZE);
    fixture.enqueue(1, Task.Deed.FREEZE_THEN_WORK);
    fixture.enqueue(1, Task.Deed.FREEZE_THEN_HANG);
    try (ForkedJvm zombie = fork(5)) {
      for (int number = 1; number <= 5; number++) {
        zombie.awaitLine("began " + number, ForkedWorker.PATIENCE);
      }
      freezeBetweenTransactions(zombie);
      long frozenAt = System.nanoTime();
      CountDownLatch second = new CountDownLatch(5);
      CountDownLatch finish = new CountDownLatch(1);
      TaskHandler handler = new TaskHandler(database.dataSource());
      start(
          (task, context) -> {
            second.countDown();
            finish.await();
            return handler.handle(task, context);
          },
          5);
      await().atMost(FaultFixture.PATIENCE).until(() -> second.getCount() == 0);
      await()
          .until(() -> System.nanoTime() - frozenAt > TaskHandler.FROZEN.plusMillis(200).toNanos());
      String held = executionsHeld();

      zombie.thaw();

      await()
          .atMost(FaultFixture.PATIENCE)
          .until(
              () -> zombie.lines().stream().filter(line -> line.startsWith("lost ")).count() == 5);
      zombie.awaitLine("refused 4", ForkedWorker.PATIENCE);
      zombie.terminate(); // releases no job that it no longer owns
      zombie.awaitExit(ForkedWorker.PATIENCE);
      assertThat(executionsHeld()).isEqualTo(held);
      assertThat(fixture.value("SELECT count(*) FROM effects")).isEqualTo("0");
      assertThat(fixture.count("job_executions WHERE status = 'lost'")).isEqualTo(5);
      finish.countDown();
    }
    fixture.assertAllDoneOnce();
    assertThat(fixture.count("job_executions")).isEqualTo(10);
  }

  @Test
  void jobThatHaltsItsWorkersBecomesDeadAndTheOthersAreDone() {
    fixture
        .queue()
        .enqueue(Task.TYPE, new Task(-1, Task.Deed.HALT), job -> job.maxAttempts(2).priority(1));
    fixture.enqueue(100, Task.Deed.WORK);
    for (int crash = 1; crash <= 2; crash++) {
      try (ForkedJvm worker = launch(2)) {
        assertThat(worker.awaitExit(ForkedWorker.PATIENCE)).isEqualTo(TaskHandler.HALTED);
      }
    }

    start(new TaskHandler(database.dataSource()), 2); // a third run would end this JVM

    await()
        .atMost(FaultFixture.PATIENCE)
        .until(() -> fixture.count("jobs WHERE status <> 'dead'") == 0);
    assertThat(fixture.count("jobs WHERE status = 'dead' AND attempts = 2")).isEqualTo(1);
    assertThat(fixture.count("jobs_archive WHERE status = 'completed'")).isEqualTo(100);
    assertThat(fixture.value("SELECT count(*) || ' of ' || count(DISTINCT number) FROM effects"))
        .isEqualTo("100 of 100");
    fixture.assertAuditComplete();
  }

  private ForkedJvm fork(int concurrency) {
    ForkedJvm worker = launch(concurrency);
    worker.awaitLine("ready", ForkedWorker.PATIENCE);
    return worker;
  }

  private ForkedJvm launch(int concurrency) {
    return ForkedWorker.launch(
        database.jdbcUrl() + "&ApplicationName=forked", database.schema(), concurrency);
  }

  private void start(Handler<Task> handler, int concurrency) {
    workers.add(
        Worker.on(fixture.queue())
            .name(ForkedWorker.NAME)
            .handle(Task.TYPE, handler)
            .queue("default", concurrency)
            .config(ForkedWorker.config())
            .start());
  }

  /**
   * Freezes a worker outside any transaction. Otherwise, it would keep its locks, and the locked
   * jobs could not be rescued.
   */
  private void freezeBetweenTransactions(ForkedJvm worker) {
    await()
        .atMost(FaultFixture.PATIENCE)
        .until(
            () -> {
              worker.freeze();
              if (fixture.value(OPEN_TRANSACTIONS).equals("0")) {
                return true;
              }
              worker.thaw();
              return false;
            });
  }

  private String executionsHeld() {
    return fixture.value(
        "SELECT string_agg(status || ' ' || current_execution_id || ' ' || attempts, ', ' ORDER BY id) FROM @jobs");
  }
}
