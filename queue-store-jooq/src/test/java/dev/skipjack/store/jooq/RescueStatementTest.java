package dev.skipjack.store.jooq;

import static dev.skipjack.store.jooq.Fixture.EXPIRED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Rescued;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.store.jooq.internal.history.PartitionHealing;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QueueTest
class RescueStatementTest {

  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  @Test
  void rescueFindsAJobWhoseLeaseHasJustEnded() {
    fixture.enqueue(1);
    fixture.claim(1);
    fixture.execute("UPDATE @jobs SET lease_expires_at = clock_timestamp()");

    assertThat(fixture.store.rescue(Duration.ZERO, 10)).hasSize(1);
  }

  @Test
  void rescueSkipsAJobWhoseLeaseEndsInLessThanASecond() {
    fixture.requireLeftBefore(
        () -> {
          fixture.enqueue(1);
          fixture.claim(1);
        },
        "lease_expires_at",
        () -> fixture.store.rescue(Duration.ZERO, 10).isEmpty());
  }

  @Test
  void rescueSkipsARowThatCannotBeRescued() {
    fixture.enqueue(3);
    fixture.claim(3, EXPIRED);
    fixture.execute(
        "CREATE FUNCTION @refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF OLD.payload ="
            + " '{\"number\": 1}' THEN RAISE 'not this one'; END IF; RETURN NEW; END $$");
    fixture.execute(
        "CREATE TRIGGER refuse BEFORE UPDATE ON @jobs FOR EACH ROW EXECUTE FUNCTION @refuse()");
    try {
      assertThat(fixture.store.rescue(Duration.ZERO, 10)).hasSize(2);
      assertThat(fixture.value("SELECT payload FROM @jobs WHERE status = 'running'"))
          .isEqualTo("{\"number\": 1}");
    } finally {
      fixture.execute("DROP FUNCTION @refuse() CASCADE");
    }
  }

  @Test
  void aMissingRightIsReportedWithoutTryingSmallerBatches() {
    fixture.enqueue(50);
    fixture.claim(50, EXPIRED);
    fixture.execute("CREATE SEQUENCE @refusals");
    fixture.execute(
        "CREATE FUNCTION @refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM nextval('"
            + fixture.inSchema("@refusals").replace("'", "''")
            + "'); RAISE insufficient_privilege; END $$");
    fixture.execute(
        "CREATE TRIGGER refuse BEFORE UPDATE ON @jobs FOR EACH STATEMENT EXECUTE FUNCTION"
            + " @refuse()");
    try {
      assertThatThrownBy(() -> fixture.store.rescue(Duration.ZERO, 50))
          .isInstanceOfSatisfying(
              StoreException.class, refused -> assertThat(refused.sqlState()).contains("42501"));
      assertThat(fixture.value("SELECT last_value FROM @refusals")).isEqualTo("1");
    } finally {
      fixture.execute("DROP FUNCTION @refuse() CASCADE");
      fixture.execute("DROP SEQUENCE @refusals");
    }
  }

  /** The test creates a unique index on pending jobs, so that rescued rows conflict. */
  @Test
  void onePercentOfCollisionsDoesNotStopTheOthers() {
    fixture.enqueue(1_000);
    fixture.claim(1_000, EXPIRED);
    fixture.execute(
        "CREATE UNIQUE INDEX rivals_idx ON @jobs ((payload ->> 'number')) WHERE status ="
            + " 'pending'");
    try {
      fixture.enqueue(10);

      assertThat(fixture.store.rescue(Duration.ZERO, 1_000)).hasSize(990);
      assertThat(
              fixture.value(
                  "SELECT count(*) || ' ' || max((payload ->> 'number')::int) FROM @jobs WHERE"
                      + " status = 'running'"))
          .isEqualTo("10 10");

      fixture.execute("DELETE FROM @jobs WHERE status = 'pending'");
      assertThat(fixture.store.rescue(Duration.ZERO, 1_000)).hasSize(10);
    } finally {
      fixture.execute("DROP INDEX @rivals_idx");
    }
  }

  /** The rows that cannot be rescued are the oldest, so each sweep finds them first. */
  @ParameterizedTest
  @ValueSource(ints = {10, 70})
  void rowsThatCannotBeRescuedDoNotBlockOthers(int stuck) {
    fixture.enqueue(stuck + 10);
    fixture.claim(stuck + 10, EXPIRED);
    fixture.execute(
        "CREATE UNIQUE INDEX rivals_idx ON @jobs ((payload ->> 'number')) WHERE status ="
            + " 'pending'");
    try {
      fixture.enqueue(stuck);

      int rescued = 0;
      for (int sweep = 0; sweep < 4; sweep++) {
        rescued += fixture.store.rescue(Duration.ZERO, 5).size();
      }

      assertThat(rescued).isEqualTo(10);
    } finally {
      fixture.execute("DROP INDEX @rivals_idx");
    }
  }

