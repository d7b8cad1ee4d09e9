package dev.skipjack.operations.bulk;

import static dev.skipjack.model.Tables.JOB_OPERATIONS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobOperation.State;
import dev.skipjack.api.operations.JobOperations;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.spi.ContinuedOperations;
import dev.skipjack.api.spi.Maintenance;
import dev.skipjack.api.spi.WorkerRow;
import dev.skipjack.sql.OperationPredicates;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.store.jooq.Fixture;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Maintenance continues operations whose process has ended. */
@QueueTest
class AbandonedOperationsTest {

  private static final int JOBS = 1_700;

  private QueueDatabase database;
  private Fixture fixture;
  private JobOperations operations;

  @BeforeEach
  void setUp(QueueDatabase database) {
    this.database = database;
    fixture = new Fixture(database);
    operations = fixture.queue.operations();
    die(JOBS);
    fixture.execute(
        "CREATE TABLE @redriven (id bigint); CREATE FUNCTION @count() RETURNS trigger LANGUAGE plpgsql"
            + " AS 'BEGIN INSERT INTO @redriven VALUES (NEW.id); RETURN NEW; END'; CREATE TRIGGER count AFTER UPDATE ON @jobs"
            + " FOR EACH ROW WHEN (OLD.status = 'dead' AND NEW.status = 'pending') EXECUTE FUNCTION @count()");
  }

  @AfterEach
  void dropTrigger() {
    fixture.execute("DROP FUNCTION @count() CASCADE; DROP TABLE @redriven");
  }

