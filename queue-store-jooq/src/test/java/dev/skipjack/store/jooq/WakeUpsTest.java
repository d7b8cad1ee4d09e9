package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.api.spi.WakeUps.Subscription;
import dev.skipjack.faults.FaultyDataSource;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@QueueTest
class WakeUpsTest {

  private static final WakeUp OF_WORK = new WakeUp(new Lane("default", 0), "work");

  private Fixture fixture;
  private Subscription subscription;

  @BeforeEach
  void subscribe(QueueDatabase database) {
    fixture = new Fixture(database);
    subscription = fixture.queue.wakeUps().orElseThrow().subscribe();
  }

  @AfterEach
  void close() {
    subscription.close();
  }

  @Nested
  class AreSent {

    @Test
    void enqueueInItsOwnTransactionSendsAWakeUpAfterTheCommit() {
      fixture.enqueue(1);

      assertThat(heard()).containsExactly(OF_WORK);
    }

    @Test
    void jobWithADueTimeInThePastSendsAWakeUp() {
      fixture.queue.enqueue(
          Fixture.WORK, new Fixture.Work(1), job -> job.at(Instant.parse("2020-01-01T00:00:00Z")));

      assertThat(heard()).containsExactly(OF_WORK);
    }

    /** With a flush, an enqueue would wait for the disk twice. */
    @Test
    void wakeUpIsSentWithoutAWaitForTheDisk() throws SQLException {
      try (Connection connection = DriverManager.getConnection(fixture.database.jdbcUrl());
          PreparedStatement send = connection.prepareStatement(WakeUpSender.SEND);
          Statement show = connection.createStatement()) {
        show.execute("SET synchronous_commit = on");
        connection.setAutoCommit(false);
        send.setString(1, "channel");
        send.setString(2, "anything at all");
        send.execute();
        assertThat(shown(show)).isEqualTo("off");
        connection.commit();
        assertThat(shown(show)).isEqualTo("on");
        connection.rollback();
      }
    }

    private String shown(Statement show) throws SQLException {
      try (ResultSet row = show.executeQuery("SHOW synchronous_commit")) {
        row.next();
        return row.getString(1);
      }
    }

    @Test
    void wakeUpNamesTheHighestLaneOfTheJobs() {
      fixture.queue.enqueueAll(
          Fixture.WORK,
          List.of(new Fixture.Work(1), new Fixture.Work(2)),
          job -> job.priority(7).onQueue("other"));

      assertThat(heard()).containsExactly(new WakeUp(new Lane("other", 7), "work"));
    }

    @Test
    void callersTransactionSendsAWakeUpWhenItCommits() throws SQLException {
      try (Connection connection = fixture.database.connection()) {
        connection.setAutoCommit(false);
        fixture.queue.in(connection).enqueue(Fixture.WORK, new Fixture.Work(1));
        assertThat(subscription.await(Duration.ofMillis(50))).isEmpty();
        connection.commit();
      }

      assertThat(heard()).containsExactly(OF_WORK);
    }

    @Test
    void functionInSqlSendsAWakeUp() {
      fixture.value("SELECT @enqueue('work', '{\"number\": 1}')");

      assertThat(heard()).containsExactly(OF_WORK);
    }

    @Test
    void oneOfTwoTransactionsOfTheSameMomentSendsAWakeUp() throws SQLException {
      try (Connection one = fixture.database.connection();
          Connection other = fixture.database.connection()) {
        beginTogether(one, other);
        fixture.queue.in(one).enqueue(Fixture.WORK, new Fixture.Work(1));
        fixture.queue.in(other).enqueue(Fixture.WORK, new Fixture.Work(2));
        other.commit();
        one.commit();
      }
      fixture.queue.enqueue(Fixture.WORK, new Fixture.Work(3), job -> job.onQueue("last"));

      assertThat(heardUntil("last"))
          .extracting(wakeUp -> wakeUp.lane().queue())
          .containsExactly("default", "last");
    }

    private void beginTogether(Connection one, Connection other) throws SQLException {
      one.setAutoCommit(false);
      other.setAutoCommit(false);
      while (!tenthOf(one).equals(tenthOf(other))) {
        one.rollback();
        other.rollback();
      }
    }

    /** Returns the tenth of a second in which the transaction began. */
    private String tenthOf(Connection transaction) throws SQLException {
      try (Statement statement = transaction.createStatement();
          ResultSet row =
              statement.executeQuery("SELECT floor(date_part('epoch', now()) * 10)::bigint")) {
        row.next();
        return row.getString(1);
      }
    }

