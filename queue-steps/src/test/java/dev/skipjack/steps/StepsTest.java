package dev.skipjack.steps;

import static dev.skipjack.testkit.QueueAssertions.assertThatJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.PayloadException;
import dev.skipjack.handlers.HandlerTransactions;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.JobRuns;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Handler;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests memos, sleeps and versions, with handlers that run in the test's thread. */
@QueueTest
class StepsTest {

  private static final JobType<String> FLOW =
      JobType.of("flow", String.class).maxAttempts(10).retry(Backoff.fixed(Duration.ofMinutes(1)));

  private final List<String> ran = new ArrayList<>();
  private QueueDatabase database;
  private JobQueue queue;

  @BeforeEach
  void create(QueueDatabase database) {
    this.database = database;
    queue = JobQueue.on(database.dataSource());
  }

  private interface Flow {
    Outcome run(Steps steps, JobContext job) throws Exception;
  }

  private JobRuns runs(Flow flow) {
    Handler<String> handler = (payload, job) -> flow.run(Steps.of(job), job);
    return JobRuns.with(
        Worker.on(queue).handle(FLOW, handler).queue("default", 1).build(), database);
  }

  private String ran(String step) {
    ran.add(step);
    return step;
  }

  @Test
  void stepThatIsRecordedDoesNotRunAgain() {
    JobRuns runs =
        runs(
            (steps, job) -> {
              String first = steps.run("first", String.class, key -> ran("first"));
              if (job.attempt() == 1) {
                throw new IllegalStateException("first attempt");
              }
              Integer second = steps.run("second", Integer.class, key -> ran("second").length());
              return Outcome.completed(first + second);
            });
    JobId job = queue.enqueue(FLOW, "x");

    assertThat(runs.due()).isEqualTo(1);
    assertThat(StepRows.memos(database)).containsExactly("first");
    assertThat(runs.toTheEnd()).isEqualTo(1);

    assertThat(ran).containsExactly("first", "second");
    assertThatJob(database, job).isCompleted().hasAttempts(2);
    assertThat(StepRows.memos(database)).isEmpty();
    assertThat(StepRows.query(database, "SELECT result FROM @jobs_archive"))
        .containsExactly("\"first6\"");
    assertThat(
            StepRows.query(
                database,
                "SELECT jsonb_agg(e - 'at' - 'execution') FROM @jobs_archive,"
                    + " jsonb_array_elements(steps) AS e"))
        .containsExactly(
            "[{\"name\": \"first\", \"type\": \"run\", \"result\": \"first\"}, {\"name\": \"second\","
                + " \"type\": \"run\", \"result\": 6}]");
  }

  @Test
  void keyOfAStepIsTheSameInEachAttempt() {
    JobRuns runs =
        runs(
            (steps, job) -> {
              steps.run(
                  "pay",
                  String.class,
                  key -> {
                    ran(key);
                    if (job.attempt() == 1) {
                      throw new IllegalStateException("no answer");
                    }
                    return key;
                  });
              return Outcome.completed();
            });
    JobId job = queue.enqueue(FLOW, "x");
    runs.toTheEnd();
    assertThat(ran).containsExactly(job + "/pay", job + "/pay");
  }

  @Test
  void stepWithoutAResultIsRecorded() {
    JobRuns runs =
        runs(
            (steps, job) -> {
              steps.run("note", () -> ran("note"));
              if (job.attempt() == 1) {
                throw new IllegalStateException("again");
              }
              return Outcome.completed();
            });
    queue.enqueue(FLOW, "x");
    runs.toTheEnd();
    assertThat(ran).containsExactly("note");
  }

  @Test
  void rowsOfAStepInATransactionAndItsMemoCommitTogether() {
    StepRows.query(database, "CREATE TABLE ledger (n integer)");
    try {
      JobRuns runs =
          runs(
              (steps, job) -> {
                try (Connection connection = database.connection()) {
                  connection.setAutoCommit(false);
                  steps.runIn(connection, "book", () -> insert(connection));
                  if (job.attempt() == 1) {
                    connection.rollback();
                    throw new IllegalStateException("rolled back");
                  }
                  connection.commit();
                }
                if (job.attempt() == 2) {
                  throw new IllegalStateException("after the commit");
                }
                return Outcome.completed();
              });
      queue.enqueue(FLOW, "x");
      runs.due();
      assertThat(StepRows.memos(database)).isEmpty();
      runs.toTheEnd();
      assertThat(ran).containsExactly("book", "book");
      assertThat(StepRows.query(database, "SELECT n FROM ledger")).containsExactly("1");
    } finally {
      StepRows.query(database, "DROP TABLE ledger");
    }
  }

