package dev.skipjack.steps;

import static dev.skipjack.testkit.QueueAssertions.assertThatJob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.StoreException;
import dev.skipjack.steps.internal.WakeWaitingStatement;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.JobRuns;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests signals that are sent before, during and after the wait of a job. */
@QueueTest
class SignalsTest {

  private static final JobType<String> FLOW = JobType.of("flow", String.class).maxAttempts(3);

  private final List<Object> seen = new ArrayList<>();
  private QueueDatabase database;
  private JobQueue queue;
  private Signals signals;

  @BeforeEach
  void create(QueueDatabase database) {
    this.database = database;
    queue = JobQueue.on(database.dataSource());
    signals = Signals.on(queue);
  }

  /** Runs jobs that wait for a signal: to the key that is their payload, or to themselves. */
  private JobRuns runs() {
    return runs(() -> {});
  }

  private JobRuns runs(Runnable beforeTheWait) {
    return JobRuns.with(
        Worker.on(queue)
            .handle(
                FLOW,
                (key, job) -> {
                  Steps steps = Steps.of(job);
                  beforeTheWait.run();
                  Optional<String> answer =
                      key.isEmpty()
                          ? steps.await("review", String.class, Duration.ofDays(7))
                          : steps.awaitKey(key, "review", String.class, Duration.ofDays(7));
                  seen.add(answer.orElse("none"));
                  return Outcome.completed(answer.orElse("none"));
                })
            .queue("default", 1)
            .build(),
        database);
  }

  @Test
  void signalThatIsSentBeforeTheWaitIsTakenAtOnce() {
    JobId job = queue.enqueue(FLOW, "");
    assertThat(signals.send(job, "review", "early")).isEqualTo(SignalResult.STORED);
    runs().due();
    assertThatJob(database, job).isCompleted().hasAttempts(1);
    assertThat(seen).containsExactly("early");
  }

  @Test
  void signalThatIsSentAfterTheWaitBeganWakesTheJob() {
    JobId job = queue.enqueue(FLOW, "");
    JobRuns runs = runs();
    runs.due();
    assertThatJob(database, job).isPending().isDueIn(Duration.ofDays(7)).hasNoError();
    assertThat(StepRows.query(database, "SELECT address || ' ' || name FROM @job_waits"))
        .containsExactly("job/" + job + " review");

    assertThat(signals.send(job, "other", "no")).isEqualTo(SignalResult.STORED);
    assertThat(runs.due()).isZero();
    assertThat(signals.send(job, "review", "yes", options -> options.sentBy("ann")))
        .isEqualTo(SignalResult.WOKEN);
    assertThat(runs.due()).isEqualTo(1);

    assertThatJob(database, job).isCompleted().hasAttempts(2);
    assertThat(seen).containsExactly("yes");
    assertThat(StepRows.query(database, "SELECT 1 FROM @job_waits")).isEmpty();
    assertThat(
            StepRows.query(
                database,
                "SELECT steps #>> '{0,sentBy}' FROM @jobs_archive UNION ALL SELECT name FROM"
                    + " @job_signals"))
        .containsExactly("ann", "other");
  }

  @Test
  void signalThatIsSentWhileTheAttemptSuspendsItselfIsNotSleptThrough() {
    JobId job = queue.enqueue(FLOW, "");
    JobRuns runs =
        JobRuns.with(
            Worker.on(queue)
                .handle(
                    FLOW,
                    (payload, context) -> {
                      try {
                        seen.add(
                            Steps.of(context)
                                .await("review", String.class, Duration.ofDays(7))
                                .orElse("none"));
                        return Outcome.completed();
                      } finally {
                        if (context.uncountedAttempts() == 0) {
                          // The attempt has looked, and has not been written as snoozed.
                          signals.send(job, "review", "late");
                        }
                      }
                    })
                .queue("default", 1)
                .build(),
            database);
    assertThat(runs.due()).isEqualTo(2);
    assertThat(seen).containsExactly("late");
  }

