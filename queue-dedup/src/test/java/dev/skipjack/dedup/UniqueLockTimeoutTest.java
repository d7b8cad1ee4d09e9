package dev.skipjack.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the lock timeout of each kind of enqueue, which a trigger reads during the insert. */
@QueueTest
class UniqueLockTimeoutTest {

  private Fixture fixture;

  @BeforeEach
  void watch(QueueDatabase database) {
    fixture = new Fixture(database);
    fixture.execute(
        """
        CREATE TABLE @seen (n bigint GENERATED ALWAYS AS IDENTITY, lock_timeout text);
        CREATE FUNCTION @see() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN INSERT INTO @seen (lock_timeout) VALUES (current_setting(''lock_timeout'')); RETURN NULL; END';
        CREATE TRIGGER see AFTER INSERT ON @jobs FOR EACH STATEMENT EXECUTE FUNCTION @see()
        """);
  }

  @AfterEach
  void unwatch() {
    fixture.execute("DROP FUNCTION @see() CASCADE; DROP TABLE @seen");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 0 30s 30s 30s 30s 30s",
    "5s, 5s 5s 5s 5s 5s 5s 5s",
    "1min, 1min 1min 1min 1min 1min 1min 1min"
  })
  void ownEnqueuesWithAKeyWaitForThirtySecondsUnlessTheRoleHasALimit(
      String ofTheRole, String expected) {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(fixture.database.jdbcUrl());
      pool.setMaximumPoolSize(1);
      pool.setConnectionInitSql("SET lock_timeout = '" + ofTheRole + "'");
      JobQueue queue = JobQueue.builder(pool).schema(fixture.database.schema()).build();
      UniqueJobs unique = UniqueJobs.on(queue);

      queue.enqueue(Fixture.SYNC, Fixture.sync("plain"));
      queue.enqueueAll(Fixture.SYNC, List.of(Fixture.sync("plain"), Fixture.sync("plain")));
      queue.enqueueOnce(Fixture.SYNC, Fixture.sync("once"), job -> job.idempotencyKey("once"));
      queue.enqueue(
          Fixture.SYNC, Fixture.sync("strict"), job -> job.orderingKey("k").strictOrdering());
      unique.enqueue(Fixture.SYNC, Fixture.sync("a"), Fixture.BY_ACCOUNT);
      unique.enqueueAll(
          Fixture.SYNC, List.of(Fixture.sync("b"), Fixture.sync("c")), Fixture.BY_ACCOUNT);
      unique.enqueue(Fixture.SYNC, Fixture.sync("d"), Fixture.BY_ACCOUNT.replace());
    }
    assertThat(seen()).isEqualTo(expected);
  }

  @Test
  void aCallersTransactionKeepsItsOwnLockTimeout() throws SQLException {
    try (Connection caller = fixture.database.connection()) {
      caller.setAutoCommit(false);
      fixture.unique.in(caller).enqueue(Fixture.SYNC, Fixture.sync("a"), Fixture.BY_ACCOUNT);
      caller.commit();
    }
    assertThat(seen()).isEqualTo("0");
  }

  private String seen() {
    return fixture.value("SELECT string_agg(lock_timeout, ' ' ORDER BY n) FROM @seen");
  }
}
