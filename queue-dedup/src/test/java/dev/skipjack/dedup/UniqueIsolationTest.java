package dev.skipjack.dedup;

import static dev.skipjack.dedup.Fixture.BY_ACCOUNT;
import static dev.skipjack.dedup.Fixture.SYNC;
import static dev.skipjack.dedup.Fixture.sync;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.EnqueueResult.AlreadyQueued;
import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.EnqueueResult.Replaced;
import dev.skipjack.api.HolderStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.dedup.Fixture.Sync;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jooq.SQLDialect;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests unique jobs in a caller's transaction: each isolation level, with each action of a
 * concurrent transaction and each rule.
 */
@QueueTest
class UniqueIsolationTest {

  enum Level {
    READ_COMMITTED(Connection.TRANSACTION_READ_COMMITTED),
    REPEATABLE_READ(Connection.TRANSACTION_REPEATABLE_READ),
    SERIALIZABLE(Connection.TRANSACTION_SERIALIZABLE);

    private final int jdbc;

    Level(int jdbc) {
      this.jdbc = jdbc;
    }
  }

  enum Rival {
    COMMITTED_BEFORE_THE_SNAPSHOT,
    COMMITTED_AFTER_IT,
    COMMITS_WHILE_WE_WAIT,
    ROLLS_BACK_WHILE_WE_WAIT
  }

  enum Way {
    KEEP,
    REPLACE,
    UNTIL_STARTED,
    PER_PERIOD,
    DEBOUNCE;

    boolean replaces() {
      return this == REPLACE || this == DEBOUNCE;
    }

    Unique<Sync> unique() {
      return switch (this) {
        case KEEP -> BY_ACCOUNT;
        case REPLACE -> BY_ACCOUNT.replace();
        case UNTIL_STARTED -> BY_ACCOUNT.untilStarted();
        case PER_PERIOD -> BY_ACCOUNT.perPeriod(Duration.ofHours(1));
        case DEBOUNCE -> BY_ACCOUNT.debounce(Duration.ofMinutes(1), Duration.ofHours(1));
      };
    }
  }

  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  @AfterEach
  void stopThread() {
    thread.shutdownNow();
  }

  static Stream<Arguments> matrix() {
    return Arrays.stream(Level.values())
        .flatMap(
            level ->
                Arrays.stream(Rival.values())
                    .flatMap(
                        rival ->
                            Arrays.stream(Way.values())
                                .map(way -> Arguments.of(level, rival, way))));
  }

  @ParameterizedTest
  @MethodSource("matrix")
  void everyCallerGetsAnIdOrItsOwnSerializationFailure(Level level, Rival rival, Way way)
      throws Exception {
    try (Connection rivals = fixture.database.connection();
        Connection ours = fixture.database.connection()) {
      rivals.setAutoCommit(false);
      ours.setTransactionIsolation(level.jdbc);
      ours.setAutoCommit(false);
      JobId holder;
      Callable<EnqueueResult> enqueue =
          () -> fixture.unique.in(ours).enqueue(SYNC, sync("a"), way.unique());
      Future<EnqueueResult> answer;
      if (rival == Rival.COMMITTED_BEFORE_THE_SNAPSHOT) {
        holder = enqueue(rivals, way);
        rivals.commit();
        takeSnapshot(ours);
        answer = thread.submit(enqueue);
      } else {
        takeSnapshot(ours);
        holder = enqueue(rivals, way);
        if (rival == Rival.COMMITTED_AFTER_IT) {
          rivals.commit();
          answer = thread.submit(enqueue);
        } else {
          answer = thread.submit(enqueue);
          fixture.awaitOneBlocked();
          if (rival == Rival.COMMITS_WHILE_WE_WAIT) {
            rivals.commit();
          } else {
            rivals.rollback();
          }
        }
      }

      if (rival == Rival.ROLLS_BACK_WHILE_WE_WAIT) {
        assertThat(answer.get(10, TimeUnit.SECONDS))
            .isInstanceOf(Enqueued.class)
            .isNotEqualTo(new Enqueued(holder));
      } else if (level == Level.READ_COMMITTED || rival == Rival.COMMITTED_BEFORE_THE_SNAPSHOT) {
        assertThat(answer.get(10, TimeUnit.SECONDS))
            .isEqualTo(
                way.replaces()
                    ? new Replaced(holder)
                    : new AlreadyQueued(holder, HolderStatus.PENDING));
      } else {
        assertThatThrownBy(() -> answer.get(10, TimeUnit.SECONDS))
            .isInstanceOf(ExecutionException.class)
            .cause()
            .isInstanceOfSatisfying(
                StoreException.class, failure -> assertThat(failure.sqlState()).contains("40001"));
        ours.rollback();
      }
      ours.commit();
      ours.setTransactionIsolation(Level.READ_COMMITTED.jdbc);
      ours.setAutoCommit(true);
      rivals.setAutoCommit(true);
    }
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("1");
  }

