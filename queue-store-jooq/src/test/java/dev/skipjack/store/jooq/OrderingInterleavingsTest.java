package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.OrderingPolicy;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.BlockedKey;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.OrderedJobs;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.store.jooq.internal.ordering.OrderingStatements;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jooq.DSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests concurrent statements on one ordering key, step by step. */
@QueueTest
@Timeout(60)
class OrderingInterleavingsTest {

  private Fixture fixture;
  private OrderedJobs ordered;
  private DSLContext dialect;
  private Statement<List<String>, Optional<WakeUp>> promote;
  private Rival one;
  private Rival other;

  @BeforeEach
  void open(QueueDatabase database) throws SQLException {
    fixture = new Fixture(database);
    ordered = fixture.queue.orderedJobs().orElseThrow();
    dialect = StatementDialect.forSchema(database.schema());
    promote = OrderingStatements.promote(database.schema());
    one = new Rival(database);
    other = new Rival(database);
  }

  @AfterEach
  void close() throws SQLException {
    one.close();
    other.close();
  }

  @Test
  void jobEnqueuedWhileTheHeadEndsIsPromotedByTheNextSweep() throws SQLException {
    enqueue("a", 1);
    Execution head = fixture.claimOne(Fixture.LEASE);
    one.begin();
    one.run(connection -> completeIn(connection, head));

    JobId late = enqueue("a", 1).get(0);
    assertThat(status(late)).isEqualTo("waiting");
    one.commit();

    assertThat(claimed()).isEmpty();
    assertThat(ordered.sweep().promoted()).hasSize(1);
    assertThat(claimed()).containsExactly(late);
  }

  @Test
  void jobBehindALockedOneDoesNotOvertakeIt() throws SQLException {
    List<JobId> jobs = enqueue("a", 3);
    Execution head = fixture.claimOne(Fixture.LEASE);
    one.begin();
    one.execute(
        fixture.inSchema("SELECT 1 FROM @jobs WHERE id = " + jobs.get(1) + " FOR NO KEY UPDATE"));

    assertThat(fixture.store.complete(List.of(head))).containsExactly(Verdict.DONE);
    assertThat(ordered.sweep().promoted()).isEmpty();
    assertThat(claimed()).isEmpty();
    one.rollback();

    assertThat(ordered.sweep().promoted()).hasSize(1);
    assertThat(claimed()).containsExactly(jobs.get(1));
  }

  @Test
  void jobThatIsCancelledMeanwhileIsNotPromoted() throws Exception {
    List<JobId> jobs = enqueue("a", 3);
    Execution head = fixture.claimOne(Fixture.LEASE);
    fixture.store.complete(List.of(head));
    fixture.execute(
        "UPDATE @jobs SET status = 'waiting', ordering_head = NULL WHERE id = " + jobs.get(1));
    try (Gate gate = new Gate(fixture)) {
      gate.stops(one);
      gate.shut();
      Future<List<Optional<WakeUp>>> promotion =
          gate.sendTo(one, connection -> promote.run(begun(connection), List.of("a")));
      other.execute(fixture.inSchema("DELETE FROM @jobs WHERE id = " + jobs.get(1)));
      gate.open();

      // The gate cannot be removed while a transaction is open, not even after a failed assertion.
      List<Optional<WakeUp>> promoted = promotion.get();
      one.commit();
      assertThat(promoted).isEmpty();
    }
    assertThat(ordered.sweep().promoted()).hasSize(1);
    assertThat(claimed()).containsExactly(jobs.get(2));
  }

  /**
   * The later snapshot shows an earlier job. The unique index permits only one of the two heads.
   */
  @Test
  void twoPromotionsWithDifferentSnapshotsMakeOneHead() throws Exception {
    JobId first;
    JobId second;
    try (Gate gate = new Gate(fixture);
        Rival late = new Rival(fixture.database)) {
      first = inTransaction(one, "a");
      second = inTransaction(other, "a");
      other.commit();
      gate.stops(late);
      gate.shut();
      Future<List<Optional<WakeUp>>> promotion =
          gate.sendTo(late, connection -> promote.run(begun(connection), List.of("a")));
      one.commit();
      other.run(connection -> promote.run(begun(connection), List.of("a")));
      other.commit();
      assertThat(status(first)).isEqualTo("pending");
      gate.open();

      assertThatThrownBy(promotion::get)
          .isInstanceOf(ExecutionException.class)
          .cause()
          .extracting(refused -> ((SQLException) refused).getSQLState())
          .isEqualTo("23505");
      late.rollback();
    }
    assertThat(status(first)).isEqualTo("pending");
    assertThat(status(second)).isEqualTo("waiting");
  }

