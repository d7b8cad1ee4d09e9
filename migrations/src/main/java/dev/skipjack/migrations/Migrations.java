package dev.skipjack.migrations;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/**
 * Brings the queue's schema up to date.
 *
 * <p>Safe to call from several processes at once: one migrates, the others wait and find nothing to
 * do. Stateless and safe for any number of threads.
 */
public final class Migrations {

  /** The schema that is used when nobody chooses one. */
  public static final String DEFAULT_SCHEMA = "skipjack";

  /**
   * The number of the newest migration of this version: what the schema's function {@code
   * schema_version()} answers after {@link #migrate}.
   */
  public static final int SCHEMA_VERSION = 7;

  /** Where the SQL lies on the class path. */
  static final String LOCATION = "classpath:db/skipjack";

  /** Not Flyway's default name, so that an application's own Flyway may share the schema. */
  static final String HISTORY_TABLE = "skipjack_schema_history";

  /**
   * PostgreSQL's limit (NAMEDATALEN - 1); a longer name would be cut silently and never found
   * again.
   */
  private static final int LONGEST_IDENTIFIER = 63;

  private Migrations() {}

  /**
   * Creates or upgrades the queue's tables in {@code schema}, which is created when it is missing.
   *
   * <p>The role behind {@code dataSource} must own the schema or be allowed to create it. Needs no
   * setting of the session: the schema is passed by name, and any name that PostgreSQL can hold is
   * allowed.
   *
   * @param dataSource connections to the database; two are used at once
   * @param schema name of the schema as it is stored, without quotes; 1 to 63 bytes in UTF-8
   * @return how many migrations ran; 0 when the schema was up to date
   * @throws IllegalArgumentException if {@code schema} is empty, too long or holds a NUL
   * @throws org.flywaydb.core.api.FlywayException if a migration failed or a released one was
   *     edited
   */
  public static int migrate(DataSource dataSource, String schema) {
    requireIdentifier(schema);
    return Flyway.configure(Migrations.class.getClassLoader())
        .dataSource(dataSource)
        .locations(LOCATION)
        .schemas(schema)
        .defaultSchema(schema)
        .createSchemas(true)
        .table(HISTORY_TABLE)
        .validateMigrationNaming(true)
        .placeholderReplacement(false)
        .cleanDisabled(true)
        .connectRetries(0)
        .configuration(
            // Flyway's default lock is an open transaction, and CREATE INDEX CONCURRENTLY would
            // wait for it for ever.
            Map.of("flyway.postgresql.transactional.lock", "false"))
        .load()
        .migrate()
        .migrationsExecuted;
  }

  /** As {@link #migrate(DataSource, String)} in {@link #DEFAULT_SCHEMA}. */
  public static int migrate(DataSource dataSource) {
    return migrate(dataSource, DEFAULT_SCHEMA);
  }

  static void requireIdentifier(String schema) {
    int bytes = schema.getBytes(StandardCharsets.UTF_8).length;
    if (bytes < 1 || bytes > LONGEST_IDENTIFIER || schema.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "Schema name '%s' has %d bytes; PostgreSQL allows 1 to %d and no NUL. Choose a shorter one."
              .formatted(schema.replace('\0', '\uFFFD'), bytes, LONGEST_IDENTIFIER));
    }
  }
}