    /** The long transaction is like an import that enqueues a job and continues for minutes. */
    @Test
    void transactionsThatBeginWhileALongOneIsOpenSendWakeUps() throws SQLException {
      try (Connection longOne = fixture.database.connection();
          Connection later = fixture.database.connection();
          Connection inSql = fixture.database.connection()) {
        longOne.setAutoCommit(false);
        fixture.queue.in(longOne).enqueue(Fixture.WORK, new Fixture.Work(1));
        beginLaterThan(longOne, later);
        fixture.queue.in(later).enqueue(Fixture.WORK, new Fixture.Work(2));
        later.commit();
        assertThat(heard()).containsExactly(OF_WORK);

        beginLaterThan(later, inSql);
        try (Statement statement = inSql.createStatement()) {
          statement.execute(
              "SELECT " + fixture.database.schema() + ".enqueue('work', '{\"number\": 3}')");
        }
        inSql.commit();
        assertThat(heard()).containsExactly(OF_WORK);
        longOne.rollback();
      }
    }

    private void beginLaterThan(Connection earlier, Connection later) throws SQLException {
      String before = tenthOf(earlier);
      later.setAutoCommit(false);
      while (tenthOf(later).equals(before)) {
        later.rollback();
      }
    }

    @Test
    void manyEnqueuesInARowSendFewWakeUps() {
      for (int i = 0; i < 200; i++) {
        fixture.enqueue(1);
      }
      fixture.queue.enqueue(Fixture.WORK, new Fixture.Work(3), job -> job.onQueue("last"));

      assertThat(heardUntil("last")).hasSizeLessThan(150);
    }
  }

  @Nested
  class AreNotSent {

    @Test
    void futureRolledBackAndDuplicateJobsSendNoWakeUp() throws SQLException {
      fixture.queue.enqueue(
          Fixture.WORK, new Fixture.Work(1), job -> job.delay(Duration.ofHours(1)));
      fixture.queue.enqueueOnce(
          Fixture.WORK,
          new Fixture.Work(1),
          job -> job.idempotencyKey("k").delay(Duration.ofHours(1)));
      fixture.queue.enqueueOnce(Fixture.WORK, new Fixture.Work(1), job -> job.idempotencyKey("k"));
      try (Connection connection = fixture.database.connection()) {
        connection.setAutoCommit(false);
        fixture.queue.in(connection).enqueue(Fixture.WORK, new Fixture.Work(1));
        connection.rollback();
      }
      fixture.queue.enqueue(Fixture.WORK, new Fixture.Work(3), job -> job.onQueue("last"));

      assertThat(heardUntil("last")).hasSize(1);
    }

    @Test
    void queueWithoutWakeUpsSendsNone() {
      JobQueue silent =
          JobQueue.builder(fixture.database.dataSource())
              .schema(fixture.database.schema())
              .wakeUps(false)
              .build();
      silent.enqueue(Fixture.WORK, new Fixture.Work(1));
      fixture.queue.enqueue(Fixture.WORK, new Fixture.Work(3), job -> job.onQueue("last"));

      assertThat(heardUntil("last")).hasSize(1);
    }
  }

  /**
   * Tests an enqueue in its own transaction, one in a caller's transaction, and one of several
   * jobs.
   */
  @Test
  void singleCallCanDisableWakeUps() throws SQLException {
    fixture.queue.enqueue(Fixture.WORK, new Fixture.Work(1), EnqueueOptions::withoutWakeUp);
    fixture.queue.enqueueAll(
        Fixture.WORK,
        List.of(new Fixture.Work(2), new Fixture.Work(3)),
        job -> job.withoutWakeUp().priority(3));
    try (Connection connection = fixture.database.connection()) {
      connection.setAutoCommit(false);
      fixture
          .queue
          .in(connection)
          .enqueue(Fixture.WORK, new Fixture.Work(4), job -> job.tags("t").withoutWakeUp());
      connection.commit();
    }
    fixture.queue.enqueue(Fixture.WORK, new Fixture.Work(5), job -> job.onQueue("last"));

    assertThat(heardUntil("last")).hasSize(1);
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("5");
  }