  /** {@code OrderedJobs} repeats the statement, and the new snapshot shows the head. */
  @Test
  void lostRaceOfPromotionsIsNoErrorForTheCaller() throws Exception {
    JobId first;
    try (Gate gate = new Gate(fixture);
        var pool = fixture.database.newDataSource(1)) {
      OrderedJobs slow =
          JobQueue.builder(pool)
              .schema(fixture.database.schema())
              .build()
              .orderedJobs()
              .orElseThrow();
      first = inTransaction(one, "a");
      inTransaction(other, "a");
      other.commit();
      int session = gate.stopsTheOneOf(pool);
      gate.shut();
      Future<List<WakeUp>> promotion = one.start(unused -> slow.promote(List.of("a")));
      gate.awaitArrival(promotion, session);
      try (Rival third = new Rival(fixture.database)) {
        // The rival's thread is busy, but its connection is not.
        one.commit();
        third.run(connection -> promote.run(begun(connection), List.of("a")));
        third.commit();
      }
      gate.open();
      assertThat(promotion.get()).isEmpty();
    }
    assertThat(status(first)).isEqualTo("pending");
    assertThat(fixture.value("SELECT count(*) FROM @jobs WHERE ordering_head")).isEqualTo("1");
  }

  /**
   * An open transaction has promoted another job of one key, so each statement that contains this
   * key fails.
   */
  @Test
  void lockedKeyDoesNotPreventThePromotionOfTheOthers() throws Exception {
    try (Rival third = new Rival(fixture.database)) {
      JobId early = inTransaction(one, "k07");
      List<String> keys = IntStream.range(0, 20).mapToObj("k%02d"::formatted).toList();
      other.begin();
      List<JobId> jobs = new ArrayList<>();
      for (String key : keys) {
        jobs.add(enqueueIn(other, key));
      }
      other.commit();
      third.run(connection -> promote.run(begun(connection), List.of("k07")));
      one.commit();

      assertThat(ordered.promote(keys)).hasSize(19);
      JobId locked = jobs.remove(7);
      assertThat(claimed()).containsExactlyInAnyOrderElementsOf(jobs);
      third.rollback();

      assertThat(ordered.sweep().promoted()).hasSize(1);
      assertThat(status(early)).isEqualTo("pending");
      assertThat(status(locked)).isEqualTo("waiting");
    }
  }

  /** A sweep must check the head that holds the key when it frees the key. */
  @Test
  void sweepThatHasReadADeadHeadDoesNotFreeTheKeyOfTheNextOne() throws Exception {
    JobId skipped = enqueue("a", 1, OrderingPolicy.SKIP).get(0);
    List<JobId> blocking = enqueue("a", 2);
    die(skipped);

    sweepStoppedAtItsFirstRow(
        () -> {
          ordered.sweep();
          assertThat(status(blocking.get(0))).isEqualTo("pending");
          die();
        });

    assertThat(status(blocking.get(0))).isEqualTo("dead");
    assertThat(status(blocking.get(1))).isEqualTo("waiting");
    assertThat(fixture.queue.reader().blockedKeys())
        .extracting(BlockedKey::head)
        .containsExactly(blocking.get(0));
  }

  /** Jobs that are enqueued before a job becomes dead again must be parked too. */
  @Test
  void sweepDoesNotFreeTheKeyOfAHeadThatBecameDeadAgain() throws Exception {
    JobId head = enqueue("a", 1, OrderingPolicy.PARK).get(0);
    die(head);
    List<JobId> later = new ArrayList<>();

    sweepStoppedAtItsFirstWrite(
        () -> {
          fixture.queue.admin().redrive(List.of(head));
          later.addAll(enqueue("a", 1, OrderingPolicy.PARK));
          die(head);
        });

    assertThat(status(later.get(0))).isEqualTo("waiting");
    ordered.sweep();
    assertThat(status(later.get(0))).isEqualTo("dead");
  }

