package dev.skipjack.migrations;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.configuration.FluentConfiguration;

/**
 * The migrations that Flyway runs. {@link Migrations} and {@link Target} can be loaded without
 * Flyway, so that an application can check its schema without having Flyway on its class path.
 */
final class FlywayMigrations {

  private FlywayMigrations() {}

  static int migrate(DataSource dataSource, Target target) {
    int executed = configured(dataSource, target).load().migrate().migrationsExecuted;
    Target.of(dataSource, target.schema()).warnOfCreators();
    return executed;
  }

  static List<PendingMigration> pending(DataSource dataSource, Target target) {
    int plain = target.versionWithoutHistory().orElse(0);
    List<PendingMigration> pending = new ArrayList<>();
    for (MigrationInfo migration : configured(dataSource, target).load().info().pending()) {
      int version = Integer.parseInt(migration.getVersion().getVersion());
      if (version > plain) {
        pending.add(
            new PendingMigration(version, migration.getScript(), sql(migration.getScript())));
      }
    }
    return pending;
  }

  private static String sql(String file) {
    try (InputStream script = MigrationFiles.open(file)) {
      return new String(script.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  private static FluentConfiguration configured(DataSource dataSource, Target target) {
    FluentConfiguration flyway =
        Flyway.configure(Migrations.class.getClassLoader())
            .dataSource(dataSource)
            .resourceProvider(new MigrationFiles())
            .javaMigrationClassProvider(List::of)
            .schemas(target.schema())
            .defaultSchema(target.schema())
            .createSchemas(true)
            .table(Target.HISTORY_TABLE)
            .placeholderReplacement(false)
            .cleanDisabled(true)
            .connectRetries(0)
            .configuration(
                // Flyway's default lock is an open transaction, and CREATE INDEX CONCURRENTLY would
                // wait for it forever.
                Map.of("flyway.postgresql.transactional.lock", "false"));
    OptionalInt plain = target.versionWithoutHistory();
    plain.ifPresent(
        version ->
            flyway
                .baselineOnMigrate(true)
                .baselineVersion(String.valueOf(version))
                .baselineDescription("run as plain SQL"));
    return flyway;
  }
}