  /**
   * The snapshot still shows the job as live, but the job has ended, so the request needs a new
   * job.
   */
  @ParameterizedTest
  @EnumSource
  void aHolderThatEndedAfterTheSnapshotHoldsNoKey(Level level) throws Exception {
    JobId ended = fixture.unique.enqueue(SYNC, sync("a"), BY_ACCOUNT).jobId();
    Execution attempt = fixture.claim();
    try (Connection ours = fixture.database.connection()) {
      ours.setTransactionIsolation(level.jdbc);
      ours.setAutoCommit(false);
      takeSnapshot(ours);
      fixture.store.complete(List.of(attempt));

      assertThat(fixture.unique.in(ours).enqueue(SYNC, sync("a"), BY_ACCOUNT))
          .isInstanceOf(Enqueued.class)
          .isNotEqualTo(new Enqueued(ended));
      ours.commit();
      ours.setTransactionIsolation(Level.READ_COMMITTED.jdbc);
      ours.setAutoCommit(true);
    }
  }

  @Test
  void jooqThrowsItsOwnExceptionForASerializationFailure() throws Exception {
    try (Connection ours = fixture.database.connection()) {
      ours.setTransactionIsolation(Level.REPEATABLE_READ.jdbc);
      ours.setAutoCommit(false);
      takeSnapshot(ours);
      fixture.unique.enqueue(SYNC, sync("a"), BY_ACCOUNT);

      assertThatThrownBy(
              () ->
                  fixture
                      .unique
                      .in(DSL.using(ours, SQLDialect.POSTGRES))
                      .enqueue(SYNC, sync("a"), BY_ACCOUNT))
          .isInstanceOfSatisfying(
              DataAccessException.class,
              failure -> assertThat(failure.sqlState()).isEqualTo("40001"));
      ours.rollback();
      ours.setTransactionIsolation(Level.READ_COMMITTED.jdbc);
      ours.setAutoCommit(true);
    }
  }

  /** If callers use keys in opposite orders in several calls, the server aborts one transaction. */
  @Test
  void aDeadlockOfTwoTransactionsReachesOneCaller() throws Exception {
    try (Connection one = fixture.database.connection();
        Connection other = fixture.database.connection()) {
      one.setAutoCommit(false);
      other.setAutoCommit(false);
      fixture.unique.in(one).enqueue(SYNC, sync("a"), BY_ACCOUNT);
      fixture.unique.in(other).enqueue(SYNC, sync("b"), BY_ACCOUNT);
      Future<EnqueueResult> waiting =
          thread.submit(() -> fixture.unique.in(one).enqueue(SYNC, sync("b"), BY_ACCOUNT));
      fixture.awaitOneBlocked();

      Throwable failure;
      try {
        fixture.unique.in(other).enqueue(SYNC, sync("a"), BY_ACCOUNT);
        other.commit();
        failure = failureOf(waiting);
      } catch (StoreException ours) {
        failure = ours;
        other.rollback();
        assertThat(waiting.get(10, TimeUnit.SECONDS)).isInstanceOf(Enqueued.class);
      }
      assertThat(failure)
          .isInstanceOfSatisfying(
              StoreException.class, store -> assertThat(store.sqlState()).contains("40P01"));
      one.rollback();
      one.setAutoCommit(true);
      other.setAutoCommit(true);
    }
  }

  private static Throwable failureOf(Future<?> future) throws Exception {
    try {
      future.get(10, TimeUnit.SECONDS);
      throw new AssertionError("no deadlock");
    } catch (ExecutionException failed) {
      return Objects.requireNonNull(failed.getCause());
    }
  }

  private JobId enqueue(Connection transaction, Way way) {
    return fixture.unique.in(transaction).enqueue(SYNC, new Sync("a", 0), way.unique()).jobId();
  }

  private static void takeSnapshot(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT 1 FROM pg_class LIMIT 1");
    }
  }
}
