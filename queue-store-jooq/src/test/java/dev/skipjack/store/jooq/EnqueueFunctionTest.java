package dev.skipjack.store.jooq;

import static dev.skipjack.store.jooq.Fixture.WORK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.EnqueueResult.AlreadyQueued;
import dev.skipjack.api.JobId;
import dev.skipjack.store.jooq.Fixture.Work;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Tests the schema's function {@code enqueue}, which is for callers that are not written in Java.
 */
@QueueTest
class EnqueueFunctionTest {

  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  @Test
  void jobsOfTheFunctionRunLikeAllOthers() {
    String id = fixture.value("SELECT @enqueue('work', '{\"number\": 42}')");

    assertThat(fixture.claim(10))
        .singleElement()
        .satisfies(
            job -> {
              assertThat(job.execution().jobId()).hasToString(id);
              assertThat(fixture.queue.codec().decode(job.payload(), Work.class))
                  .isEqualTo(new Work(42));
            });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 200, 201, 1_000})
  void idempotencyKeysOfTheFunctionAreThoseOfJava(int length) {
    String key = "k".repeat(length);
    JobId java = fixture.queue.enqueue(WORK, new Work(1), job -> job.idempotencyKey(key));
    JobId sql =
        new JobId(
            Long.parseLong(
                fixture.value("SELECT @enqueue('work', idempotency_key => '" + key + "x')")));

    assertThat(fixture.value("SELECT @enqueue('work', idempotency_key => '" + key + "')"))
        .isEqualTo(java.toString());
    assertThat(fixture.queue.enqueueOnce(WORK, new Work(2), job -> job.idempotencyKey(key + "x")))
        .isEqualTo(new AlreadyQueued(sql));
  }

  @Test
  void anExpiredKeyIsTakenOver() {
    String first = fixture.value("SELECT @enqueue('work', idempotency_key => 'a')");
    fixture.execute("UPDATE @job_keys SET expires_at = clock_timestamp()");

    String second = fixture.value("SELECT @enqueue('work', idempotency_key => 'a')");

    assertThat(second).isNotEqualTo(first);
    assertThat(fixture.value("SELECT @enqueue('work', idempotency_key => 'a')")).isEqualTo(second);
  }

  @Test
  void aUniqueKeyIsHeldWhileItsJobLives() {
    String first = fixture.value("SELECT @enqueue('work', '{\"number\": 1}', unique_key => 'a')");

    assertThat(fixture.value("SELECT @enqueue('work', unique_key => 'a')")).isEqualTo(first);
    fixture.store.complete(List.of(fixture.claimOne(Fixture.LEASE)));
    assertThat(fixture.value("SELECT @enqueue('work', unique_key => 'a')")).isNotEqualTo(first);
  }

  @ParameterizedTest
  @ValueSource(strings = {"idempotency_key", "unique_key"})
  void everyCallerOfARaceGetsTheIdOfTheOneJob(String key) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(6);
    try {
      for (int round = 0; round < 20; round++) {
        String call = "SELECT @enqueue('work', %s => 'round-%d')".formatted(key, round);
        Set<String> ids = ConcurrentHashMap.newKeySet();
        List<Future<?>> callers = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
          callers.add(threads.submit(() -> ids.add(fixture.value(call))));
        }
        for (Future<?> caller : callers) {
          caller.get(10, TimeUnit.SECONDS);
        }
        assertThat(ids).hasSize(1);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void prioritiesAndAttemptsComeFromTheQueueIfTheCallHasNone() {
    fixture.execute(
        "INSERT INTO @job_queues (queue, default_priority, default_max_attempts) VALUES ('slow', -5, 3)");
    fixture.execute("SELECT @enqueue('a', queue => 'slow')");
    fixture.execute("SELECT @enqueue('b', queue => 'slow', priority => 1, max_attempts => 2)");
    fixture.execute("SELECT @enqueue('c')");

    assertThat(
            fixture.value(
                "SELECT string_agg(concat_ws(' ', kind, priority, max_attempts), ', ' ORDER BY kind) FROM @jobs"))
        .isEqualTo("a -5 3, b 1 2, c 0 25");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "NULL",
        "'k', NULL",
        "'k', scheduled_at => 'infinity'",
        "'k', scheduled_at => now(), delay => '1 s'",
        "'k', tags => '{a,NULL}'",
        "'k', unique_key => 'a', idempotency_key => 'b'",
        "'k', unique_key => ''",
        "'k', idempotency_key => 'a', idempotency_kept => NULL"
      })
  void functionRefusesArgumentsThatOnlySqlCanExpress(String arguments) throws SQLException {
    try (Connection connection = fixture.database.connection();
        Statement statement = connection.createStatement()) {
      assertThatThrownBy(
              () ->
                  statement.execute(
                      "SELECT \"" + fixture.database.schema() + "\".enqueue(" + arguments + ")"))
          .isInstanceOfSatisfying(
              SQLException.class, refusal -> assertThat(refusal.getSQLState()).isEqualTo("22023"));
    }
  }

  @Test
  void nullIsReplacedByTheDefaultIfThereIsOne() {
    fixture.execute(
        "SELECT @enqueue('k', '1', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)");

    assertThat(
            fixture.value(
                "SELECT concat_ws(' ', queue, priority, max_attempts, payload_version) FROM @jobs"))
        .isEqualTo("default 0 25 1");
  }

  @Test
  void aTriggerEnqueuesInTheTransactionOfItsRow() {
    fixture.execute("CREATE TABLE orders (id int)");
    fixture.execute(
        "CREATE FUNCTION on_order() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
            + " PERFORM @enqueue('work', json_build_object('number', NEW.id)); RETURN NULL; END $$");
    fixture.execute(
        "CREATE TRIGGER on_order AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION on_order()");

    fixture.execute("INSERT INTO orders VALUES (7), (8)");

    assertThat(fixture.value("SELECT string_agg(payload->>'number', ' ' ORDER BY id) FROM @jobs"))
        .isEqualTo("7 8");
  }

  @Test
  void functionWakesWorkersOncePerQueueAtCommitAndNotForFutureJobs() throws Exception {
    try (Connection listener = fixture.database.connection();
        Connection one = fixture.database.connection();
        Connection other = fixture.database.connection()) {
      try (Statement listen = listener.createStatement()) {
        listen.execute("LISTEN " + channel());
      }
      one.setAutoCommit(false);
      other.setAutoCommit(false);
      while (!tenthOfItsBegin(one).equals(tenthOfItsBegin(other))) {
        one.rollback();
        other.rollback();
      }
      enqueue(one, "'first', queue => 'emails', priority => 7");
      enqueue(other, "'second', queue => 'emails'");
      enqueue(other, "'third', queue => 'reports'");
      enqueue(one, "'later', queue => 'later', delay => '1 hour'");
      assertThat(notifications(listener)).isEmpty();
      one.commit();
      other.commit();

      assertThat(notifications(listener)).containsExactly("emails first 7", "reports third 0");
      try (Statement listen = listener.createStatement()) {
        listen.execute("UNLISTEN *");
      }
      one.setAutoCommit(true);
      other.setAutoCommit(true);
    }
  }

  /** Only transactions that began in the same tenth of a second share a notification. */
  private static String tenthOfItsBegin(Connection transaction) throws SQLException {
    try (Statement statement = transaction.createStatement();
        ResultSet row = statement.executeQuery("SELECT floor(extract(epoch FROM now()) * 10)")) {
      row.next();
      return row.getString(1);
    }
  }

  /**
   * Returns the channel's name as documented for authors of listeners: 16 hex digits of the
   * schema's SHA-256.
   */
  private String channel() throws Exception {
    byte[] hash =
        MessageDigest.getInstance("SHA-256")
            .digest(fixture.database.schema().getBytes(StandardCharsets.UTF_8));
    return "skipjack_" + HexFormat.of().formatHex(hash).substring(0, 16);
  }

  private static List<String> notifications(Connection listener) throws SQLException {
    try (Statement statement = listener.createStatement()) {
      // A listener receives earlier notifications with the response to its next statement.
      statement.execute("SELECT 1");
    }
    List<String> payloads = new ArrayList<>();
    PGNotification[] arrived = listener.unwrap(PGConnection.class).getNotifications();
    for (PGNotification each : arrived == null ? new PGNotification[0] : arrived) {
      payloads.add(each.getParameter());
    }
    return payloads;
  }

  private void enqueue(Connection connection, String arguments) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT \"" + fixture.database.schema() + "\".enqueue(" + arguments + ")")) {
      assertThat(row.next()).isTrue();
    }
  }

  /** The function runs with its owner's rights, so it must not use the caller's objects. */
  @Test
  void shadowSchemaOfTheCallerIsIgnored() throws SQLException {
    fixture.execute("CREATE SCHEMA shadow");
    fixture.execute("CREATE TABLE shadow.jobs (LIKE @jobs)");
    fixture.execute("CREATE TABLE shadow.job_keys (LIKE @job_keys)");
    fixture.execute(
        "CREATE FUNCTION shadow.stored_key(text, text) RETURNS text LANGUAGE sql AS 'SELECT ''stolen'''");
    try (Connection connection = fixture.database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute("SET search_path = shadow, pg_temp, pg_catalog");
      statement.execute("CREATE TEMP TABLE job_queues (LIKE shadow.job_keys)");
      enqueue(connection, "'k', idempotency_key => 'a'");
      statement.execute("DROP TABLE pg_temp.job_queues");
      statement.execute("RESET search_path");
    }
    assertThat(fixture.value("SELECT count(*) FROM shadow.jobs")).isEqualTo("0");
    assertThat(fixture.value("SELECT key FROM @job_keys")).isEqualTo("idempotency/k/a");
    fixture.execute("DROP SCHEMA shadow CASCADE");
  }

  @Test
  void producerNeedsOnlyTheRightToCallTheFunction() throws SQLException {
    String role = "producer_" + ProcessHandle.current().pid();
    fixture.execute("CREATE ROLE " + role);
    fixture.execute("GRANT USAGE ON SCHEMA \"" + fixture.database.schema() + "\" TO " + role);
    try (Connection connection = fixture.database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute("SET ROLE " + role);
      assertThatThrownBy(() -> enqueue(connection, "'k'"))
          .hasMessageContaining("permission denied");
      fixture.execute(
          "DO $$ BEGIN EXECUTE (SELECT format('GRANT EXECUTE ON FUNCTION %s TO "
              + role
              + "', oid::regprocedure) FROM pg_proc WHERE proname = 'enqueue'); END $$");
      enqueue(connection, "'k', idempotency_key => 'a'");
      assertThatThrownBy(
              () ->
                  statement.execute(
                      "INSERT INTO \""
                          + fixture.database.schema()
                          + "\".jobs (kind, payload, status) VALUES ('k', '{}', 'running')"))
          .isInstanceOfSatisfying(
              SQLException.class, refusal -> assertThat(refusal.getSQLState()).isEqualTo("42501"));
      statement.execute("RESET ROLE");
    } finally {
      fixture.execute("DROP OWNED BY " + role);
      fixture.execute("DROP ROLE " + role);
    }
  }
}