  @Test
  void sweepDoesNotFreeAKeyThatTheQueuesNewPolicyBlocks() throws Exception {
    JobId head = enqueue("a", 1, OrderingPolicy.PARK).get(0);
    die(head);
    JobId later = enqueue("a", 1).get(0);

    sweepStoppedAtItsFirstWrite(
        () ->
            fixture
                .queue
                .admin()
                .configure(
                    "default", QueueSettings.defaults().orderingPolicy(OrderingPolicy.BLOCK)));

    assertThat(status(later)).isEqualTo("waiting");
    assertThat(fixture.queue.reader().blockedKeys())
        .extracting(BlockedKey::head)
        .containsExactly(head);
  }

  /** Runs {@code action} after a sweep's snapshot of the dead heads, and before it frees a key. */
  private void sweepStoppedAtItsFirstRow(Runnable action) throws Exception {
    sweepDuring(action, true);
  }

  /** Runs {@code action} after a sweep has read the dead heads, and before it parks a job. */
  private void sweepStoppedAtItsFirstWrite(Runnable action) throws Exception {
    sweepDuring(action, false);
  }

  private void sweepDuring(Runnable action, boolean atRows) throws Exception {
    try (Gate gate = new Gate(fixture);
        var pool = fixture.database.newDataSource(1)) {
      OrderedJobs slow =
          JobQueue.builder(pool)
              .schema(fixture.database.schema())
              .build()
              .orderedJobs()
              .orElseThrow();
      int session = atRows ? gate.stopsTheOneOfAtRows(pool) : gate.stopsTheOneOf(pool);
      gate.shut();
      Future<OrderedJobs.Sweep> sweep = one.start(unused -> slow.sweep());
      gate.awaitArrival(sweep, session);
      action.run();
      gate.open();
      assertThat(sweep.get().promoted()).isEmpty();
    }
  }

  /** A chosen job is promoted only if its position has not changed. */
  @Test
  void jobThatMovesToTheEndMeanwhileIsNotPromoted() throws Exception {
    List<JobId> jobs = enqueue("a", 2);
    fixture.execute("UPDATE @jobs SET status = 'waiting', ordering_head = NULL");
    try (Gate gate = new Gate(fixture)) {
      gate.stops(one);
      gate.shut();
      Future<List<Optional<WakeUp>>> promotion =
          gate.sendTo(one, connection -> promote.run(begun(connection), List.of("a")));
      other.run(connection -> promote.run(begun(connection), List.of("a")));
      other.commit();
      other.execute(fixture.inSchema("SELECT @skip_head('a')"));
      gate.open();

      // The gate cannot be removed while a transaction is open, not even after a failed assertion.
      List<Optional<WakeUp>> promoted = promotion.get();
      one.commit();
      assertThat(promoted).isEmpty();
    }
    ordered.sweep();
    assertThat(claimed()).containsExactly(jobs.get(1));
  }

  @Test
  void jobRedrivenDuringAPromotionGoesToTheBack() throws SQLException {
    List<JobId> jobs = enqueue("a", 3);
    die();
    fixture.execute("UPDATE @jobs SET ordering_head = NULL WHERE status = 'dead'");
    one.begin();
    one.run(
        connection -> RedriveStatement.of(dialect).run(connection, List.of(jobs.get(0))).get(0));
    assertThat(ordered.sweep().promoted()).hasSize(1);
    assertThat(status(jobs.get(1))).isEqualTo("pending");
    one.commit();

    assertThat(ordered.sweep().promoted()).isEmpty();
    for (int next : new int[] {1, 2, 0}) {
      Execution head = fixture.claimOne(Fixture.LEASE);
      assertThat(head.jobId()).isEqualTo(jobs.get(next));
      fixture.store.complete(List.of(head));
    }
  }

  @Test
  void blockingJobRedrivenDuringASweepKeepsTheKey() throws SQLException {
    List<JobId> jobs = enqueue("a", 2);
    die();
    one.begin();
    one.run(
        connection -> RedriveStatement.of(dialect).run(connection, List.of(jobs.get(0))).get(0));
    assertThat(ordered.sweep().promoted()).isEmpty();
    one.commit();
    assertThat(ordered.sweep().promoted()).isEmpty();
    assertThat(claimed()).containsExactly(jobs.get(0));
  }

  @Test
  void endsOfTwoHeadsAndCommandsOnTheirFollowersInOppositeOrderDoNotWait() throws SQLException {
    List<JobId> a = enqueue("a", 2);
    List<JobId> b = enqueue("b", 2);
    List<Execution> heads = fixture.claim(2).stream().map(ClaimedJob::execution).toList();
    one.begin();
    other.begin();
    one.run(connection -> completeIn(connection, heads.get(0)));
    other.run(connection -> completeIn(connection, heads.get(1)));

    assertThat(cancel(one, b.get(1))).isEqualTo(CancelResult.BUSY);
    assertThat(cancel(other, a.get(1))).isEqualTo(CancelResult.BUSY);
    one.commit();
    other.commit();
    assertThat(claimed()).containsExactly(a.get(1), b.get(1));
  }

