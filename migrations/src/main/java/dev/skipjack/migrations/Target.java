package dev.skipjack.migrations;

import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.OptionalInt;
import javax.sql.DataSource;

/**
 * The state of a database and of one of its schemas before a migration.
 *
 * @param schema name of the schema, which may not exist yet
 * @param database name of the database
 * @param encoding the encoding of the database
 * @param hasHistory whether Flyway has a history of the schema. It has none if the migrations were
 *     run as plain SQL
 * @param version the result of {@code schema_version()}, or empty if there is no queue in the
 *     schema. Also empty if another role owns the function, because its code must not be run
 * @param creators the names of other roles that may create objects in the schema, with commas
 *     between them; empty if there are none
 */
record Target(
    String schema,
    String database,
    String encoding,
    boolean hasHistory,
    OptionalInt version,
    String creators) {

  private static final System.Logger LOG = System.getLogger(Migrations.class.getName());

  /**
   * The name of the history table. It differs from Flyway's default, so that an application can use
   * Flyway for its own tables in the same schema.
   */
  static final String HISTORY_TABLE = "skipjack_schema_history";

  /*
   * Set before the other queries: a function that another role created in the schema could hide one of the server's.
   */
  private static final String FIX_SEARCH_PATH = "SET LOCAL search_path = pg_catalog, pg_temp";

  private static final String LOOK =
      """
      SELECT current_database()::text,
             current_setting('server_encoding'),
             to_regclass(format('%I.%I', wanted.name, wanted.history)) IS NOT NULL,
             EXISTS (SELECT FROM pg_proc
                      WHERE oid = to_regprocedure(format('%I.schema_version()', wanted.name))
                        AND proowner = (SELECT oid FROM pg_roles WHERE rolname = current_user)),
             format('SELECT %I.schema_version()', wanted.name),
             (SELECT coalesce(string_agg(creator.name, ', ' ORDER BY creator.name), '')
                FROM pg_namespace
               CROSS JOIN LATERAL aclexplode(nspacl) AS acl
               CROSS JOIN LATERAL (SELECT CASE WHEN acl.grantee = 0 THEN 'PUBLIC'
                                               ELSE pg_get_userbyid(acl.grantee)::text END) AS creator (name)
               WHERE nspname = wanted.name::name AND acl.privilege_type = 'CREATE' AND acl.grantee <> nspowner
                 AND NOT EXISTS (SELECT FROM pg_roles WHERE oid = acl.grantee AND rolname = current_user))
        FROM (SELECT ?::text AS name, ?::text AS history) AS wanted
      """;

  private static final String FIND_VERSION =
      """
      SELECT format('SELECT %I.schema_version()', wanted.name)
        FROM (SELECT ?::text AS name) AS wanted
       WHERE to_regprocedure(format('%I.schema_version()', wanted.name)) IS NOT NULL
      """;

  static Target of(DataSource dataSource, String schema) {
    return read(dataSource, connection -> look(connection, schema));
  }

  /** Returns the result of {@code schema_version()}, or empty if the function does not exist. */
  static OptionalInt versionOf(DataSource dataSource, String schema) {
    return read(
        dataSource,
        connection -> {
          try (Statement statement = connection.createStatement();
              PreparedStatement find = connection.prepareStatement(FIND_VERSION)) {
            statement.execute(FIX_SEARCH_PATH);
            find.setString(1, schema);
            try (ResultSet row = find.executeQuery()) {
              return row.next() ? version(statement, row.getString(1)) : OptionalInt.empty();
            }
          }
        });
  }

  /** A query in a transaction that is rolled back. */
  @FunctionalInterface
  private interface Read<R> {
    R run(Connection connection) throws SQLException;
  }

  private static <R> R read(DataSource dataSource, Read<R> read) {
    try (Connection connection = connect(dataSource)) {
      boolean autoCommit = connection.getAutoCommit();
      connection.setAutoCommit(false);
      try {
        return read.run(connection);
      } finally {
        connection.rollback();
        connection.setAutoCommit(autoCommit);
      }
    } catch (SQLException failure) {
      throw new IllegalStateException(
          "The database could not be read: " + failure.getMessage() + advice(failure), failure);
    }
  }

  private static Connection connect(DataSource dataSource) throws SQLException {
    try {
      return dataSource.getConnection();
    } catch (RuntimeException failure) {
      // HikariCP throws one if there is no driver for its URL.
      if (failure.getCause() instanceof SQLException cause) {
        throw cause;
      }
      throw failure;
    }
  }

  private static String advice(SQLException failure) {
    if (String.valueOf(failure.getMessage()).startsWith("No suitable driver")) {
      return ". Add org.postgresql:postgresql to the class path.";
    }
    return String.valueOf(failure.getSQLState()).startsWith("28")
        ? ". Correct the user or the password of the data source."
        : "";
  }

  private static Target look(Connection connection, String schema) throws SQLException {
    try (Statement statement = connection.createStatement();
        PreparedStatement look = connection.prepareStatement(LOOK)) {
      statement.execute(FIX_SEARCH_PATH);
      look.setString(1, schema);
      look.setString(2, HISTORY_TABLE);
      try (ResultSet row = look.executeQuery()) {
        row.next();
        return new Target(
            schema,
            row.getString(1),
            row.getString(2),
            row.getBoolean(3),
            row.getBoolean(4) ? version(statement, row.getString(5)) : OptionalInt.empty(),
            row.getString(6));
      }
    }
  }

  private static OptionalInt version(Statement statement, String query) throws SQLException {
    try (ResultSet row = statement.executeQuery(query)) {
      row.next();
      return OptionalInt.of(row.getInt(1));
    }
  }

  /** Returns the version of a schema whose migrations were run as plain SQL; otherwise empty. */
  OptionalInt versionWithoutHistory() {
    return hasHistory ? OptionalInt.empty() : version;
  }

  /** Returns whether all migrations of this version of Skipjack ran in the schema. */
  boolean isUpToDate() {
    return version.orElse(0) >= Migrations.SCHEMA_VERSION;
  }

  void requireUtf8() {
    if (!encoding.equals("UTF8")) {
      throw new IllegalStateException(
          "Database '%s' has the encoding %s; the queue needs UTF8, so that every payload and every reason of a failed attempt can be stored. Create one with: CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0."
              .formatted(database, encoding));
    }
  }

  void warnOfCreators() {
    if (!creators.isEmpty()) {
      LOG.log(
          Level.WARNING,
          "Roles other than the owner may create objects in the queue's schema '%s': %s. They can stop the queue, and a later migration may run their functions. Revoke it: REVOKE CREATE ON SCHEMA ... FROM ..."
              .formatted(schema, creators));
    }
  }
}