  @Test
  void stepMayRunAgainOnlyIfItsTransactionWasRolledBack() {
    List<Throwable> refused = new ArrayList<>();
    JobRuns runs =
        runs(
            (steps, job) -> {
              try (Connection connection = database.connection()) {
                connection.setAutoCommit(false);
                assertThat(steps.runIn(connection, "book", String.class, key -> ran("book")))
                    .isEqualTo("book");
                connection.rollback();
                steps.runIn(connection, "book", String.class, key -> ran("again"));
                refused.add(
                    catchThrowable(() -> steps.runIn(connection, "book", () -> ran("twice"))));
                connection.commit();
                refused.add(
                    catchThrowable(() -> steps.runIn(connection, "book", () -> ran("late"))));
              }
              return Outcome.completed();
            });
    JobId job = queue.enqueue(FLOW, "x");
    runs.due();
    assertThatJob(database, job).isCompleted();
    assertThat(refused)
        .hasSize(2)
        .allSatisfy(
            each ->
                assertThat(each)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("was already used in this attempt"));
    assertThat(ran).containsExactly("book", "again");
  }

  private void insert(Connection connection) throws SQLException {
    ran("book");
    try (java.sql.Statement statement = connection.createStatement()) {
      statement.execute("INSERT INTO ledger VALUES (1)");
    }
  }

  @Test
  void itemsAreFoundAgainByTheirKeys() {
    List<List<String>> items = List.of(List.of("a", "b", "c"), List.of("c", "x", "a"));
    JobRuns runs =
        runs(
            (steps, job) -> {
              List<String> results =
                  steps.map(
                      "item",
                      items.get(job.attempt() - 1),
                      item -> item,
                      String.class,
                      (item, key) -> ran(item).toUpperCase(java.util.Locale.ROOT));
              if (job.attempt() == 1) {
                throw new IllegalStateException("again");
              }
              return Outcome.completed(String.join("", results));
            });
    queue.enqueue(FLOW, "x");
    runs.toTheEnd();
    assertThat(ran).containsExactly("a", "b", "c", "x");
    assertThat(StepRows.query(database, "SELECT result FROM @jobs_archive"))
        .containsExactly("\"CXA\"");
  }

  @Test
  void nameThatIsUsedTwiceIsRefused() {
    JobRuns runs =
        runs(
            (steps, job) -> {
              steps.run("a", () -> ran("a"));
              steps.run("a", () -> ran("b"));
              return Outcome.completed();
            });
    JobId job = queue.enqueue(FLOW, "x");
    runs.due();
    assertThatJob(database, job)
        .isPending()
        .hasLastErrorContaining("Step 'a' of job " + job + " was already used in this attempt.");
    assertThat(ran).containsExactly("a");
  }

  @Test
  void stepThatFailedMayBeRunAgainByTheHandler() {
    JobRuns runs =
        runs(
            (steps, job) -> {
              assertThatThrownBy(
                      () ->
                          steps.run(
                              "a",
                              () -> {
                                throw new IllegalStateException("once");
                              }))
                  .hasMessage("once");
              steps.run("a", () -> ran("a"));
              return Outcome.completed();
            });
    JobId job = queue.enqueue(FLOW, "x");
    runs.due();
    assertThatJob(database, job).isCompleted();
    assertThat(ran).containsExactly("a");
  }

  @Test
  void nameThatIsRecordedAsSomethingElseIsRefused() {
    JobRuns runs =
        runs(
            (steps, job) -> {
              if (job.attempt() == 1) {
                steps.run("a", () -> ran("a"));
                throw new IllegalStateException("again");
              }
              steps.sleep("a", Duration.ofDays(1));
              return Outcome.completed();
            });
    JobId job = queue.enqueue(FLOW, "x");
    runs.due();
    runs.dueWithin(Duration.ofMinutes(1));
    assertThatJob(database, job)
        .hasLastErrorContaining("is recorded as 'run', but the code uses the name for 'sleep'");
  }

