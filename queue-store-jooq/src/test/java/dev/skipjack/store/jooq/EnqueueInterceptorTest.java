package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.EnqueueInterceptor;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobId;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that interceptors intercept every enqueue, and that the queue writes the jobs that they
 * pass on.
 */
@QueueTest
class EnqueueInterceptorTest {

  private static final String TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

  private Fixture fixture;
  private final List<String> calls = new ArrayList<>();

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  private JobQueue queue(EnqueueInterceptor... interceptors) {
    JobQueue.Builder builder =
        JobQueue.builder(fixture.database.dataSource()).schema(fixture.database.schema());
    List.of(interceptors).forEach(builder::interceptor);
    return builder.build();
  }

  private EnqueueInterceptor noting(String name) {
    return (jobs, next) -> {
      calls.add(name + " in " + jobs.size() + " " + committed());
      List<EnqueueResult> results = next.enqueue(jobs);
      calls.add(name + " out " + results.size() + " " + committed());
      return results;
    };
  }

  private String committed() {
    return fixture.value("SELECT count(*) FROM @jobs");
  }

  @Test
  void firstInterceptorIsOutermostAndOwnTransactionsCommitInsideIt() {
    JobQueue queue = queue(noting("a"), noting("b"));

    queue.enqueueAll(Fixture.WORK, Collections.nCopies(3, new Fixture.Work(1)));

    assertThat(calls).containsExactly("a in 3 0", "b in 3 0", "b out 3 3", "a out 3 3");
  }

  @Test
  void interceptorReturnsBeforeTheCommitOfACallersTransaction() throws SQLException {
    JobQueue queue = queue(noting("a"));
    try (Connection transaction = fixture.database.connection()) {
      transaction.setAutoCommit(false);
      queue.in(transaction).enqueue(Fixture.WORK, new Fixture.Work(1));
      dsl(transaction, queue).enqueue(Fixture.WORK, new Fixture.Work(2));
      transaction.commit();
    }
    assertThat(calls).containsExactly("a in 1 0", "a out 1 0", "a in 1 0", "a out 1 0");
    assertThat(committed()).isEqualTo("2");
  }

  private static JobEnqueuer dsl(Connection transaction, JobQueue queue) {
    DSLContext context = DSL.using(transaction, SQLDialect.POSTGRES);
    return queue.in(context);
  }

  @Test
  void everyWayOfEnqueueingIsIntercepted() {
    JobQueue queue = queue(noting("a"));
    Fixture.Work work = new Fixture.Work(1);

    queue.enqueue(Fixture.WORK, work);
    queue.enqueueOnce(Fixture.WORK, work, job -> job.idempotencyKey("k"));
    queue.enqueueAllOnce(Fixture.WORK, List.of(work), (w, job) -> job.idempotencyKey("l"));
    queue.enqueueAll(Fixture.WORK, List.of(work));
    queue.enqueueAll(Fixture.WORK, List.of());

    assertThat(calls)
        .containsExactly(
            "a in 1 0",
            "a out 1 1",
            "a in 1 1",
            "a out 1 2",
            "a in 1 2",
            "a out 1 3",
            "a in 1 3",
            "a out 1 4");
  }

  @Test
  void jobsThatWerePassedOnAreWritten() {
    JobQueue queue =
        queue(
            (jobs, next) ->
                next.enqueue(
                    jobs.stream().map(job -> job.traced(TRACE).tagged(List.of("t"))).toList()));

    JobId id = queue.enqueue(Fixture.WORK, new Fixture.Work(1));

    assertThat(
            fixture.value(
                "SELECT (headers ->> 'traceparent') || tags::text FROM @jobs WHERE id = " + id))
        .isEqualTo(TRACE + "{t}");
  }