  /** The older of two attempts appears below the mark, so only a sweep without a mark finds it. */
  @Test
  void leaseThatExpiresBelowTheMarkIsFoundWithinAMinute() {
    AtomicLong clock = new AtomicLong();
    QueueDatabase database = fixture.database;
    RescueSweep sweep =
        new RescueSweep(
            new OwnTransactions(database.dataSource()),
            Lazy.of(() -> StatementDialect.forSchema(database.schema())),
            new PartitionHealing(Optional::empty),
            new RescueMark(Duration.ofNanos(-1)),
            clock::get);
    fixture.enqueue(2);
    Execution older = fixture.claimOne(Fixture.LEASE);
    fixture.claimOne(Fixture.LEASE);
    hide(older);
    for (int i = 0; i < 3; i++) {
      assertThat(sweep.run(Duration.ZERO, 10)).isEmpty();
    }
    show(older);

    assertThat(sweep.run(Duration.ZERO, 10)).isEmpty();
    clock.addAndGet(RescueMark.UNMARKED_EVERY.toNanos());
    assertThat(sweep.run(Duration.ZERO, 10)).hasSize(1);
  }

  @Test
  void leaseThatExpiresAboveTheMarkIsFoundAtOnce() {
    QueueDatabase database = fixture.database;
    RescueSweep sweep =
        new RescueSweep(
            new OwnTransactions(database.dataSource()),
            Lazy.of(() -> StatementDialect.forSchema(database.schema())),
            new PartitionHealing(Optional::empty),
            new RescueMark(Duration.ofNanos(-1)),
            () -> 0);
    fixture.enqueue(2);
    Execution first = fixture.claimOne(Fixture.LEASE);
    for (int i = 0; i < 3; i++) {
      assertThat(sweep.run(Duration.ZERO, 10)).isEmpty();
    }
    fixture.claimOne(EXPIRED);
    assertThat(sweep.run(Duration.ZERO, 10)).hasSize(1);
    fixture.store.heartbeat(List.of(first), EXPIRED);
    assertThat(sweep.run(Duration.ZERO, 10)).hasSize(1);
  }

  /** The process starts while an old snapshot makes every sweep without a mark time out. */
  @Test
  void processWithoutACompletedSweepRescuesItsOwnJobsAndTheOthersWithinAMinute()
      throws SQLException {
    AtomicLong clock = new AtomicLong();
    QueueDatabase database = fixture.database;
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(database.jdbcUrl());
      pool.setConnectionInitSql("SET statement_timeout = '1s'");
      RescueSweep sweep =
          new RescueSweep(
              new OwnTransactions(pool),
              Lazy.of(() -> StatementDialect.forSchema(database.schema())),
              new PartitionHealing(Optional::empty),
              new RescueMark(Duration.ofNanos(-1)),
              clock::get);
      fixture.enqueue(2);
      Execution older = fixture.claimOne(EXPIRED);
      List<ClaimedJob> own = fixture.claim(1, EXPIRED);
      sweep.claimed(own);
      try (Connection walk = database.connection();
          Statement lock = walk.createStatement()) {
        walk.setAutoCommit(false);
        lock.execute(fixture.inSchema("LOCK TABLE @jobs"));
        assertThatThrownBy(() -> sweep.run(Duration.ZERO, 1))
            .isInstanceOfSatisfying(
                StoreException.class, refused -> assertThat(refused.sqlState()).contains("57014"));
        walk.rollback();
      }

      assertThat(sweep.run(Duration.ZERO, 10))
          .extracting(Rescued::execution)
          .containsExactly(own.get(0).execution());
      clock.addAndGet(RescueMark.UNMARKED_EVERY.toNanos());
      assertThat(sweep.run(Duration.ZERO, 10))
          .extracting(Rescued::execution)
          .containsExactly(older);
    }
  }

  /** Hides the execution, as if the transaction that claimed it had not committed yet. */
  private void hide(Execution execution) {
    fixture.execute(
        "UPDATE @jobs SET status = 'pending', current_execution_id = NULL, lease_expires_at = NULL"
            + " WHERE id = "
            + execution.jobId());
  }

  private void show(Execution execution) {
    fixture.execute(
        "UPDATE @jobs SET status = 'running', current_execution_id = "
            + execution.id()
            + ", lease_expires_at = clock_timestamp() - interval '1 second' WHERE id = "
            + execution.jobId());
  }

  @Test
  void rescueReadsTheRunningIndex() throws SQLException {
    fixture.execute(
        "INSERT INTO @jobs (kind, payload) SELECT 'work', '{}' FROM generate_series(1, 50000)");
    fixture.execute("ANALYZE @jobs");
    try (var connection = fixture.database.connection()) {
      assertThat(
              Plan.of(
                  connection,
                  RescueStatement.of(StatementDialect.forSchema(fixture.database.schema())).text(),
                  "force_generic_plan",
                  List.of("0", "200", "1000000")))
          .contains("Index Scan using jobs_running_idx")
          .doesNotContain("Seq Scan");
    }
  }
}