  @Test
  void moreThanAThousandMemosAreRefused() {
    JobRuns runs =
        runs(
            (steps, job) -> {
              for (int i = 0; i < 1_001; i++) {
                steps.run("s" + i, () -> {});
              }
              return Outcome.completed();
            });
    JobId job = queue.enqueue(FLOW, "x");
    runs.due();
    assertThatJob(database, job)
        .hasLastErrorContaining("Job " + job + " has 1000 memos, so step 's1000' cannot be");
  }

  @Test
  @SuppressWarnings("NullAway") // a step that breaks its contract
  void resultThatIsTooLargeIsRefused() {
    JobRuns runs =
        runs(
            (steps, job) -> {
              assertThat(steps.run("fits", String.class, key -> "x".repeat(262_142)))
                  .hasSize(262_142);
              assertThatThrownBy(() -> steps.run("large", String.class, key -> "x".repeat(262_143)))
                  .isInstanceOf(PayloadException.class)
                  .hasMessageContaining("262");
              assertThatThrownBy(() -> steps.<String>run("null", String.class, key -> null))
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("Step 'null' returned null");
              return Outcome.completed();
            });
    JobId job = queue.enqueue(FLOW, "x");
    runs.due();
    assertThatJob(database, job).isCompleted().hasNoError();
    assertThat(
            StepRows.query(database, "SELECT octet_length(steps::text) < 300 FROM @jobs_archive"))
        .containsExactly("t");
  }

  @Test
  void memoOfAnAttemptThatHasLostItsJobIsRefused() {
    List<Throwable> thrown = new ArrayList<>();
    JobRuns runs =
        runs(
            (steps, job) -> {
              if (job.attempt() == 1) {
                database.loseLease(job.jobId(), queue);
                try {
                  steps.run("late", () -> ran("late"));
                } catch (LeaseLostException lost) {
                  thrown.add(lost);
                  throw lost;
                }
              }
              return Outcome.completed();
            });
    queue.enqueue(FLOW, "x");
    runs.toTheEnd();
    assertThat(thrown).hasSize(1);
    assertThat(StepRows.memos(database)).isEmpty();
  }

  @Test
  void failedStepIsRepeatedWithinTheAttempt() {
    JobRuns runs =
        runs(
            (steps, job) -> {
              String result =
                  steps.run(
                      "flaky",
                      String.class,
                      key -> {
                        if (ran("flaky") != null && ran.size() < 3) {
                          throw new IllegalStateException("busy");
                        }
                        return "ok";
                      },
                      StepOptions.retry(3, Backoff.fixed(Duration.ofMillis(1))));
              return Outcome.completed(result);
            });
    JobId job = queue.enqueue(FLOW, "x");
    runs.due();
    assertThatJob(database, job).isCompleted().hasAttempts(1);
    assertThat(ran).hasSize(3);
  }

  @Test
  void sleepSuspendsTheJobWithoutAnAttempt() {
    JobRuns runs =
        runs(
            (steps, job) -> {
              steps.run("before", () -> ran("before"));
              try {
                steps.sleep("nap", Duration.ofDays(3));
              } catch (Exception notAnError) {
                ran("caught");
              }
              steps.run("after", () -> ran("after" + job.attempt()));
              return Outcome.completed();
            });
    JobId job = queue.enqueue(FLOW, "x");
    assertThat(runs.due()).isEqualTo(1);
    assertThatJob(database, job).isPending().hasNoError().isDueIn(Duration.ofDays(3));
    assertThat(StepRows.query(database, "SELECT awaits FROM @jobs")).containsExactly("nap");
    assertThat(StepRows.query(database, "SELECT status FROM @job_executions"))
        .containsExactly("snoozed");

    assertThat(runs.dueWithin(Duration.ofDays(2))).isZero();
    assertThat(runs.dueWithin(Duration.ofDays(1))).isEqualTo(1);
    assertThatJob(database, job).isCompleted();
    assertThat(ran).containsExactly("before", "after1");
  }