  /**
   * The sender began before the wait, and commits after the attempt has searched for the signal.
   */
  @Test
  void senderCountsItsSignalForAJobThatSuspendsItselfMeanwhile() throws SQLException {
    try (Connection slow = database.connection()) {
      slow.setAutoCommit(false);
      signals.in(slow).sendToKey("order-7", "review", "slow");
      queue.enqueue(FLOW, "");
      JobRuns runs =
          JobRuns.with(
              Worker.on(queue)
                  .handle(
                      FLOW,
                      (payload, job) -> {
                        try {
                          seen.add(
                              Steps.of(job)
                                  .awaitKey("order-7", "review", String.class, Duration.ofDays(7))
                                  .orElse("none"));
                          return Outcome.completed();
                        } finally {
                          if (job.uncountedAttempts() == 0) {
                            slow.commit();
                            searchAfterTheCommit();
                          }
                        }
                      })
                  .queue("default", 1)
                  .build(),
              database);
      assertThat(runs.due()).isEqualTo(2);
      assertThat(seen).containsExactly("slow");
    }
  }

  /** Runs the statement that a sender runs after the commit of its own transaction. */
  private void searchAfterTheCommit() {
    assertThat(
            queue
                .extension()
                .transactions()
                .run(
                    WakeWaitingStatement.ofOne(queue.extension().dialect().get()),
                    new WakeWaitingStatement.Request("key/order-7", "review", 0)))
        .extracting(WakeWaitingStatement.Woken::job)
        .containsOnlyNulls();
  }

  @Test
  void waitEndsWithoutASignal() {
    JobId job = queue.enqueue(FLOW, "");
    JobRuns runs = runs();
    runs.due();
    assertThat(runs.dueWithin(Duration.ofDays(6))).isZero();
    assertThat(runs.dueWithin(Duration.ofDays(1))).isEqualTo(1);
    assertThatJob(database, job).isCompleted();
    assertThat(seen).containsExactly("none");
  }

  @Test
  void rescuedJobWaitsForTheRestOfItsTime() {
    JobId job = queue.enqueue(FLOW, "");
    JobRuns runs = runs();
    runs.due();
    database.timeTravel(Duration.ofDays(5));
    StepRows.query(database, "UPDATE @jobs SET scheduled_at = clock_timestamp()");
    assertThat(runs.due()).isEqualTo(1);
    assertThatJob(database, job).isPending().isDueIn(Duration.ofDays(2));
    assertThat(seen).isEmpty();
  }

  @Test
  void signalsToAKeyAreTakenByOneJobEach() {
    JobId first = queue.enqueue(FLOW, "order-7");
    JobId second = queue.enqueue(FLOW, "order-7");
    JobRuns runs = runs();
    runs.due();
    assertThat(signals.sendToKey("order-7", "review", "one")).isEqualTo(SignalResult.WOKEN);
    runs.due();
    assertThat(seen).containsExactly("one");
    assertThatJob(database, first).isCompleted();
    assertThatJob(database, second).isPending();
    assertThat(signals.sendToKey("order-7", "review", "two")).isEqualTo(SignalResult.WOKEN);
    runs.due();
    assertThat(seen).containsExactly("one", "two");
    assertThatJob(database, second).isCompleted();
    assertThat(signals.sendToKey("order-7", "review", "three")).isEqualTo(SignalResult.STORED);
  }

  @Test
  void signalOfAnOpenTransactionToAKeyIsFoundByTheSweep() throws SQLException {
    JobId job = queue.enqueue(FLOW, "order-7");
    JobRuns runs = runs();
    try (Connection connection = database.connection()) {
      connection.setAutoCommit(false);
      signals.in(connection).sendToKey("order-7", "review", "slow");
      runs.due();
      assertThatJob(database, job).isPending();
      connection.commit();
    }
    assertThat(runs.due()).isZero();
    queue.sweepers().forEach(sweeper -> sweeper.sweep());
    assertThat(runs.due()).isEqualTo(1);
    assertThatJob(database, job).isCompleted();
    assertThat(seen).containsExactly("slow");
  }