  @Test
  void wakeUpsCanBeDisabledForSomeQueues() {
    JobQueue queue =
        JobQueue.builder(fixture.database.dataSource())
            .schema(fixture.database.schema())
            .withoutWakeUps("default", "nightly")
            .build();
    queue.enqueue(Fixture.WORK, new Fixture.Work(1));
    queue.enqueue(Fixture.WORK, new Fixture.Work(2), job -> job.onQueue("nightly"));
    queue.enqueue(Fixture.WORK, new Fixture.Work(3), job -> job.onQueue("last"));

    assertThat(heardUntil("last"))
        .extracting(wakeUp -> wakeUp.lane().queue())
        .containsExactly("last");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () -> JobQueue.builder(fixture.database.dataSource()).withoutWakeUps("no name"));
  }

  @Test
  void invalidTextOnTheChannelIsIgnored() {
    fixture.value(
        "SELECT pg_notify('%s', 'anything at all')"
            .formatted(new WakeUpChannel(fixture.database.schema()).name()));
    fixture.enqueue(1);

    assertThat(heardUntil("default")).containsExactly(OF_WORK);
  }

  /**
   * If the enqueue failed, for example because the pool is closing, the caller would enqueue the
   * job again.
   */
  @Test
  void enqueueSucceedsIfTheDataSourceFailsForItsWakeUp() {
    AtomicInteger borrowed = new AtomicInteger();
    DataSource closing =
        (DataSource)
            Proxy.newProxyInstance(
                WakeUpsTest.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) -> {
                  if (borrowed.incrementAndGet() > 1) {
                    throw new IllegalStateException("closing");
                  }
                  return fixture.database.connection();
                });

    JobQueue.builder(closing)
        .schema(fixture.database.schema())
        .build()
        .enqueue(Fixture.WORK, new Fixture.Work(1));

    assertThat(borrowed).hasValue(2);
    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("1");
  }

  /** A server whose notification queue is full rejects every commit that notifies. */
  @Test
  void enqueueSucceedsIfItsWakeUpCannotBeSent() {
    FaultyDataSource faulty = new FaultyDataSource(fixture.database.dataSource());
    faulty.decideCommits(
        () -> {
          faulty.failNext(FaultyDataSource.Step.CONNECTION, 1, "53300");
          faulty.failNext(FaultyDataSource.Step.STATEMENT, 1, "54000");
          return FaultyDataSource.CommitFate.ACKNOWLEDGED;
        });
    JobQueue queue = JobQueue.builder(faulty).schema(fixture.database.schema()).build();

    queue.enqueue(Fixture.WORK, new Fixture.Work(1));

    assertThat(fixture.value("SELECT count(*) FROM @jobs")).isEqualTo("1");
    assertThat(faulty.count(FaultyDataSource.Step.CONNECTION)).isEqualTo(2);
  }

  @Test
  void brokenSessionIsReported() {
    fixture.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN skipjack_%' AND datname = current_database()");

    assertThatThrownBy(() -> subscription.await(Duration.ofSeconds(5)))
        .isInstanceOf(StoreException.class);
  }

  @Test
  void aClosedSubscriptionReceivesNothingAndItsConnectionStopsListening() {
    subscription.close();
    subscription.close();

    fixture.enqueue(1);

    assertThat(subscription.await(Duration.ofMillis(200))).isEmpty();
    assertThat(
            fixture.value(
                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN skipjack_%' AND datname = current_database()"))
        .isEqualTo("0");
  }

  /**
   * A pooler in transaction mode accepts the LISTEN and then assigns the session to another client.
   */
  @Test
  void aSessionThatReceivesNothingIsRejected() {
    JobQueue deaf =
        JobQueue.builder(fixture.database.dataSource())
            .schema(fixture.database.schema())
            .listenOn(forgettingToListen(fixture.database.dataSource()))
            .build();

    assertThatThrownBy(() -> deaf.wakeUps().orElseThrow().subscribe())
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("pooler");
  }

  private static DataSource forgettingToListen(DataSource dataSource) {
    return (DataSource)
        Proxy.newProxyInstance(
            WakeUpsTest.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (self, method, args) -> {
              try {
                Object result = method.invoke(dataSource, args);
                if (result instanceof Connection connection) {
                  try (Statement statement = connection.createStatement()) {
                    statement.execute("SELECT 1");
                  }
                  return deaf(connection);
                }
                return result;
              } catch (InvocationTargetException thrown) {
                throw thrown.getTargetException();
              }
            });
  }

  private static Connection deaf(Connection connection) {
    return (Connection)
        Proxy.newProxyInstance(
            WakeUpsTest.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (self, method, args) -> {
              try {
                if (method.getName().equals("unwrap")) {
                  try (Statement statement = connection.createStatement()) {
                    statement.execute("UNLISTEN *");
                  }
                }
                return method.invoke(connection, args);
              } catch (InvocationTargetException thrown) {
                throw thrown.getTargetException();
              }
            });
  }

  private List<WakeUp> heard() {
    return subscription.await(Duration.ofSeconds(10));
  }

  private List<WakeUp> heardUntil(String queue) {
    List<WakeUp> heard = new ArrayList<>();
    await()
        .until(
            () -> {
              heard.addAll(subscription.await(Duration.ofMillis(100)));
              return heard.stream().anyMatch(wakeUp -> wakeUp.lane().queue().equals(queue));
            });
    return heard;
  }
}