  @Test
  void sleepThatIsInterruptedByARescueEndsWhenItWould() {
    JobRuns runs =
        runs(
            (steps, job) -> {
              steps.sleep("nap", Duration.ofDays(3));
              return Outcome.completed();
            });
    JobId job = queue.enqueue(FLOW, "x");
    runs.due();
    StepRows.query(database, "UPDATE @jobs SET scheduled_at = clock_timestamp()");
    assertThat(runs.due()).isEqualTo(1);
    assertThatJob(database, job).isPending().isDueIn(Duration.ofDays(3));
  }

  @Test
  void shortSleepBlocksTheThread() {
    JobRuns runs =
        runs(
            (steps, job) -> {
              long start = System.nanoTime();
              steps.sleep("blink", Duration.ofMillis(20));
              assertThat(Duration.ofNanos(System.nanoTime() - start))
                  .isGreaterThan(Duration.ofMillis(19));
              return Outcome.completed();
            });
    JobId job = queue.enqueue(FLOW, "x");
    runs.due();
    assertThatJob(database, job).isCompleted().hasAttempts(1);
  }

  @Test
  void suspensionInsideAStepIsRefused() {
    JobRuns runs =
        runs(
            (steps, job) -> {
              steps.run("outer", () -> steps.sleep("inner", Duration.ofDays(1)));
              return Outcome.completed();
            });
    JobId job = queue.enqueue(FLOW, "x");
    runs.due();
    assertThatJob(database, job)
        .isPending()
        .hasLastErrorContaining("cannot be suspended while one of its steps runs");
    assertThat(StepRows.memos(database)).isEmpty();
  }

  @Test
  void handlerThatCatchesTheErrorIsSuspendedAnyway() {
    JobRuns runs =
        runs(
            (steps, job) -> {
              try {
                steps.sleep("nap", Duration.ofDays(1));
              } catch (Throwable caught) {
                assertThatThrownBy(() -> steps.run("more", () -> ran("more"))).isSameAs(caught);
              }
              return Outcome.completed(Optional.of("wrong"));
            });
    JobId job = queue.enqueue(FLOW, "x");
    runs.due();
    assertThatJob(database, job).isPending().isDueIn(Duration.ofDays(1));
    assertThat(ran).isEmpty();
  }

  @Test
  void runsThatWerePastANewLineKeepTheOldVersion() {
    boolean[] deployed = {false};
    Flow flow =
        (steps, job) -> {
          int version = deployed[0] ? steps.version("pricing", 2) : 1;
          steps.run("price", () -> ran("price" + version));
          steps.sleep("nap", Duration.ofDays(1));
          int later = deployed[0] ? steps.version("mail", 3) : 1;
          ran("mail" + later);
          return Outcome.completed();
        };
    JobRuns runs = runs(flow);
    queue.enqueue(FLOW, "old");
    runs.due();
    deployed[0] = true;
    queue.enqueue(FLOW, "new");
    runs.toTheEnd();
    assertThat(ran).containsExactly("price1", "price2", "mail3", "mail3");
    assertThat(
            StepRows.query(
                database,
                "SELECT e ->> 'result' FROM @jobs_archive, jsonb_array_elements(steps) AS e WHERE e"
                    + " ->> 'name' = 'pricing' ORDER BY id"))
        .containsExactly("1", "2");
  }

  @Test
  void jobThatEndsWithoutTouchingItsStepsIsFinishedByTheSweep() {
    JobRuns runs =
        runs(
            (steps, job) -> {
              if (job.attempt() == 1) {
                steps.run("a", () -> ran("a"));
                throw new IllegalStateException("again");
              }
              return Outcome.completed();
            });
    queue.enqueue(FLOW, "x");
    runs.toTheEnd();
    assertThat(StepRows.memos(database)).containsExactly("a");
    queue.sweepers().forEach(sweeper -> sweeper.sweep());
    assertThat(StepRows.memos(database)).isEmpty();
    assertThat(StepRows.query(database, "SELECT steps #>> '{0,name}' FROM @jobs_archive"))
        .containsExactly("a");
  }

