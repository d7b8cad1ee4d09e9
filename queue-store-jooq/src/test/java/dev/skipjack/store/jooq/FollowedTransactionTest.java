package dev.skipjack.store.jooq;

import static dev.skipjack.store.jooq.Fixture.WORK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.sql.StatementText;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests jobs of callers' transactions that start after the commit. */
@QueueTest
class FollowedTransactionTest {

  private static final String STATES =
      "SELECT coalesce(string_agg(concat_ws(' ', payload ->> 'number', status, attempts,"
          + " uncounted_attempts, (SELECT string_agg(e.status, ',') FROM @job_executions e WHERE"
          + " e.job_id = jobs.id)), '; ' ORDER BY id), 'none') FROM @jobs AS jobs";

  private Fixture fixture;
  private DirectStartTest.Slots worker;
  private JobQueue queue;
  private Connection connection;
  private FollowedTransaction followed;

  @BeforeEach
  void begin(QueueDatabase database) throws SQLException {
    fixture = new Fixture(database);
    worker = new DirectStartTest.Slots();
    queue =
        JobQueue.builder(database.dataSource())
            .schema(database.schema())
            .sameForAllThreads(true)
            .build();
    queue.localWorkers().orElseThrow().add(worker);
    connection = database.connection();
    connection.setAutoCommit(false);
    followed = queue.follow();
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
  }

  private JobId enqueue(int number) {
    return queue.in(connection, followed).enqueue(WORK, new Fixture.Work(number));
  }

