package dev.skipjack.examples.orders;

import dev.skipjack.migrations.Migrations;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/** The tables of the service and those of the queue, side by side. */
public final class ShopSchema {

  static final String NAME = "shop";

  private ShopSchema() {}

  /**
   * Migrates both schemas. The order does not matter, because their files and histories are
   * separate: the shop's are in {@code db/migration} and {@code shop.flyway_schema_history}, the
   * queue's in {@code db/skipjack} and {@code skipjack.skipjack_schema_history}.
   */
  public static void migrate(DataSource dataSource) {
    Flyway.configure().dataSource(dataSource).schemas(NAME).load().migrate();
    Migrations.migrate(dataSource);
  }
}