  @Test
  void completionInATransactionArchivesTheSteps() {
    JobRuns runs =
        runs(
            (steps, job) -> {
              steps.run("a", () -> ran("a"));
              try (Connection connection = database.connection()) {
                connection.setAutoCommit(false);
                job.completeIn(connection, "result");
                connection.commit();
              }
              return Outcome.completed();
            });
    JobId job = queue.enqueue(FLOW, "x");
    runs.due();
    assertThatJob(database, job).isCompleted();
    assertThat(StepRows.memos(database)).isEmpty();
    assertThat(
            StepRows.query(
                database, "SELECT concat(steps #>> '{0,name}', ' ', result) FROM @jobs_archive"))
        .containsExactly("a \"result\"");
  }

  @Test
  void jobOfATransactionalHandlerCannotBeSuspended() {
    HandlerTransactions transactions =
        (handler, completion) -> {
          try (Connection connection = database.connection()) {
            connection.setAutoCommit(false);
            if (handler.call()) {
              completion.accept(connection);
              connection.commit();
            }
          }
        };
    Handler<String> handler =
        (payload, job) -> {
          Steps steps = Steps.of(job);
          steps.run("a", () -> ran("a"));
          if (payload.equals("sleeps")) {
            steps.sleep("nap", Duration.ofDays(1));
          } else if (payload.equals("waits")) {
            steps.await("review", String.class, Duration.ofDays(1));
          }
          return Outcome.completed();
        };
    JobRuns runs =
        JobRuns.with(
            Worker.on(queue)
                .handle(FLOW, transactions.transactional(handler))
                .queue("default", 1)
                .build(),
            database);
    JobId sleeps = queue.enqueue(FLOW, "sleeps");
    JobId waits = queue.enqueue(FLOW, "waits");
    JobId plain = queue.enqueue(FLOW, "plain");
    runs.due();
    for (JobId job : List.of(sleeps, waits)) {
      assertThatJob(database, job)
          .isPending()
          .hasLastErrorContaining(
              "The handler of kind 'flow' is transactional, so its job cannot be suspended");
    }
    assertThatJob(database, plain).isCompleted();
    assertThat(StepRows.query(database, "SELECT DISTINCT type FROM @job_steps"))
        .containsExactly("run");
  }

  @Test
  void suspendedJobIsCancelledIfThatWasRequested() {
    JobRuns runs =
        runs(
            (steps, job) -> {
              steps.run("a", () -> ran("a"));
              queue.admin().cancel(List.of(job.jobId()));
              steps.sleep("nap", Duration.ofDays(1));
              return Outcome.completed();
            });
    JobId job = queue.enqueue(FLOW, "x");
    runs.due();
    assertThatJob(database, job).isCancelled();
    assertThat(StepRows.memos(database)).isEmpty();
    assertThat(StepRows.query(database, "SELECT jsonb_array_length(steps) FROM @jobs_archive"))
        .containsExactly("2");
  }

  @Test
  void jobWithoutStepsRunsTheStatementsOfOtherJobs() {
    JobRuns runs =
        runs(
            (steps, job) -> {
              assertThat(job.extension().execution().hasSteps()).isFalse();
              return job.attempt() == 1
                  ? Outcome.retry(Duration.ofSeconds(1))
                  : Outcome.completed();
            });
    JobId job = queue.enqueue(FLOW, "x");
    runs.toTheEnd();
    assertThatJob(database, job).isCompleted();
  }

  @Test
  void stepsOfAJobInAnOpenTransactionAreRolledBackWithIt() throws SQLException {
    try (Connection connection = database.connection()) {
      connection.setAutoCommit(false);
      Worker worker =
          Worker.on(queue.within(() -> connection))
              .handle(
                  FLOW,
                  (payload, job) -> {
                    Steps steps = Steps.of(job);
                    steps.run("a", () -> ran("a"));
                    steps.sleep("nap", Duration.ofDays(1));
                    return Outcome.completed();
                  })
              .queue("default", 1)
              .build();
      queue.in(connection).enqueue(FLOW, "x");
      assertThat(worker.runNext()).isTrue();
      assertThat(worker.runNext()).isFalse();
      try (java.sql.Statement statement = connection.createStatement();
          java.sql.ResultSet row =
              statement.executeQuery(
                  "SELECT count(*) FROM %s.job_steps".formatted(database.schema()))) {
        row.next();
        assertThat(row.getInt(1)).isEqualTo(2);
      }
      connection.rollback();
    }
    assertThat(StepRows.memos(database)).isEmpty();
  }
}
