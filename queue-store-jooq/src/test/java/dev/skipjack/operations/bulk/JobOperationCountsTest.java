package dev.skipjack.operations.bulk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobOperation.State;
import dev.skipjack.api.operations.JobOperations;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.store.jooq.Fixture;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that an operation counts every job exactly once, even if it is run again. */
@QueueTest
class JobOperationCountsTest {

  private static final int JOBS = 3_000;
  private static final int PROCESSES = 3;

  private Fixture fixture;
  private QueueDatabase database;

  @BeforeEach
  void setUp(QueueDatabase database) {
    this.database = database;
    fixture = new Fixture(database);
  }

  @ParameterizedTest
  @EnumSource(OperationAction.class)
  void countsAreExactIfThreeProcessesTakeAnOperationFromEachOther(OperationAction action)
      throws Exception {
    JobOperation started = start(action);
    CyclicBarrier together = new CyclicBarrier(PROCESSES);
    ExecutorService threads = Executors.newFixedThreadPool(PROCESSES);
    try {
      List<Future<JobOperation>> processes = new ArrayList<>();
      for (int i = 0; i < PROCESSES; i++) {
        JobOperations operations = new Fixture(database).queue.operations();
        processes.add(
            threads.submit(
                () -> {
                  together.await();
                  return operations.run(started.id(), step -> {});
                }));
      }
      for (Future<JobOperation> process : processes) {
        process.get();
      }
    } finally {
      threads.shutdownNow();
    }

    JobOperation ended = fixture.queue.operations().find(started.id()).orElseThrow();
    assertThat(ended.state()).isEqualTo(State.FINISHED);
    assertThat(List.of(ended.done(), ended.skipped(), ended.failed()))
        .containsExactly((long) JOBS, 0L, 0L);
  }

  /** Simulates a process that ended before it recorded the jobs that it had changed. */
  @ParameterizedTest
  @EnumSource(OperationAction.class)
  void anInterruptedBatchChangesNothingAndIsRepeated(OperationAction action) {
    JobOperation started = start(action);
    fixture.execute(
        "CREATE FUNCTION @fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''the process dies''; END'");
    fixture.execute(
        "CREATE TRIGGER fail BEFORE UPDATE ON @job_operations FOR EACH ROW WHEN (NEW.done > 500) EXECUTE FUNCTION @fail()");
    JobOperations operations = fixture.queue.operations();
    try {
      assertThatThrownBy(() -> operations.run(started.id(), step -> {}))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("the process dies");
      assertThat(operations.find(started.id()).orElseThrow().done()).isEqualTo(500);
    } finally {
      fixture.execute("DROP FUNCTION @fail() CASCADE");
    }

    JobOperation ended = operations.run(started.id(), step -> {});

    assertThat(List.of(ended.done(), ended.skipped(), ended.failed()))
        .containsExactly((long) JOBS, 0L, 0L);
  }

  private JobOperation start(OperationAction action) {
    String status =
        switch (action) {
          case REDRIVE, PRUNE -> "dead";
          case RUN_NOW, CANCEL, EDIT -> "pending";
        };
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, scheduled_at) SELECT 'work', '{}', '%s', now() + interval '1 day' FROM generate_series(1, %d)"
            .formatted(status, JOBS));
    JobOperations operations = fixture.queue.operations();
    return operations.start(
        action == OperationAction.EDIT
            ? operations.preview(action, JobQuery.live(), "{\"number\": 1}")
            : operations.preview(action, JobQuery.live()),
        "anna");
  }
}
