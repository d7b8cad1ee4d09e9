package dev.skipjack.operations.bulk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobId;
import dev.skipjack.api.PartialResultException;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobOperation.State;
import dev.skipjack.api.operations.JobOperations;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.operations.PruneResult;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.store.jooq.Fixture;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that a locked job does not delay the other jobs of its batch. */
@QueueTest
class LockedJobsTest {

  private static final int JOBS = 500;

  private final List<Integer> calls = new ArrayList<>();

  private Fixture fixture;
  private QueueDatabase database;
  private JobOperation started;

  @BeforeEach
  void start(QueueDatabase database) {
    this.database = database;
    fixture = new Fixture(database);
    fixture.execute(
        "INSERT INTO @jobs (kind, payload, status, died_at) SELECT 'work', '{}', 'dead', now() FROM generate_series(1, %d)"
            .formatted(JOBS));
    JobOperations operations = fixture.queue.operations();
    started = operations.start(operations.preview(OperationAction.PRUNE, JobQuery.live()), "anna");
  }

  @Test
  void aJobThatStaysLockedFails() throws Exception {
    String locked = fixture.value("SELECT min(id) FROM @jobs");
    try (Connection other = database.connection()) {
      other.setAutoCommit(false);
      try (Statement statement = other.createStatement()) {
        statement.execute(
            fixture.inSchema("SELECT id FROM @jobs WHERE id = %s FOR UPDATE".formatted(locked)));
      }

      JobOperation ended = fixture.queue.operations().run(started.id(), step -> {});

      assertThat(List.of(ended.done(), ended.skipped(), ended.failed()))
          .containsExactly(JOBS - 1L, 0L, 1L);
      assertThat(ended.lastReason()).isEqualTo("Job %s was locked by another transaction.", locked);
      other.rollback();
    }
  }

  @Test
  void lockedJobsAreTriedAgainAfterTheCommit() {
    AtomicReference<String> between = new AtomicReference<>();
    JobOperations operations =
        pruning(
            jobs -> {
              if (calls.size() == 1) {
                return results(jobs, PruneResult.BUSY, 1);
              }
              between.set(
                  fixture.value(
                      "SELECT done || ' ' || failed || ' ' || state FROM @job_operations"));
              return results(jobs, PruneResult.PRUNED, jobs.size());
            });

    JobOperation ended = operations.run(started.id(), step -> {});

    assertThat(between.get()).isEqualTo("499 1 finished");
    assertThat(calls).containsExactly(JOBS, 1);
    assertThat(List.of(ended.done(), ended.skipped(), ended.failed()))
        .containsExactly((long) JOBS, 0L, 0L);
    assertThat(ended.lastReason()).isNull();
  }

  @Test
  void halvesOfABatchThatHadToWaitHaveTheirOwnTransactions() {
    List<Long> done = new ArrayList<>();
    JobOperations operations =
        pruning(
            jobs -> {
              done.add(Long.valueOf(fixture.value("SELECT done FROM @job_operations")));
              if (jobs.size() > 250) {
                throw new StoreException("no", new SQLException("no", "55P03"));
              }
              return results(jobs, PruneResult.PRUNED, jobs.size());
            });

    JobOperation ended = operations.run(started.id(), step -> {});

    assertThat(calls).containsExactly(JOBS, 250, 250);
    assertThat(done).containsExactly(0L, 0L, 250L);
    assertThat(List.of(ended.done(), ended.skipped(), ended.failed()))
        .containsExactly((long) JOBS, 0L, 0L);
  }

  @Test
  void lockedJobsAreNotTriedAgainAfterAStop() {
    JobOperations operations =
        pruning(
            jobs -> {
              if (calls.size() == 2) {
                throw new IllegalStateException("tried again");
              }
              return results(jobs, PruneResult.BUSY, 1);
            });
    fixture.execute(
        "CREATE FUNCTION @stop() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.state = ''stopped''; NEW.finished_at = NULL; RETURN NEW; END'");
    fixture.execute(
        "CREATE TRIGGER stop BEFORE UPDATE ON @job_operations FOR EACH ROW WHEN (NEW.failed > OLD.failed) EXECUTE FUNCTION @stop()");
    try {
      JobOperation ended = operations.run(started.id(), step -> {});

      assertThat(ended.state()).isEqualTo(State.STOPPED);
      assertThat(List.of(ended.done(), ended.failed())).containsExactly(499L, 1L);
      assertThat(ended.lastReason()).contains("was locked by another transaction");
    } finally {
      fixture.execute("DROP FUNCTION @stop() CASCADE");
    }
  }

  /** The transaction is rolled back, so no job has a result. */
  @Test
  void aFailureIsNotPartial() {
    JobOperations operations = fixture.queue.operations();
    fixture.execute(
        "CREATE FUNCTION @fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''broken''; END'");
    fixture.execute(
        "CREATE TRIGGER fail BEFORE DELETE ON @jobs FOR EACH ROW EXECUTE FUNCTION @fail()");
    try {
      assertThatThrownBy(() -> operations.run(started.id(), step -> {}))
          .isInstanceOf(StoreException.class)
          .isNotInstanceOf(PartialResultException.class)
          .hasMessageContaining("broken");
    } finally {
      fixture.execute("DROP FUNCTION @fail() CASCADE");
    }
    assertThat(operations.find(started.id()).orElseThrow().done()).isZero();
  }

  /** Returns operations that delete jobs by calling a function. */
  private JobOperations pruning(Function<List<JobId>, List<PruneResult>> prune) {
    return new JooqJobOperations(
        new OwnTransactions(database.dataSource()),
        Lazy.of(() -> StatementDialect.forSchema(database.schema())),
        fixture.queue.reader(),
        connection ->
            (BatchCommands)
                Proxy.newProxyInstance(
                    BatchCommands.class.getClassLoader(),
                    new Class<?>[] {BatchCommands.class},
                    (proxy, method, arguments) -> {
                      @SuppressWarnings("unchecked") // prune is the only method called
                      List<JobId> jobs = (List<JobId>) arguments[0];
                      calls.add(jobs.size());
                      return prune.apply(jobs);
                    }),
        patch -> patch);
  }

  /** Returns {@code first} for the first {@code count} jobs, and a deletion for the others. */
  private static List<PruneResult> results(List<JobId> jobs, PruneResult first, int count) {
    List<PruneResult> results = new ArrayList<>();
    for (int i = 0; i < jobs.size(); i++) {
      results.add(i < count ? first : PruneResult.PRUNED);
    }
    return results;
  }
}
