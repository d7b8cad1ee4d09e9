package dev.skipjack.skiplocked;

import static dev.skipjack.skiplocked.Fixture.FREE_SEATS;
import static dev.skipjack.skiplocked.Fixture.HELD_SEATS;
import static dev.skipjack.skiplocked.Fixture.LEASE;
import static dev.skipjack.skiplocked.Fixture.places;
import static dev.skipjack.skiplocked.Seat.SEAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.skiplocked.Seat.SeatRecord;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Tests claims on a pool with auto-commit off, which rolls back the work on a connection when the
 * connection is returned.
 */
@QueueTest
class PoolTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void claimsAndWritesWithoutATransactionAreRefused(int size, QueueDatabase database) {
    Fixture fixture = new Fixture(database);
    fixture.seats("A", 4);
    try (HikariDataSource pool = pool(database, size)) {
      DSLContext db = DSL.using(pool, SQLDialect.POSTGRES);
      RowLease<SeatRecord> lease = HELD_SEATS.claim(fixture.db);

      List<ThrowingCallable> calls =
          List.of(
              () -> FREE_SEATS.limit(2).claim(db),
              () -> FREE_SEATS.claimExactly(db, 2),
              () -> HELD_SEATS.claimUpTo(db, 2),
              () -> HELD_SEATS.claimExactly(db, 2),
              () -> lease.extend(db, LEASE),
              () -> lease.release(db),
              () -> lease.complete(db, update -> update.set(SEAT.STATUS, "sold")));
      assertThat(calls)
          .allSatisfy(
              call ->
                  assertThatIllegalStateException()
                      .isThrownBy(call)
                      .withMessageContaining("auto-commit off, and no transaction is open"));
      assertThat(fixture.value("SELECT count(*) FROM seat WHERE held_by IS NOT NULL"))
          .isEqualTo("1");
    }
  }

  @Test
  void aShortageWithoutATransactionIsRefused(QueueDatabase database) {
    new Fixture(database).seats("A", 0);
    try (HikariDataSource pool = pool(database, 1)) {
      DSLContext db = DSL.using(pool, SQLDialect.POSTGRES);

      assertThatIllegalStateException()
          .isThrownBy(() -> FREE_SEATS.claimExactly(db, 2))
          .withMessageContaining("auto-commit off, and no transaction is open");
      assertThatIllegalStateException()
          .isThrownBy(() -> HELD_SEATS.claimExactly(db, 2))
          .withMessageContaining("auto-commit off, and no transaction is open");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void claimsAndWritesWorkInATransaction(int size, QueueDatabase database) {
    Fixture fixture = new Fixture(database);
    fixture.seats("A", 4);
    try (HikariDataSource pool = pool(database, size)) {
      DSL.using(pool, SQLDialect.POSTGRES)
          .transaction(
              tx -> {
                assertThat(places(FREE_SEATS.limit(2).claim(tx.dsl()))).containsExactly("A1", "A2");
                RowLease<SeatRecord> lease = HELD_SEATS.claimUpTo(tx.dsl(), 4);
                lease.narrowTo(lease.rows().subList(0, 1)).release(tx.dsl());
                lease
                    .narrowTo(lease.rows().subList(1, 4))
                    .extend(tx.dsl(), LEASE)
                    .complete(tx.dsl(), update -> update.set(SEAT.STATUS, "sold"));
              });
    }
    assertThat(fixture.value("SELECT count(*) FROM seat WHERE status = 'sold'")).isEqualTo("3");
  }

  /** As in Spring, the data source returns the connection of the open transaction. */
  @Test
  void extendingALostLeaseInATransactionsDataSourceIsNoError(QueueDatabase database)
      throws SQLException {
    Fixture fixture = new Fixture(database);
    fixture.seats("A", 1);
    RowLease<SeatRecord> lost = HELD_SEATS.claim(fixture.db);
    fixture.expireLeases();
    HELD_SEATS.claim(fixture.db);
    fixture.seats("B", 1);
    try (HikariDataSource pool = pool(database, 1);
        Connection connection = pool.getConnection()) {
      DSLContext db = DSL.using(new TransactionsDataSource(connection), SQLDialect.POSTGRES);

      assertThat(lost.extend(db, LEASE).rows()).isEmpty();
      assertThat(lost.release(db)).isZero();
      RowLease<SeatRecord> lease = HELD_SEATS.claim(db);
      assertThat(lease.extend(db, LEASE).rows()).hasSize(1);
      lease.complete(db, update -> update.set(SEAT.STATUS, "sold"));
      connection.commit();
    }
    assertThat(fixture.value("SELECT count(*) FROM seat WHERE status = 'sold'")).isEqualTo("1");
  }

  /** Always returns the same connection, whose {@code close} has no effect. */
  private static final class TransactionsDataSource extends PGSimpleDataSource {

    private static final long serialVersionUID = 1L;

    private final transient Connection connection;

    TransactionsDataSource(Connection connection) {
      this.connection = connection;
    }

    @Override
    public Connection getConnection() {
      return (Connection)
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {Connection.class},
              (proxy, method, arguments) ->
                  method.getName().equals("close") ? null : method.invoke(connection, arguments));
    }
  }

  private static HikariDataSource pool(QueueDatabase database, int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.jdbcUrl());
    config.setMaximumPoolSize(size);
    config.setAutoCommit(false);
    return new HikariDataSource(config);
  }
}