  private void die(int jobs) {
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, died_at) SELECT 'work', '{}', 'dead', now() FROM generate_series(1, %d)"
            .formatted(jobs));
  }

  /** Runs an operation whose process ends after a batch, and enqueues further jobs meanwhile. */
  private JobOperation interrupted() {
    JobOperation started =
        operations.start(operations.preview(OperationAction.REDRIVE, JobQuery.live()), "anna");
    die(1);
    assertThatThrownBy(
            () ->
                operations.run(
                    started.id(),
                    step -> {
                      throw new IllegalStateException("the process ends");
                    }))
        .hasMessage("the process ends");
    return operations.find(started.id()).orElseThrow();
  }

  private void age() {
    fixture.execute("UPDATE @job_operations SET updated_at = now() - interval '3 minutes'");
  }

  /** Returns the maintenance of another process. */
  private Maintenance another() {
    return JobQueue.builder(database.dataSource()).schema(database.schema()).build().maintenance();
  }

  private static ContinuedOperations continueAll(Maintenance maintenance) {
    ContinuedOperations all = maintenance.continueOperations();
    while (all.unfinished()) {
      ContinuedOperations more = maintenance.continueOperations();
      all =
          new ContinuedOperations(
              both(all.ended(), more.ended()),
              more.unfinished(),
              both(all.failed(), more.failed()));
    }
    return all;
  }

  private static <E> List<E> both(List<E> first, List<E> second) {
    List<E> both = new ArrayList<>(first);
    both.addAll(second);
    return both;
  }

  private void assertEachRedrivenOnce() {
    assertThat(fixture.value("SELECT count(*) || ' of ' || count(DISTINCT id) FROM @redriven"))
        .isEqualTo(JOBS + " of " + JOBS);
  }

  private boolean isDue() {
    return fixture
        .queue
        .workers()
        .announce(new WorkerRow(WorkerId.boot("w"), null, 1, List.of("q"), List.of(), "{}"))
        .operationsDue();
  }

  @Test
  void anInterruptedOperationIsContinuedToItsEnd() {
    JobOperation interrupted = interrupted();
    assertThat(interrupted.done()).isEqualTo(500);
    age();
    assertThat(isDue()).isTrue();

    ContinuedOperations continued = continueAll(another());

    assertThat(continued.failed()).isEmpty();
    assertThat(continued.ended())
        .singleElement()
        .satisfies(
            ended -> {
              assertThat(ended.id()).isEqualTo(interrupted.id());
              assertThat(ended.state()).isEqualTo(State.FINISHED);
              assertThat(ended.done()).isEqualTo(JOBS);
              assertThat(ended.actor()).isEqualTo("anna");
            });
    assertEachRedrivenOnce();
    assertThat(fixture.value("SELECT count(*) FROM @jobs WHERE status = 'dead'")).isEqualTo("1");
    assertThat(isDue()).isFalse();
    assertThat(another().continueOperations()).isEqualTo(ContinuedOperations.NONE);
  }

  @Test
  void anOperationWhoseRowWasWrittenRecentlyIsLeftAlone() {
    interrupted();

    assertThat(isDue()).isFalse();
    assertThat(another().continueOperations()).isEqualTo(ContinuedOperations.NONE);

    fixture.execute("UPDATE @job_operations SET updated_at = now() + interval '1 hour'");
    assertThat(isDue()).as("after the clock was set back").isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"stopped", "finished"})
  void anOperationThatDoesNotRunIsLeftAlone(String state) {
    interrupted();
    fixture.execute(
        "UPDATE @job_operations SET state = '%s', finished_at = CASE WHEN '%1$s' = 'finished' THEN now() END"
            .formatted(state));
    age();

    assertThat(isDue()).isFalse();
    assertThat(another().continueOperations()).isEqualTo(ContinuedOperations.NONE);
  }

  @Test
  void ofSeveralTakersOneContinuesTheOperation() throws Exception {
    interrupted();
    age();
    int takers = 4;
    CyclicBarrier together = new CyclicBarrier(takers);
    ExecutorService threads = Executors.newFixedThreadPool(takers);
    List<JobOperation> ended = new ArrayList<>();
    try {
      List<Future<ContinuedOperations>> results = new ArrayList<>();
      for (int i = 0; i < takers; i++) {
        Maintenance taker = another();
        Callable<ContinuedOperations> work =
            () -> {
              together.await();
              return continueAll(taker);
            };
        results.add(threads.submit(work));
      }
      for (Future<ContinuedOperations> result : results) {
        assertThat(result.get().failed()).isEmpty();
        ended.addAll(result.get().ended());
      }
    } finally {
      threads.shutdownNow();
    }

    assertThat(ended).hasSize(1);
    assertEachRedrivenOnce();
  }

  /** The process was frozen, for example, and not ended. */
  @Test
  void aRunThatWasTakenOverChangesNoFurtherJob() {
    JobOperation started =
        operations.start(operations.preview(OperationAction.REDRIVE, JobQuery.live()), "anna");
    List<Long> progress = new ArrayList<>();

    JobOperation ended =
        operations.run(
            started.id(),
            step -> {
              progress.add(step.done());
              fixture.execute(
                  "UPDATE @job_operations SET run_id = gen_random_uuid(), updated_at = now() - interval '3 minutes'");
            });

    assertThat(progress).containsExactly(500L);
    assertThat(ended.state()).isEqualTo(State.RUNNING);
    assertThat(continueAll(another()).ended()).hasSize(1);
    assertEachRedrivenOnce();
  }

  @Test
  void anOperatorStopsAnOperationThatWasTakenOver() {
    JobOperation interrupted = interrupted();
    age();
    // Each batch takes longer than a call of maintenance.
    fixture.execute(
        "CREATE FUNCTION @slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1); RETURN NEW; END';"
            + " CREATE TRIGGER slow BEFORE UPDATE ON @job_operations FOR EACH ROW WHEN (NEW.done > OLD.done) EXECUTE FUNCTION @slow()");
    Maintenance taker = another();
    try {
      assertThat(taker.continueOperations().unfinished()).isTrue();

      assertThat(operations.stop(interrupted.id())).isTrue();

      assertThat(taker.continueOperations()).isEqualTo(ContinuedOperations.NONE);
    } finally {
      fixture.execute("DROP FUNCTION @slow() CASCADE");
    }
    assertThat(operations.find(interrupted.id()).orElseThrow().done()).isEqualTo(1_000);
    assertThat(operations.run(interrupted.id(), step -> {}).done()).isEqualTo(JOBS);
    assertEachRedrivenOnce();
  }

  @Test
  void anOperationThatCannotBeContinuedIsReportedAndDoesNotStopTheOthers() {
    long broken = interrupted().id();
    fixture.execute("UPDATE @job_operations SET position = 'odd'");
    JobOperation healthy =
        operations.start(operations.preview(OperationAction.REDRIVE, JobQuery.live()), "bob");
    age();
    Maintenance taker = another();

    ContinuedOperations continued = continueAll(taker);

    assertThat(continued.failed())
        .singleElement()
        .asString()
        .startsWith("Operation %d was not continued. ".formatted(broken));
    assertThat(continued.ended()).extracting(JobOperation::id).containsExactly(healthy.id());
    assertThat(operations.find(broken).orElseThrow().lastReason()).isNotNull();
    assertThat(isDue()).as("the next try is minutes away").isFalse();
    assertThat(continueAll(taker)).isEqualTo(ContinuedOperations.NONE);
  }

  /** A later version may have such a filter, or an administrator may have dropped a constraint. */
  @Test
  void aRowThatCannotBeReadIsReportedAndDoesNotStopTheOthers() {
    long broken = interrupted().id();
    fixture.execute(
        "ALTER TABLE @job_operations DROP CONSTRAINT job_operations_path_check;"
            + " UPDATE @job_operations SET payload_path = '{}', payload_value = ''");
    JobOperation healthy =
        operations.start(operations.preview(OperationAction.REDRIVE, JobQuery.live()), "bob");
    age();

    ContinuedOperations continued = continueAll(another());

    String reason = fixture.value("SELECT last_reason FROM @job_operations WHERE id = " + broken);
    fixture.execute(
        "UPDATE @job_operations SET payload_path = NULL, payload_value = NULL;"
            + " ALTER TABLE @job_operations ADD CONSTRAINT job_operations_path_check"
            + " CHECK (coalesce(array_ndims(payload_path), 0) = 1 AND array_position(payload_path, NULL) IS NULL OR payload_path IS NULL)");
    assertThat(continued.failed())
        .singleElement()
        .asString()
        .contains("Operation " + broken, "must not be empty");
    assertThat(continued.ended()).extracting(JobOperation::id).containsExactly(healthy.id());
    assertThat(reason).contains("must not be empty");
  }

  @Test
  void theSearchReadsRunningOperationsOnly() {
    fixture.execute(
        "INSERT INTO @job_operations (actor, action, newest_id, state, finished_at) SELECT 'anna', 'cancel', 1, 'finished', now() FROM generate_series(1, 20000)");
    fixture.execute("ANALYZE @job_operations");
    String search =
        StatementDialect.forSchema(database.schema())
            .renderInlined(
                DSL.selectOne().from(JOB_OPERATIONS).where(OperationPredicates.ABANDONED));

    assertThat(fixture.value("EXPLAIN " + search)).contains("job_operations_running_idx");
  }
}
