package dev.skipjack.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.select;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.jooq.Field;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a connection that no pool checks. */
@QueueTest
@Timeout(60)
class KeptTransactionsTest {

  private static final Statement<NoRequest, String> SESSION =
      statement(field("pg_backend_pid()").as("pid"));
  private static final Statement<NoRequest, String> ONLY_READ =
      statement(field("set_config('default_transaction_read_only', 'on', false)"));
  private static final Statement<NoRequest, String> LONG =
      statement(field("1 + length(pg_sleep(30)::text)"));

  private static Statement<NoRequest, String> statement(Field<?> field) {
    return Statement.of(DSL.using(SQLDialect.POSTGRES), select(field), row -> row.text(field));
  }

  private final QueueDatabase database;
  private HikariDataSource pool;

  KeptTransactionsTest(QueueDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void open() {
    pool = database.newDataSource(1);
  }

  @AfterEach
  void close() {
    pool.close();
  }

  @Test
  void brokenConnectionIsReplacedBeforeItIsNeeded() throws SQLException {
    try (KeptTransactions kept = new KeptTransactions(new OwnConnections(pool), Duration.ZERO)) {
      int first = session(kept);
      terminate(first);

      kept.reserve();

      assertThat(session(kept)).isNotEqualTo(first);
      assertThat(borrowed()).isEqualTo(1);
    }
  }

  @Test
  void aConnectionThatRespondsIsKeptWithoutAnOpenTransaction() throws SQLException {
    try (KeptTransactions kept = new KeptTransactions(new OwnConnections(pool), Duration.ZERO)) {
      int first = session(kept);

      kept.reserve();

      assertThat(stateOf(first)).isEqualTo("idle");
      assertThat(session(kept)).isEqualTo(first);
    }
  }

  /** A demoted server responds, but no lease could be renewed there. */
  @Test
  void readOnlyConnectionIsDiscardedWhenItIsChecked() throws SQLException {
    try (KeptTransactions kept = new KeptTransactions(new OwnConnections(pool))) {
      int first = session(kept);
      kept.run(ONLY_READ, NoRequest.NONE);

      kept.reserve();
      assertThat(session(kept)).isEqualTo(first);
      kept.recheck();
      kept.reserve();

      assertThat(session(kept)).isNotEqualTo(first);
      assertThat(borrowed()).isEqualTo(1);
      // The pool must discard it too.
      await()
          .until(
              () -> ask("SELECT count(*) FROM pg_stat_activity WHERE pid = " + first).equals("0"));
    }
  }

  /** A call on the connection shows that the server responds, so no further check is needed. */
  @Test
  void recentlyUsedConnectionIsNotChecked() throws SQLException {
    try (KeptTransactions kept =
        new KeptTransactions(new OwnConnections(pool), Duration.ofHours(1))) {
      int first = session(kept);
      String before = lastChangeOf(first);

      kept.reserve();

      assertThat(lastChangeOf(first)).isEqualTo(before);
    }
  }

  @Test
  void closeByAnInterruptedThreadReturnsTheConnection() {
    KeptTransactions kept = new KeptTransactions(new OwnConnections(pool));
    int first = session(kept);
    Thread.currentThread().interrupt();

    kept.close();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(borrowed()).isZero();
    try (KeptTransactions next = new KeptTransactions(new OwnConnections(pool))) {
      assertThat(session(next)).isEqualTo(first);
    }
  }

  @Test
  void closeByAnInterruptedThreadAbortsTheCallThatIsRunning() throws Exception {
    KeptTransactions kept = new KeptTransactions(new OwnConnections(pool));
    CountDownLatch over = new CountDownLatch(1);
    Thread caller =
        new Thread(
            () -> {
              try {
                kept.run(LONG, NoRequest.NONE);
              } catch (RuntimeException brokenOff) {
                over.countDown();
              }
            });
    caller.start();
    await().until(() -> sleeping() == 1);
    Thread.currentThread().interrupt();

    kept.close();

    assertThat(Thread.interrupted()).isTrue();
    over.await();
    caller.join();
    assertThat(borrowed()).isZero();
  }

  private static int session(KeptTransactions kept) {
    return Integer.parseInt(kept.run(SESSION, NoRequest.NONE).get(0));
  }

  private int borrowed() {
    return pool.getHikariPoolMXBean().getActiveConnections();
  }

  private int sleeping() throws SQLException {
    return Integer.parseInt(
        ask(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"));
  }

  private void terminate(int session) throws SQLException {
    assertThat(ask("SELECT pg_terminate_backend(" + session + ", 5000)")).isEqualTo("t");
  }

  private String stateOf(int session) throws SQLException {
    return ask("SELECT state FROM pg_stat_activity WHERE pid = " + session);
  }

  private String lastChangeOf(int session) throws SQLException {
    return ask("SELECT state_change FROM pg_stat_activity WHERE pid = " + session);
  }

  private String ask(String sql) throws SQLException {
    try (Connection connection = database.connection();
        java.sql.Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }
}
