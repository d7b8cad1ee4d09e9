package dev.skipjack.demo;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.jooq.DSLContext;

/** Reads all data of all runs in the database and checks that it is correct. */
final class Verification {

  private Verification() {}

  /**
   * Runs all checks on one snapshot of the database.
   *
   * @throws SQLException if the database cannot be read
   */
  static List<Check> run(DataSource dataSource) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      List<Check> checks = on(connection);
      connection.rollback();
      return checks;
    }
  }

  /** Runs all checks in the current transaction of {@code connection}. */
  static List<Check> on(Connection connection) {
    DSLContext db = DemoSchema.on(connection);
    List<DeliveryRule> rules = DeliveryRule.all();
    DeliveryFacts.forEach(db, facts -> rules.forEach(rule -> rule.look(facts)));
    List<Check> checks = new ArrayList<>();
    rules.forEach(rule -> checks.add(rule.verdict()));
    checks.addAll(new OrphanChecks(db).run());
    return List.copyOf(checks);
  }
}
