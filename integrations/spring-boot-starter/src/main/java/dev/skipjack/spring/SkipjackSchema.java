package dev.skipjack.spring;

import dev.skipjack.migrations.Migrations;
import java.util.OptionalInt;
import javax.sql.DataSource;

/** Prepares the queue's tables at start. */
final class SkipjackSchema {

  private SkipjackSchema() {}

  /**
   * Runs or checks the migrations.
   *
   * @param required the version that the queue needs
   * @throws IllegalStateException if the tables are only checked, and are missing or too old
   */
  static void prepare(DataSource dataSource, String schema, Migrate migrate, int required) {
    switch (migrate) {
      case TRUE -> Migrations.migrate(dataSource, schema);
      case VALIDATE -> requireVersion(Migrations.version(dataSource, schema), schema, required);
      case OFF -> {}
    }
  }

  private static void requireVersion(OptionalInt version, String schema, int required) {
    if (version.orElse(0) < required) {
      throw new IllegalStateException(
          "Schema '%s' %s; this version of Skipjack needs version %d. Run the migrations, or set skipjack.migrate=true to run them when the application starts."
              .formatted(
                  schema,
                  version.isEmpty() ? "contains no queue" : "has version " + version.getAsInt(),
                  required));
    }
  }
}
