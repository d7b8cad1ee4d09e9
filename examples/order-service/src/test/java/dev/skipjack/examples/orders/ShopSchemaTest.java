package dev.skipjack.examples.orders;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

@QueueTest
class ShopSchemaTest {

  @Test
  void bothHistoriesExistSideBySideAndMigratingTwiceHasNoEffect(QueueDatabase database)
      throws SQLException {
    ShopSchema.migrate(database.dataSource());
    ShopSchema.migrate(database.dataSource());

    assertThat(
            column(
                database,
                "SELECT schemaname || '.' || tablename FROM pg_tables WHERE tablename LIKE '%_history' ORDER BY 1"))
        .containsExactly("shop.flyway_schema_history", "skipjack.skipjack_schema_history");
    assertThat(column(database, "SELECT script FROM shop.flyway_schema_history WHERE type = 'SQL'"))
        .containsExactly("V1__create_orders.sql");
  }

  /** Detects a version that a transitive dependency brought in. */
  @Test
  void theTestsRunOnTheJUnitVersionOfTheBuild() {
    assertThat(Test.class.getPackage().getImplementationVersion())
        .isEqualTo(System.getProperty("orders.junit"));
  }

  private static List<String> column(QueueDatabase database, String sql) throws SQLException {
    List<String> values = new ArrayList<>();
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      while (row.next()) {
        values.add(row.getString(1));
      }
    }
    return values;
  }
}
