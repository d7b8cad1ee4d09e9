package dev.skipjack.migrations;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalInt;
import javax.sql.DataSource;

/**
 * Creates and upgrades the queue's schema.
 *
 * <p>Safe to call from several processes at once: one migrates, the others wait and find nothing to
 * do. Stateless and safe for any number of threads.
 */
public final class Migrations {

  /** The default schema. */
  public static final String DEFAULT_SCHEMA = "skipjack";

  /**
   * The number of the newest migration of this version: the value that the schema's function {@code
   * schema_version()} returns after {@link #migrate}.
   */
  public static final int SCHEMA_VERSION = 9;

  /** PostgreSQL's limit (NAMEDATALEN - 1). PostgreSQL would silently truncate a longer name. */
  private static final int LONGEST_IDENTIFIER = 63;

  private Migrations() {}

  /**
   * Creates or upgrades the queue's tables in {@code schema}, which is created if it does not
   * exist.
   *
   * <p>The role behind {@code dataSource} must own the schema or be allowed to create it. No
   * setting of the session is needed, because the schema is passed by name.
   *
   * <p>If the same role ran all migrations of a schema as plain SQL, for example with psql, this
   * method takes the schema over: it creates the history from {@code schema_version()} and runs
   * later migrations.
   *
   * <p>If the schema is up to date, this method runs one query, logs nothing and does not load
   * Flyway, which would delay the start of the application. In this case, it does not detect that a
   * released migration was edited.
   *
   * <p>Logs a warning if other roles may create objects in the schema.
   *
   * @param dataSource connections to the database; two are used at the same time if the schema is
   *     not up to date
   * @param schema name of the schema as it is stored, without quotes; 1 to 63 bytes in UTF-8
   * @return the number of migrations that ran; 0 if the schema was up to date
   * @throws IllegalArgumentException if {@code schema} is blank, too long or contains a NUL
   * @throws IllegalStateException if the database could not be read, if its encoding is not UTF8,
   *     or if the schema is not up to date and Flyway is not on the class path
   * @throws org.flywaydb.core.api.FlywayException if a migration failed or a released migration was
   *     edited
   */
  public static int migrate(DataSource dataSource, String schema) {
    requireIdentifier(schema);
    Target target = Target.of(dataSource, schema);
    if (target.isUpToDate() && target.hasHistory()) {
      target.warnOfCreators();
      return 0;
    }
    return migrate(dataSource, target);
  }

  private static int migrate(DataSource dataSource, Target target) {
    target.requireUtf8();
    try {
      return FlywayMigrations.migrate(dataSource, target);
    } catch (NoClassDefFoundError missing) {
      if (target.isUpToDate()) {
        target.warnOfCreators();
        return 0;
      }
      throw new IllegalStateException(
          "Schema '%s' is not up to date, and Flyway is not on the class path. Add org.flywaydb:flyway-database-postgresql, or run the migrations as plain SQL."
              .formatted(target.schema()),
          missing);
    }
  }

  /**
   * {@return the migrations that {@link #migrate(DataSource, String)} would run, in the order in
   * which it would run them} Changes nothing in the database.
   *
   * @param dataSource connections to the database, of a role that owns the schema or may read its
   *     history
   * @param schema name of the schema, which need not exist
   * @throws IllegalArgumentException if {@code schema} is blank, too long or contains a NUL
   * @throws IllegalStateException if the database could not be read
   * @throws org.flywaydb.core.api.FlywayException if the history could not be read
   */
  public static List<PendingMigration> pending(DataSource dataSource, String schema) {
    requireIdentifier(schema);
    return FlywayMigrations.pending(dataSource, Target.of(dataSource, schema));
  }

  /**
   * Returns the version of a schema: the number of the newest migration that ran in it. Runs the
   * schema's function {@code schema_version()}, which every role of {@link Roles} may call. Needs
   * no Flyway on the class path.
   *
   * @param dataSource connections to the database
   * @param schema name of the schema, which need not exist
   * @return the version, or empty if there is no queue in the schema
   * @throws IllegalArgumentException if {@code schema} is blank, too long or contains a NUL
   * @throws IllegalStateException if the database could not be read
   */
  public static OptionalInt version(DataSource dataSource, String schema) {
    requireIdentifier(schema);
    return Target.versionOf(dataSource, schema);
  }

  /**
   * Calls {@link #migrate(DataSource, String)} with {@link #DEFAULT_SCHEMA}.
   *
   * @param dataSource connections to the database
   * @return the number of migrations that ran; 0 if the schema was up to date
   */
  public static int migrate(DataSource dataSource) {
    return migrate(dataSource, DEFAULT_SCHEMA);
  }

  static void requireIdentifier(String schema) {
    int bytes = schema.getBytes(StandardCharsets.UTF_8).length;
    if (schema.isBlank() || bytes > LONGEST_IDENTIFIER || schema.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "Schema name '%s' has %d bytes; PostgreSQL allows 1 to %d and no NUL, and it may not be blank. Choose another name."
              .formatted(schema.replace('\0', '\uFFFD'), bytes, LONGEST_IDENTIFIER));
    }
  }
}