  private JobId enqueueRunning(int number) throws SQLException {
    JobId id = enqueue(number);
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(fixture.inSchema("SELECT status FROM @jobs WHERE id = " + id))) {
      assertThat(row.next()).isTrue();
      assertThat(row.getString(1)).isEqualTo("running");
    }
    return id;
  }

  private void commit() throws SQLException {
    followed.beforeCommit(connection);
    connection.commit();
    followed.committed(connection);
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(fixture.inSchema(sql));
    }
  }

  private void assertPendingAndAwaited(String states) {
    assertThat(worker.started).isEmpty();
    assertThat(fixture.value(STATES)).isEqualTo(states);
    assertThat(worker.freed).hasSize(1);
    assertThat(worker.lost).isZero();
  }

  @Test
  void theJobStartsAfterTheCommit() throws SQLException {
    JobId id = enqueueRunning(1);
    followed.beforeCommit(connection);
    connection.commit();
    assertThat(worker.started).isEmpty();

    followed.committed(connection);

    ClaimedJob job = worker.started.get(0);
    assertThat(job.execution().jobId()).isEqualTo(id);
    assertThat(fixture.owns(job.execution())).isTrue();
    assertThat(fixture.value(STATES)).isEqualTo("1 running 1 0 running");
    assertThat(worker.freed).isEmpty();
    assertThat(worker.expected).isEmpty();
    assertThat(connection.getAutoCommit()).isFalse();
    assertThat(fixture.store.complete(List.of(job.execution()))).containsExactly(Verdict.DONE);

    followed.committed(connection);
    followed.unknown();
    assertThat(worker.started).hasSize(1);
    assertThat(worker.lost).isZero();
  }

  @Test
  void aRollbackFreesTheSlot() throws SQLException {
    enqueueRunning(1);
    connection.rollback();

    followed.rolledBack(connection);

    assertPendingAndAwaited("none");
    assertThat(worker.freed).containsExactly(false);
  }

  @Test
  void aJobWhoseSavepointIsRolledBackDoesNotStart() throws SQLException {
    Savepoint before = connection.setSavepoint();
    enqueueRunning(1);
    connection.rollback(before);
    enqueue(2);

    commit();

    assertPendingAndAwaited("2 pending 0 0");
    assertThat(worker.freed).containsExactly(false);
    assertThat(worker.expected).hasSize(1);
  }

  static Stream<Arguments> changesBeforeTheCommit() {
    return Stream.of(
        Arguments.of("a pause", "INSERT INTO @job_queues (queue, paused_at) VALUES (?, now())"),
        Arguments.of(
            "a job of higher priority",
            "INSERT INTO @jobs (queue, kind, payload, priority) VALUES (?, 'other', '{}', 1)"),
        Arguments.of(
            "an earlier job that becomes visible",
            "INSERT INTO @jobs (queue, kind, payload, scheduled_at) VALUES (?, 'other', '{}',"
                + " now() - interval '1 s')"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("changesBeforeTheCommit")
  void jobIsReleasedIfAnotherJobOrAPauseComesFirstBeforeTheCommit(String what, String sql)
      throws SQLException {
    JobId id = enqueueRunning(1);
    fixture.execute(sql.replace("?", "'default'"));

    commit();

    assertThat(worker.started).as(what).isEmpty();
    assertThat(worker.freed).containsExactly(true);
    assertThat(worker.expected).as("wake-ups").hasSize(1);
    assertThat(
            fixture.value(
                "SELECT concat_ws(' ', status, attempts, uncounted_attempts, (SELECT e.status FROM"
                    + " @job_executions e WHERE e.job_id = jobs.id)) FROM @jobs AS jobs WHERE id = "
                    + id))
        .isEqualTo("pending 1 1 released");
  }

  @Test
  void jobsThatComeFirstButHaveTheirOwnSlotsDoNotMatter() throws SQLException {
    worker.spare = 1;
    enqueue(1);
    fixture.execute("INSERT INTO @jobs (kind, payload, priority) VALUES ('other', '{}', 1)");

    commit();

    assertThat(worker.started).hasSize(1);
  }

  @Test
  void laterJobsOfTheLaneDoNotMatter() throws SQLException {
    enqueue(1);
    fixture.enqueue(3);

    commit();

    assertThat(worker.started).hasSize(1);
  }

  @Test
  void onlyTheFirstJobOfATransactionStarts() throws SQLException {
    worker.spare = 1;
    enqueue(1);
    enqueue(2);

    commit();

    assertThat(worker.started).hasSize(1);
    assertThat(worker.expected).hasSize(1);
    assertThat(fixture.value(STATES)).isEqualTo("1 running 1 0 running; 2 pending 0 0");
  }

  @Test
  void aSlotThatIsNoLongerKeptMakesTheJobPendingBeforeTheCommit() throws SQLException {
    enqueueRunning(1);
    worker.kept = false;
    followed.beforeCommit(connection);
    assertThat(worker.freed).containsExactly(false);
    connection.commit();
    assertPendingAndAwaited("1 pending 1 1 released");

    followed.committed(connection);

    assertThat(worker.expected).hasSize(1);
    assertPendingAndAwaited("1 pending 1 1 released");
  }

  @Test
  void aSlotThatIsNoLongerKeptAfterTheCommitMakesTheJobPending() throws SQLException {
    enqueueRunning(1);
    followed.beforeCommit(connection);
    connection.commit();
    worker.kept = false;

    followed.committed(connection);

    assertPendingAndAwaited("1 pending 1 1 released");
    assertThat(worker.expected).hasSize(1);
  }

  @Test
  void aFailedTransactionIsNotChangedBeforeItsCommit() throws SQLException {
    enqueueRunning(1);
    worker.kept = false;
    assertThatThrownBy(() -> execute("SELECT 1 / 0")).isInstanceOf(SQLException.class);

    assertThatCode(() -> followed.beforeCommit(connection)).doesNotThrowAnyException();

    connection.rollback();
    followed.rolledBack(connection);
    assertThat(worker.lost).isEqualTo(1);
    assertThat(fixture.value(STATES)).isEqualTo("none");
  }

  @Test
  void noJobStartsOnceTheCommitHasBegun() throws SQLException {
    followed.beforeCommit(connection);
    enqueue(1);
    connection.commit();
    followed.committed(connection);

    assertThat(worker.freed).isEmpty();
    assertThat(worker.expected).hasSize(1);
    assertThat(fixture.value(STATES)).isEqualTo("1 pending 0 0");
  }

  @Test
  void anUnknownOutcomeMakesTheWorkerSearch() throws SQLException {
    enqueueRunning(1);

    followed.unknown();
    followed.committed(connection);

    assertThat(worker.lost).isEqualTo(1);
    assertThat(worker.started).isEmpty();
  }

  @Test
  void aConnectionThatBreaksAfterTheCommitMakesTheWorkerSearch() throws SQLException {
    enqueueRunning(1);
    followed.beforeCommit(connection);
    connection.commit();
    fixture.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname ="
            + " current_database() AND pid <> pg_backend_pid()");

    followed.committed(connection);

    assertThat(worker.lost).isEqualTo(1);
    assertThat(worker.started).isEmpty();
    assertThat(worker.freed).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void jobBecomesPendingInTheTransactionThatIsOpenWhenTheEndIsReported(boolean isCommitted)
      throws SQLException {
    enqueueRunning(1);
    if (isCommitted) {
      connection.commit();
      execute("SELECT 1");
      followed.committed(connection);
    } else {
      followed.rolledBack(connection);
    }
    assertThat(worker.lost).isEqualTo(1);
    assertThat(worker.started).isEmpty();
    assertThat(worker.freed).isEmpty();

    connection.commit();

    assertThat(fixture.value(STATES)).isEqualTo("1 pending 1 1 released");
    assertThat(worker.expected).hasSize(1);
  }

  /** Managers may report a rollback if the response to the commit was lost. */
  @Test
  void aJobStartsIfItsTransactionWasCommittedDespiteAReportedRollback() throws SQLException {
    enqueueRunning(1);
    connection.commit();

    followed.rolledBack(connection);

    assertThat(worker.started).hasSize(1);
  }

  @Test
  void anotherExecutionOfTheJobIsLeftAlone() throws SQLException {
    enqueueRunning(1);
    connection.commit();
    fixture.execute("UPDATE @jobs SET lease_expires_at = now() - interval '1 s'");
    assertThat(fixture.store.rescue(Duration.ZERO, 10).size()).isEqualTo(1);
    fixture.execute("UPDATE @jobs SET scheduled_at = now()");
    assertThat(fixture.claim(1)).hasSize(1);

    followed.committed(connection);

    assertThat(worker.started).isEmpty();
    assertThat(worker.freed).containsExactly(false);
    assertThat(fixture.value("SELECT status FROM @jobs")).isEqualTo("running");
  }

  @Test
  void aJobWhoseRowIsLockedAfterTheCommitIsReleasedByTheWorker() throws SQLException {
    enqueueRunning(1);
    connection.commit();
    worker.kept = false;
    try (Connection other = fixture.database.connection();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute(fixture.inSchema("SELECT id FROM @jobs FOR UPDATE"));

      followed.committed(connection);

      other.rollback();
    }
    assertThat(worker.freed).isEmpty();
    assertThat(worker.lost).isEqualTo(1);
    assertThat(fixture.value(STATES)).isEqualTo("1 running 1 0 running");
  }

  @Test
  void aJobThatMayNotStartLeavesTheSlotsToOtherTransactions() throws SQLException {
    connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
    enqueue(1);
    assertThat(worker.freed).containsExactly(false);

    enqueue(2);

    assertThat(worker.freed).as("slots that were taken").hasSize(1);
    connection.rollback();
  }

  @Test
  void aJobThatHasOnlyOneAttemptIsClaimed() throws SQLException {
    queue
        .in(connection, followed)
        .enqueue(WORK, new Fixture.Work(1), options -> options.maxAttempts(1));

    commit();

    assertPendingAndAwaited("1 pending 0 0");
  }

  @Test
  void aJobThatIsCancelledBeforeItsStartIsNotPendingAgain() throws SQLException {
    JobId id = enqueueRunning(1);
    connection.commit();
    fixture.queue.admin().cancel(List.of(id));
    worker.kept = false;

    followed.committed(connection);

    assertThat(worker.started).isEmpty();
    assertThat(worker.expected).isEmpty();
    assertThat(fixture.value("SELECT status FROM @jobs_archive")).isEqualTo("cancelled");
  }

  @Test
  void aJobThatIsNotCommittedHindersNoStatementOfAWorker() throws SQLException {
    fixture.enqueue(2);
    worker.spare = 2;
    enqueueRunning(3);

    List<ClaimedJob> claimed = fixture.claim(5);

    assertThat(claimed).hasSize(2);
    assertThat(fixture.store.heldBy(worker.id, new ExecutionId(0), 10)).isEmpty();
    assertThat(fixture.store.rescue(Duration.ZERO, 10).size()).isZero();
    assertThat(fixture.store.complete(claimed.stream().map(ClaimedJob::execution).toList()))
        .containsOnly(Verdict.DONE);
    assertThat(fixture.queue.maintenance().createPartitions(Duration.ofDays(40)).postponed())
        .isEmpty();
  }

  @Test
  void aStatementThatTheServerRejectsLeavesTheTransactionUsable() throws SQLException {
    fixture.execute(
        "DO $$ DECLARE part record; BEGIN FOR part IN SELECT inhrelid::regclass AS name FROM"
            + " pg_inherits WHERE inhparent = '@job_executions'::regclass LOOP EXECUTE 'DROP TABLE '"
            + " || part.name; END LOOP; END $$");
    execute("CREATE TEMPORARY TABLE kept ON COMMIT DROP AS SELECT 1 AS one");

    enqueue(1);

    execute("SELECT one FROM kept");
    commit();
    assertThat(worker.freed).containsExactly(false);
    assertThat(worker.expected).hasSize(1);
    assertThat(fixture.claim(2)).hasSize(1);
  }

  @Test
  void anInvalidJobFailsAsWithoutADirectStart() throws SQLException {
    fixture.execute("ALTER TABLE @jobs ADD CONSTRAINT odd CHECK (payload ->> 'number' <> '13')");

    assertThatThrownBy(() -> enqueue(13))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("23514");

    connection.rollback();
    assertThat(worker.freed).containsExactly(false);
  }

  @Test
  void aSerializableTransactionStartsNothing() throws SQLException {
    connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
    enqueue(1);

    commit();

    assertPendingAndAwaited("1 pending 0 0");
    assertThat(worker.expected).hasSize(1);
  }

  @Test
  void aRepeatableReadStartsItsJobAndDecidesByTheNewestState() throws SQLException {
    connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
    execute("SELECT count(*) FROM @jobs");
    fixture.execute("INSERT INTO @jobs (kind, payload, priority) VALUES ('other', '{}', 1)");
    enqueue(1);
    commit();
    assertThat(worker.started).isEmpty();
    fixture.execute("DELETE FROM @jobs");

    followed = queue.follow();
    enqueue(2);
    commit();

    assertThat(worker.started).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"force_generic_plan", "force_custom_plan"})
  void theConfirmationReadsIndexesOnly(String mode) throws SQLException {
    fixture.execute(
        "INSERT INTO @jobs (queue, kind, payload, priority, scheduled_at) SELECT 'q' || (n % 4),"
            + " 'work', '{}', n % 10, now() + (n % 3 - 1) * interval '1 h' FROM generate_series(1,"
            + " 200000) n");
    fixture.execute("ANALYZE @jobs");
    StatementText text =
        ConfirmStartStatement.of(StatementDialect.forSchema(fixture.database.schema())).text();
    Map<String, String> literals =
        Map.of(
            "queue",
            "'q1'",
            "priority",
            "1",
            "scheduled_at",
            "'2100-01-01'",
            "spare",
            "8",
            "id",
            "17",
            "execution",
            "17");

    Plan.Run run =
        Plan.ran(connection, text, mode, text.parameters().stream().map(literals::get).toList());

    assertThat(run.plan())
        .contains("jobs_pending_idx", "jobs_pkey")
        .doesNotContain("Seq Scan on jobs", "Sort");
    assertThat(run.pages()).isLessThan(60);
  }
}
