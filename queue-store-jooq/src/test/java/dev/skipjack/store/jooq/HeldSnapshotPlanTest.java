package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.sql.StatementText;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jooq.DSLContext;
import org.junit.jupiter.api.Test;

/**
 * Tests claims and rescues while an open transaction prevents vacuum from removing the index
 * entries of ended jobs. These entries are at the beginning of the index, where a claim without a
 * low-water mark begins.
 */
@QueueTest
class HeldSnapshotPlanTest {

  private static final int CHURNED = 40_000;

  @Test
  void claimWithALowWaterMarkSkipsTheDeadEntries(QueueDatabase database) throws SQLException {
    Fixture fixture = new Fixture(database);
    try (Connection holder = database.connection();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      statement.execute("SELECT pg_current_xact_id()");

      fixture.enqueue(CHURNED);
      for (List<ClaimedJob> batch = fixture.claim(500);
          !batch.isEmpty();
          batch = fixture.claim(500)) {
        fixture.store.complete(batch.stream().map(ClaimedJob::execution).toList());
      }
      String mark = fixture.value("SELECT clock_timestamp()");
      fixture.enqueue(10);

      long without = pagesOfAClaim(database, "-infinity");
      long with = pagesOfAClaim(database, mark);
      // Both claims read the ten jobs. Only the claim without a mark also reads the dead entries
      // before them.
      assertThat(with).isLessThan(without / 4);
      // A listing of the lanes reads the dead entries too, so a worker that has marks rarely lists.
      assertThat(with).isLessThan(pagesOfAListing(database) / 4);
      holder.rollback();
    }
  }

  @Test
  void rescueWithAMarkSkipsTheDeadEntries(QueueDatabase database) throws SQLException {
    Fixture fixture = new Fixture(database);
    DSLContext dialect = StatementDialect.forSchema(database.schema());
    try (Connection holder = database.connection();
        Connection connection = database.connection();
        Statement statement = holder.createStatement()) {
      holder.setAutoCommit(false);
      holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      statement.execute("SELECT pg_current_xact_id()");

      fixture.enqueue(CHURNED / 4);
      for (List<ClaimedJob> batch = fixture.claim(500);
          !batch.isEmpty();
          batch = fixture.claim(500)) {
        fixture.store.complete(batch.stream().map(ClaimedJob::execution).toList());
      }
      fixture.enqueue(1);
      long oldest = fixture.claimOne(Fixture.LEASE).id().value();

      for (List<String> arguments :
          // a rescue, and the query for its mark
          List.of(List.of("200", "1000000"), List.<String>of())) {
        StatementText sql =
            arguments.isEmpty()
                ? RescueStatement.oldestRunning(dialect).text()
                : RescueStatement.of(dialect).text();
        long without = pages(connection, sql, 0, arguments);
        long with = pages(connection, sql, oldest - 1, arguments);
        assertThat(with).isLessThan(without / 4);
      }
      holder.rollback();
    }
  }

  private static long pages(
      Connection connection, StatementText statement, long after, List<String> others)
      throws SQLException {
    List<String> literals = new ArrayList<>(List.of(String.valueOf(after)));
    literals.addAll(others);
    return Plan.ran(connection, statement, "force_generic_plan", literals).pages();
  }

  private static long pagesOfAListing(QueueDatabase database) throws SQLException {
    try (Connection connection = database.connection()) {
      StatementText listing =
          DueLanesStatement.of(StatementDialect.forSchema(database.schema())).text();
      return Plan.ran(
              connection, listing, "force_generic_plan", List.of("'{default}'", "'{default}'"))
          .pages();
    }
  }

  private static long pagesOfAClaim(QueueDatabase database, String mark) throws SQLException {
    try (Connection connection = database.connection()) {
      return Plan.ran(
              connection,
              ClaimStatement.of(StatementDialect.forSchema(database.schema())).text(),
              "force_generic_plan",
              List.of(
                  "'w'",
                  "30000000",
                  "'{default}'",
                  "'{0}'",
                  "'{\"" + mark + "\"}'",
                  "'{10}'",
                  "'{work}'",
                  "10"))
          .pages();
    }
  }
}