  @Test
  void signalIsRolledBackWithTheTransaction() throws SQLException {
    JobId job = queue.enqueue(FLOW, "");
    JobRuns runs = runs();
    runs.due();
    try (Connection connection = database.connection()) {
      connection.setAutoCommit(false);
      assertThat(signals.in(connection).send(job, "review", "x")).isEqualTo(SignalResult.WOKEN);
      connection.rollback();
    }
    assertThat(runs.due()).isZero();
    assertThatJob(database, job).isPending();
  }

  @Test
  void signalToAJobThatHasEndedIsNotStored() {
    assertThat(signals.send(new JobId(4711), "review", "x")).isEqualTo(SignalResult.ENDED);
    assertThat(StepRows.query(database, "SELECT 1 FROM @job_signals")).isEmpty();
  }

  @Test
  void expiredSignalIsNotTakenAndIsDeleted() {
    JobId job = queue.enqueue(FLOW, "");
    signals.send(job, "review", "x", options -> options.expiresAfter(Duration.ofDays(1)));
    database.timeTravel(Duration.ofDays(2));
    runs().due();
    assertThatJob(database, job).isPending();
    for (int i = 0; i < 8; i++) {
      queue.sweepers().forEach(sweeper -> sweeper.sweep());
    }
    assertThat(StepRows.query(database, "SELECT 1 FROM @job_signals")).isEmpty();
  }

  @Test
  void jobMayWaitForAnotherKeyInALaterAttempt() {
    String[] key = {"old"};
    JobId job = queue.enqueue(FLOW, "");
    JobRuns runs =
        JobRuns.with(
            Worker.on(queue)
                .handle(
                    FLOW,
                    (payload, context) -> {
                      seen.add(
                          Steps.of(context)
                              .awaitKey(key[0], "review", String.class, Duration.ofDays(1))
                              .orElse("none"));
                      return Outcome.completed();
                    })
                .queue("default", 1)
                .build(),
            database);
    runs.due();
    key[0] = "new";
    StepRows.query(database, "UPDATE @jobs SET scheduled_at = clock_timestamp()");
    runs.due();
    assertThat(signals.sendToKey("new", "review", "found")).isEqualTo(SignalResult.WOKEN);
    runs.due();
    assertThatJob(database, job).isCompleted();
    assertThat(seen).containsExactly("found");
    assertThat(StepRows.query(database, "SELECT 1 FROM @job_waits")).isEmpty();
  }

  @Test
  void signalIsSentInATransactionOfJooq() throws SQLException {
    JobId job = queue.enqueue(FLOW, "");
    runs().due();
    try (Connection connection = database.connection()) {
      connection.setAutoCommit(false);
      DSLContext dsl = DSL.using(connection, SQLDialect.POSTGRES);
      assertThat(signals.in(dsl).send(job, "review", "x")).isEqualTo(SignalResult.WOKEN);
      connection.rollback();
    }
    assertThat(StepRows.query(database, "SELECT 1 FROM @job_signals")).isEmpty();
  }

  @Test
  void functionSendsASignalInSql() {
    JobId job = queue.enqueue(FLOW, "");
    JobRuns runs = runs();
    runs.due();
    assertThat(StepRows.query(database, "SELECT @signal('job/" + job + "', 'review', '\"sql\"')"))
        .containsExactly("woken");
    runs.due();
    assertThat(seen).containsExactly("sql");
  }

  @Test
  void functionRefusesInvalidArguments() {
    for (String arguments :
        List.of(
            "'job/0', 'a'",
            "'job/99999999999999999999', 'a'",
            "'order-7', 'a'",
            "NULL, 'a'",
            "'key/', 'a'",
            "'key/x', ''",
            "'key/x', 'a', NULL",
            "'key/x', 'a', '{}', ''",
            "'key/x', 'a', '{}', 'me', interval '0'",
            "'key/x', 'a', '{}', 'me', interval '1 day', ''")) {
      assertThatThrownBy(
              () -> StepRows.query(database, "SELECT @signal(" + arguments + ")"), arguments)
          .hasRootCauseInstanceOf(SQLException.class)
          .rootCause()
          .extracting(failure -> ((SQLException) failure).getSQLState())
          .isEqualTo("22023");
    }
  }

