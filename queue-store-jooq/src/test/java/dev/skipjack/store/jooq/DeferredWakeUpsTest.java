package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.api.spi.WakeUps.Subscription;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

@QueueTest
class DeferredWakeUpsTest {

  private Fixture fixture;
  private Subscription subscription;
  private Connection connection;
  private DeferredWakeUps deferred;

  @BeforeEach
  void beginAndSubscribe(QueueDatabase database) throws SQLException {
    fixture = new Fixture(database);
    subscription = fixture.queue.wakeUps().orElseThrow().subscribe();
    connection = database.connection();
    connection.setAutoCommit(false);
    deferred = fixture.queue.deferWakeUps();
  }

  @AfterEach
  void close() throws SQLException {
    connection.close();
    subscription.close();
  }

  private JobEnqueuer enqueuer() {
    return fixture.queue.in(connection, deferred);
  }

  private static Fixture.Work work(int number) {
    return new Fixture.Work(number);
  }

  private static WakeUp of(String queue, int priority) {
    return new WakeUp(new Lane(queue, priority), "work");
  }

  private List<WakeUp> heard() {
    return subscription.await(Duration.ofSeconds(10));
  }

  private List<WakeUp> heardSoon() {
    return subscription.await(Duration.ofMillis(50));
  }

  @Test
  void wakeUpsAreSentAfterTheCommitOncePerQueue() throws SQLException {
    enqueuer().enqueue(Fixture.WORK, work(1));
    enqueuer().enqueueAll(Fixture.WORK, List.of(work(2), work(3)), job -> job.priority(7));
    enqueuer().enqueue(Fixture.WORK, work(4), job -> job.onQueue("other"));
    enqueuer()
        .enqueue(Fixture.WORK, work(5), job -> job.delay(Duration.ofHours(1)).onQueue("late"));
    connection.commit();
    assertThat(heardSoon()).isEmpty();

    deferred.send(connection);

    List<WakeUp> heard = new ArrayList<>(heard());
    heard.addAll(heardSoon());
    assertThat(heard).containsExactly(of("default", 7), of("other", 0));
  }

  /** With wake-ups at commit, the second transaction would send none. */
  @Test
  void wakeUpsAreSentByEachOfTwoConcurrentTransactions() throws SQLException {
    JobQueue otherProcess =
        JobQueue.builder(fixture.database.dataSource()).schema(fixture.database.schema()).build();
    DeferredWakeUps others = otherProcess.deferWakeUps();
    try (Connection other = fixture.database.connection()) {
      other.setAutoCommit(false);
      otherProcess.in(other, others).enqueue(Fixture.WORK, work(1));
      enqueuer().enqueue(Fixture.WORK, work(2));
      connection.commit();
      deferred.send(connection);
      assertThat(heard()).containsExactly(of("default", 0));

      other.commit();
      others.send(other);

      assertThat(heard()).containsExactly(of("default", 0));
    }
  }

  @Test
  void sendingLeavesTheConnectionAsItWas() throws SQLException {
    enqueuer().enqueue(Fixture.WORK, work(1));
    connection.commit();

    deferred.send(connection);

    assertThat(connection.getAutoCommit()).isFalse();
    assertThat(connection.unwrap(BaseConnection.class).getTransactionState())
        .isEqualTo(TransactionState.IDLE);
    assertThat(heard()).hasSize(1);
  }

  @Test
  void wakeUpsAreSentWithTheNextTransactionIfItHasBegun() throws SQLException {
    enqueuer().enqueue(Fixture.WORK, work(1));
    connection.commit();
    String waitsForDisk = synchronousCommit();

    deferred.send(connection);

    assertThat(heardSoon()).isEmpty();
    assertThat(synchronousCommit()).isEqualTo(waitsForDisk);
    connection.commit();
    assertThat(heard()).containsExactly(of("default", 0));
  }

  private String synchronousCommit() throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW synchronous_commit")) {
      row.next();
      return row.getString(1);
    }
  }

  @Test
  void wakeUpsNameTheOrderingKeysThatWorkersMustPromote() throws SQLException {
    enqueuer().enqueue(Fixture.WORK, work(1), job -> job.orderingKey("account 1"));
    connection.commit();

    deferred.send(connection);

    assertThat(heard()).containsExactly(new WakeUp(new Lane("default", 0), "work", "account 1"));
  }

  @Test
  void wakeUpsAreSentOnce() throws SQLException {
    enqueuer().enqueue(Fixture.WORK, work(1));
    connection.commit();

    deferred.send(connection);
    deferred.send(connection);

    assertThat(heard()).hasSize(1);
    assertThat(heardSoon()).isEmpty();
  }

  @Test
  void callDoesNotFailIfWakeUpsCannotBeSent() throws SQLException {
    enqueuer().enqueue(Fixture.WORK, work(1));
    connection.commit();
    connection.close();

    deferred.send(connection);

    assertThat(heardSoon()).isEmpty();
  }

  @Test
  void queueWithoutWakeUpsSendsNone() throws SQLException {
    JobQueue silent =
        JobQueue.builder(fixture.database.dataSource())
            .schema(fixture.database.schema())
            .wakeUps(false)
            .build();
    DeferredWakeUps none = silent.deferWakeUps();
    silent.in(connection, none).enqueue(Fixture.WORK, work(1));
    connection.commit();

    none.send(connection);

    assertThat(heardSoon()).isEmpty();
  }
}