  @Test
  void batchesThatEndHeadsInOppositeOrderDoNotWait() throws Exception {
    enqueue("a", 2);
    enqueue("b", 2);
    List<Execution> heads = fixture.claim(2).stream().map(ClaimedJob::execution).toList();
    one.begin();
    one.run(connection -> completeIn(connection, heads.get(0)));

    assertThat(fixture.store.complete(List.of(heads.get(1), heads.get(0))))
        .containsExactly(Verdict.DONE, Verdict.BUSY);
    one.commit();
    assertThat(claimed()).hasSize(2);
  }

  @Test
  void jobThatIsCommittedLateRunsAfterTheHeadAndBeforeTheOthers() throws SQLException {
    JobId early = inTransaction(one, "a");
    List<JobId> later = enqueue("a", 2);
    Execution head = fixture.claimOne(Fixture.LEASE);
    assertThat(head.jobId()).isEqualTo(later.get(0));
    one.commit();

    fixture.store.complete(List.of(head));
    assertThat(claimed()).containsExactly(early);
  }

  /**
   * The snapshot of such a transaction may be too old for the completion, whether or not the job
   * has a key.
   */
  @Test
  void repeatableReadTransactionOfAHandlerPromotesWhatItsSnapshotShows() throws SQLException {
    List<JobId> jobs = enqueue("a", 3);
    Execution head = fixture.claimOne(Fixture.LEASE);
    try (Connection handler = fixture.database.connection()) {
      handler.setAutoCommit(false);
      handler.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      try (var statement = handler.createStatement()) {
        statement.execute("SELECT 1");
      }
      fixture.queue.admin().cancel(List.of(jobs.get(1)));

      assertThatThrownBy(() -> fixture.store.completeIn(handler, head))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("40001");
      handler.rollback();
      fixture.store.completeIn(handler, head);
      handler.commit();
    }
    assertThat(claimed()).containsExactly(jobs.get(2));
  }

  private List<JobId> enqueue(String key, int count) {
    return fixture.queue.enqueueAll(
        Fixture.WORK,
        IntStream.rangeClosed(1, count).mapToObj(Fixture.Work::new).toList(),
        job -> job.orderingKey(key));
  }

  private List<JobId> enqueue(String key, int count, OrderingPolicy policy) {
    return fixture.queue.enqueueAll(
        Fixture.WORK.orderingPolicy(policy),
        IntStream.rangeClosed(1, count).mapToObj(Fixture.Work::new).toList(),
        job -> job.orderingKey(key));
  }

  /** Enqueues in a transaction of {@code rival} that stays open. */
  private JobId inTransaction(Rival rival, String key) throws SQLException {
    rival.begin();
    return enqueueIn(rival, key);
  }

  private JobId enqueueIn(Rival rival, String key) throws SQLException {
    return rival.run(
        connection ->
            fixture
                .queue
                .in(connection)
                .enqueue(Fixture.WORK, new Fixture.Work(1), job -> job.orderingKey(key)));
  }

  private boolean completeIn(Connection connection, Execution execution) {
    fixture.store.completeIn(connection, execution);
    return true;
  }

  private CancelResult cancel(Rival rival, JobId job) throws SQLException {
    return rival.run(
        connection -> CancelStatement.of(dialect).run(connection, List.of(job)).get(0).result());
  }

  private static Connection begun(Connection connection) throws SQLException {
    connection.setAutoCommit(false);
    return connection;
  }

  private void die() {
    fixture.store.fail(
        List.of(
            new Failure(
                fixture.claimOne(Fixture.LEASE), JobError.of("no luck"), Duration.ZERO, true)));
  }

  private void die(JobId job) {
    fixture.execute(
        "UPDATE @jobs SET status = 'dead', died_at = clock_timestamp() WHERE id = " + job);
  }

  private List<JobId> claimed() {
    return fixture.claim(100).stream().map(each -> each.execution().jobId()).toList();
  }

  private String status(JobId job) {
    return fixture.value("SELECT status FROM @jobs WHERE id = " + job);
  }
}