  @Test
  void invalidNamesSendersAndExpiriesAreRefused() {
    JobId job = queue.enqueue(FLOW, "");
    assertThatThrownBy(() -> signals.send(job, "", "x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Signal name '' has 0 bytes");
    assertThatThrownBy(() -> signals.send(job, "a\0b", "x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("NUL");
    assertThatThrownBy(() -> signals.sendToKey("k".repeat(513), "a", "x"))
        .hasMessageContaining("has 513 bytes");
    assertThatThrownBy(() -> signals.send(job, "a", "x", o -> o.sentBy("s".repeat(201))))
        .hasMessageContaining("has 201 bytes");
    assertThatThrownBy(() -> signals.send(job, "a", "x", o -> o.expiresAfter(Duration.ZERO)))
        .hasMessageContaining("PT0S");
  }

  @Test
  void signalInAutoCommitModeIsRefused() throws SQLException {
    try (Connection connection = database.connection()) {
      assertThatThrownBy(() -> signals.in(connection).sendToKey("k", "a", "x"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("auto-commit");
    } catch (StoreException unexpected) {
      throw new AssertionError(unexpected);
    }
  }

  @Test
  void signedLinkSendsItsSignalOnce() {
    byte[] secret = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.UTF_8);
    SignalLinks links = signals.links(secret);
    JobId job = queue.enqueue(FLOW, "");
    JobRuns runs = runs();
    runs.due();
    String yes = links.sign(job, "review", "yes", Duration.ofDays(7));
    String no = links.sign(job, "review", "no", Duration.ofDays(7));

    assertThat(links.use(yes, "ann")).isEqualTo(SignalResult.WOKEN);
    assertThat(links.use(yes, "ann")).isEqualTo(SignalResult.USED);
    assertThat(links.use(no, "bob")).isEqualTo(SignalResult.USED);
    runs.due();
    assertThat(seen).containsExactly("yes");
    assertThat(links.use(no, "bob")).isEqualTo(SignalResult.USED);
    assertThat(StepRows.query(database, "SELECT taken_by_job FROM @job_signals"))
        .containsExactly(job.toString());
  }

  @Test
  void linkThatIsForgedOrExpiredIsRefused() {
    byte[] secret = "0123456789abcdef0123456789abcdef".getBytes(StandardCharsets.UTF_8);
    SignalLinks links = signals.links(secret);
    JobId job = queue.enqueue(FLOW, "");
    String token = links.sign(job, "review", "yes", Duration.ofHours(1));
    String other =
        signals
            .links("another secret of at least 32 bytes".getBytes(StandardCharsets.UTF_8))
            .sign(job, "review", "yes", Duration.ofHours(1));

    for (String bad :
        List.of(
            "",
            ".",
            "x.y",
            token + "A",
            "A" + token,
            other,
            token.substring(5),
            token.replace(".", ""),
            "?.!",
            token.substring(0, token.indexOf('.')) + other.substring(other.indexOf('.')))) {
      assertThat(links.use(bad, "eve")).as(bad).isEqualTo(SignalResult.INVALID);
    }
    Clock later = Clock.fixed(Instant.now().plus(Duration.ofHours(2)), ZoneOffset.UTC);
    assertThat(new SignalLinks(signals, secret, later).use(token, "ann"))
        .isEqualTo(SignalResult.EXPIRED);
    assertThat(StepRows.query(database, "SELECT 1 FROM @job_signals")).isEmpty();
    assertThatThrownBy(() -> signals.links(new byte[31]))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("31 bytes");
  }
}