  @Test
  void exceptionOfAnInterceptorReachesTheCallerAndNothingIsWritten() throws SQLException {
    IllegalArgumentException refusal = new IllegalArgumentException("not today");
    JobQueue queue =
        queue(
            (jobs, next) -> {
              throw refusal;
            });
    try (Connection transaction = fixture.database.connection()) {
      transaction.setAutoCommit(false);
      for (JobEnqueuer enqueuer : List.of(queue, queue.in(transaction), dsl(transaction, queue))) {
        assertThatThrownBy(() -> enqueuer.enqueue(Fixture.WORK, new Fixture.Work(1)))
            .isSameAs(refusal);
      }
      fixture.queue.in(transaction).enqueue(Fixture.WORK, new Fixture.Work(2));
      transaction.commit();
    }
    assertThat(committed()).isEqualTo("1");
  }

  @Test
  void anotherNumberOrOrderOfJobsIsRefusedBeforeAnySql() throws SQLException {
    List<EnqueueInterceptor> wrong =
        List.of(
            (jobs, next) -> next.enqueue(jobs.subList(1, jobs.size())),
            (jobs, next) -> {
              List<NewJob> more = new ArrayList<>(jobs);
              more.add(jobs.get(0));
              return next.enqueue(more);
            },
            (jobs, next) -> {
              List<NewJob> reversed = new ArrayList<>(jobs);
              Collections.reverse(reversed);
              return next.enqueue(reversed);
            });
    try (Connection transaction = fixture.database.connection()) {
      transaction.setAutoCommit(false);
      for (EnqueueInterceptor interceptor : wrong) {
        assertThatThrownBy(() -> enqueueTwo(queue(interceptor).in(transaction)))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("must keep their number and order");
        assertThatThrownBy(() -> enqueueTwo(queue(interceptor)))
            .isInstanceOf(IllegalStateException.class);
      }
      enqueueTwo(fixture.queue.in(transaction));
      transaction.commit();
    }
    assertThat(committed()).isEqualTo("2");
  }

  private static void enqueueTwo(JobEnqueuer enqueuer) {
    enqueuer.enqueueAllOnce(
        Fixture.WORK,
        List.of(new Fixture.Work(1), new Fixture.Work(2)),
        (work, job) -> job.idempotencyKey("key-" + work.number()));
  }

  @Test
  void aResultOfAnotherSizeIsRejected() {
    assertThatThrownBy(() -> enqueueTwo(queue((jobs, next) -> next.enqueue(jobs).subList(0, 1))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("returned 1 results for 2 jobs");
  }

  @Test
  void nextMayBeCalledAgainAfterItThrewButNotAfterItReturned() {
    JobQueue queue =
        queue(
            (jobs, next) -> {
              try {
                return next.enqueue(jobs);
              } catch (IllegalStateException first) {
                return next.enqueue(jobs);
              }
            },
            (jobs, next) -> {
              calls.add("try");
              if (calls.size() == 1) {
                throw new IllegalStateException("the first time");
              }
              return next.enqueue(jobs);
            });
    queue.enqueue(Fixture.WORK, new Fixture.Work(1));
    assertThat(calls).hasSize(2);
    assertThat(committed()).isEqualTo("1");

    JobQueue twice =
        queue(
            (jobs, next) -> {
              next.enqueue(jobs);
              return next.enqueue(jobs);
            });
    assertThatThrownBy(() -> twice.enqueue(Fixture.WORK, new Fixture.Work(2)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("twice");
    assertThat(committed()).isEqualTo("2");
  }

  /** A database error reaches the caller in the same form as without interceptors. */
  @Test
  void errorsOfTheDatabaseArePropagatedUnchanged() throws SQLException {
    JobQueue queue = queue((jobs, next) -> next.enqueue(jobs));
    try (Connection transaction = fixture.database.connection()) {
      transaction.setReadOnly(true);
      transaction.setAutoCommit(false);
      assertThatThrownBy(() -> dsl(transaction, queue).enqueue(Fixture.WORK, new Fixture.Work(1)))
          .isInstanceOfSatisfying(
              DataAccessException.class,
              refusal -> assertThat(refusal.sqlState()).isEqualTo("25006"));
      transaction.rollback();
      assertThatThrownBy(() -> queue.in(transaction).enqueue(Fixture.WORK, new Fixture.Work(1)))
          .isInstanceOfSatisfying(
              StoreException.class, refusal -> assertThat(refusal.sqlState()).contains("25006"));
      transaction.rollback();
    }
  }
}
