package dev.skipjack.model.codegen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.embedded.EmbeddedPostgres;
import dev.skipjack.migrations.Migrations;
import dev.skipjack.migrations.PendingMigration;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.flywaydb.core.api.FlywayException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Tests the schema itself on a separate server. Tests that change nothing share the schema {@code
 * common}, because a migration takes longer than most of them.
 */
class MigrationsTest {

  private static final int ALL = 9;

  private static final Path FOLDER = Path.of("../../migrations/src/main/resources/db/skipjack");

  private static EmbeddedPostgres server;
  private static PGSimpleDataSource dataSource;

  @BeforeAll
  static void start() {
    server =
        EmbeddedPostgres.builder()
            .purpose("migrations")
            .setting("fsync", "off")
            .fresh(true)
            .start();
    dataSource = new PGSimpleDataSource();
    dataSource.setUrl(server.jdbcUrl("postgres"));
    Migrations.migrate(dataSource, "common");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"skipjack", "Ünï-9", "\"quoted\"", "it's; DROP TABLE x --", "select"})
  void anySchemaNameWorksAndIsLeftAloneTheSecondTime(String schema) throws SQLException {
    assertThat(Migrations.migrate(dataSource, schema)).isEqualTo(ALL);
    assertThat(Migrations.migrate(dataSource, schema)).isZero();

    String quoted = "\"" + schema.replace("\"", "\"\"") + "\"";
    assertThat(query("SELECT " + quoted + ".create_partitions(interval '30 days') > 0"))
        .containsExactly("t");
    assertThat(query("SELECT " + quoted + ".enqueue('k', idempotency_key => 'a') > 0"))
        .containsExactly("t");
    assertThat(
            query(
                "INSERT INTO "
                    + quoted
                    + ".jobs (kind, payload) VALUES ('k', '{}') RETURNING status"))
        .containsExactly("pending");
  }

  /** Flyway gets a fixed list, so a new file must be added to it. */
  @Test
  void everyFileIsAMigration() throws Exception {
    try (Stream<Path> files = Files.list(FOLDER)) {
      assertThat(Migrations.pending(dataSource, "unused"))
          .extracting(PendingMigration::file)
          .containsExactlyElementsOf(
              files.map(file -> file.getFileName().toString()).sorted().toList());
    }
  }

  /** The last step of each migration updates the version that {@code schema_version()} returns. */
  @Test
  void theFunctionReturnsTheVersionOfTheSchema() throws Exception {
    assertThat(query("SELECT common.schema_version()"))
        .containsExactly(String.valueOf(Migrations.SCHEMA_VERSION));
    assertThat(
            query(
                "SELECT max(version::integer) FROM common.skipjack_schema_history WHERE version IS"
                    + " NOT NULL"))
        .containsExactly(String.valueOf(Migrations.SCHEMA_VERSION));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "\t",
        "nul\0",
        "a234567890123456789012345678901234567890123456789012345678901234"
      })
  void refusesNamesThatPostgresWouldTruncate(String schema) {
    assertThatThrownBy(() -> Migrations.migrate(dataSource, schema))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("PostgreSQL allows 1 to 63");
  }

  /**
   * An application that starts during a long report must not wait for a lock that the report holds,
   * because other transactions would then wait for the application.
   */
  @Test
  void aReaderDoesNotBlockAStartWithAMigratedSchema() throws SQLException {
    Migrations.migrate(dataSource, "read");
    PGSimpleDataSource impatient = new PGSimpleDataSource();
    impatient.setUrl(server.jdbcUrl("postgres"));
    impatient.setOptions("-c lock_timeout=1s");
    try (Connection reader = dataSource.getConnection();
        Statement statement = reader.createStatement()) {
      reader.setAutoCommit(false);
      statement.execute("SELECT count(*) FROM read.jobs, read.job_executions, read.jobs_archive");

      assertThat(Migrations.migrate(impatient, "read")).isZero();

      reader.rollback();
    }
  }

  /** Flyway would refuse the history; the faster check does not read it. */
  @Test
  void onlyAnOutdatedSchemaIsGivenToFlyway() throws SQLException {
    assertThat(Migrations.migrate(dataSource, "checked")).isEqualTo(ALL);
    query(
        "UPDATE checked.skipjack_schema_history SET checksum = 1 WHERE version IS NOT NULL"
            + " RETURNING 1");

    assertThat(Migrations.migrate(dataSource, "checked")).isZero();

    query(
        """
        CREATE OR REPLACE FUNCTION checked.schema_version() RETURNS integer LANGUAGE sql AS 'SELECT 7';
        SELECT 1;
        """);
    assertThatThrownBy(() -> Migrations.migrate(dataSource, "checked"))
        .isInstanceOf(FlywayException.class);
  }

  /** Logs show the message, and often not the cause. */
  @Test
  void theReasonWhyADatabaseCannotBeReadIsInTheMessage() {
    PGSimpleDataSource wrong = new PGSimpleDataSource();
    wrong.setUrl(server.jdbcUrl("no_such_database"));

    assertThatThrownBy(() -> Migrations.migrate(wrong, "skipjack"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("The database could not be read: ")
        .hasMessageContaining("database \"no_such_database\" does not exist");

    wrong.setUrl(server.jdbcUrl("postgres"));
    wrong.setUser("a_stranger");
    assertThatThrownBy(() -> Migrations.migrate(wrong, "skipjack"))
        .hasMessageContaining("a_stranger")
        .hasMessageEndingWith("Correct the user or the password of the data source.");
  }

  @Test
  void anUpToDateSchemaNeedsNoFlyway() throws Exception {
    try (URLClassLoader withoutFlyway = withoutFlyway()) {
      Class<?> migrations = withoutFlyway.loadClass(Migrations.class.getName());
      Method version = migrations.getMethod("version", DataSource.class, String.class);
      Method migrate = migrations.getMethod("migrate", DataSource.class, String.class);

      assertThat(version.invoke(null, dataSource, "common")).isEqualTo(OptionalInt.of(ALL));
      assertThat(migrate.invoke(null, dataSource, "common")).isEqualTo(0);
      assertThatThrownBy(() -> migrate.invoke(null, dataSource, "none_without_flyway"))
          .cause()
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining(
              "Schema 'none_without_flyway' is not up to date, and Flyway is not on the class path.");
    }
  }

  private static URLClassLoader withoutFlyway() throws MalformedURLException {
    List<URL> classPath = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      if (!entry.contains("flyway")) {
        classPath.add(Path.of(entry).toUri().toURL());
      }
    }
    return new URLClassLoader(classPath.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }

  @Test
  void severalProcessesThatStartMigrateOnce() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(6);
    try {
      List<Future<Integer>> starters = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        starters.add(threads.submit(() -> Migrations.migrate(dataSource, "together")));
      }
      int migrations = 0;
      for (Future<Integer> starter : starters) {
        migrations += starter.get(60, TimeUnit.SECONDS);
      }
      assertThat(migrations).isEqualTo(ALL);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void everyTableColumnIndexDomainAndFunctionIsDocumented() throws SQLException {
    assertThat(
            query(
                """
                SELECT c.relname || coalesce('.' || a.attname, '')
                  FROM pg_class c
                  LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p')
                 WHERE c.relnamespace = 'common'::regnamespace AND c.relkind IN ('r', 'p')
                   AND c.relname <> 'skipjack_schema_history' AND NOT c.relispartition
                   AND (col_description(c.oid, a.attnum) IS NULL OR obj_description(c.oid, 'pg_class') IS NULL)
                UNION ALL
                SELECT indexrelid::regclass::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
                 WHERE c.relnamespace = 'common'::regnamespace AND NOT c.relispartition AND c.relname NOT LIKE '%pkey'
                   AND c.relname NOT LIKE 'skipjack_schema_history%' AND obj_description(c.oid, 'pg_class') IS NULL
                UNION ALL
                SELECT typname FROM pg_type WHERE typnamespace = 'common'::regnamespace AND typtype = 'd' AND obj_description(oid, 'pg_type') IS NULL
                UNION ALL
                SELECT proname FROM pg_proc WHERE pronamespace = 'common'::regnamespace AND obj_description(oid, 'pg_proc') IS NULL
                """))
        .isEmpty();
  }

  @Test
  void partitionsAreBoundedInUtcWhateverTheSessionsZone() throws SQLException {
    Migrations.migrate(dataSource, "zones");

    assertThat(
            query(
                """
                SET TIME ZONE 'Pacific/Kiritimati';
                SELECT zones.create_partition('job_executions', '2020-01-05 23:59:59+00')
                    || ' ' || zones.create_partition('jobs_archive', '2020-01-05 23:59:59+00');
                """))
        .containsExactly("true true");
    assertThat(
            query(
                "SET TIME ZONE 'America/Los_Angeles'; SELECT"
                    + " zones.create_partition('job_executions', '2020-01-01 00:00+00')"))
        .containsExactly("f");
    assertThat(
            query(
                """
                SET TIME ZONE 'UTC';
                SELECT relname || ' ' || pg_get_expr(relpartbound, oid) FROM pg_class
                 WHERE relnamespace = 'zones'::regnamespace AND relkind = 'r'
                   AND (relname LIKE '%\\_2019%' OR relname LIKE '%\\_2020%') ORDER BY 1
                """))
        .containsExactly(
            "job_executions_20191230 FOR VALUES FROM ('2019-12-30 00:00:00+00') TO ('2020-01-06"
                + " 00:00:00+00')",
            "jobs_archive_20200105 FOR VALUES FROM ('2020-01-05 00:00:00+00') TO ('2020-01-06"
                + " 00:00:00+00')");
  }

  @Test
  void noTableHasADefaultPartition() throws SQLException {
    assertThat(query("SELECT count(*) FROM pg_partitioned_table WHERE partdefid <> 0"))
        .containsExactly("0");
  }

  @Test
  void partitionsOfOtherTablesAreRefusedByName() {
    assertThatThrownBy(() -> query("SELECT common.create_partition('jobs', now())"))
        .hasMessageContaining("\"jobs\" is not a partitioned table of the queue");
  }

  /**
   * The caller's search_path must not affect a function that creates tables with its owner's
   * rights.
   */
  @Test
  void callersSearchPathDoesNotMatter() throws SQLException {
    Migrations.migrate(dataSource, "victim");

    assertThat(
            query(
                """
                CREATE SCHEMA attacker;
                CREATE TABLE attacker.job_executions (x integer);
                SET search_path = attacker, public;
                SELECT victim.create_partition('job_executions', '2017-01-01 00:00+00');
                """))
        .containsExactly("t");
    assertThat(
            query(
                "SELECT to_regclass('attacker.job_executions_20161226') IS NULL AND"
                    + " to_regclass('victim.job_executions_20161226') IS NOT NULL"))
        .containsExactly("t");
  }

  @Test
  void everyFunctionFixesTheSettingsThatItDependsOn() throws SQLException {
    assertThat(
            query(
                """
                SELECT proname || ' ' || setting
                  FROM pg_proc
                 CROSS JOIN unnest(ARRAY['search_path=pg_catalog, pg_temp', 'standard_conforming_strings=on']) AS setting
                 WHERE pronamespace = 'common'::regnamespace AND proname <> 'schema_version'
                   AND NOT setting = ANY (coalesce(proconfig, '{}'))
                """))
        .isEmpty();
    assertThat(
            query(
                "SELECT proname FROM pg_proc WHERE pronamespace = 'common'::regnamespace AND"
                    + " strpos(prosrc, chr(92)) > 0"))
        .as("A backslash means something else with standard_conforming_strings = off")
        .isEmpty();
  }

  /**
   * In a schema in which other roles may create functions, theirs may match an argument's type
   * better than ours.
   */
  @Test
  void functionsOfOthersInTheQueuesOwnSchemaAreNotCalled() throws SQLException {
    Migrations.migrate(dataSource, "shared");
    query(
        """
        CREATE FUNCTION shared.nextval(text) RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RAISE 'hijacked'; END $$;
        CREATE FUNCTION shared.encode(bytea, varchar) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'hijacked'; END $$;
        CREATE FUNCTION shared.to_char(timestamp, varchar) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'hijacked'; END $$;
        CREATE FUNCTION shared.compared(numeric, integer) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'hijacked'; END $$;
        CREATE FUNCTION shared.compared(text, varchar) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'hijacked'; END $$;
        CREATE OPERATOR shared.> (LEFTARG = numeric, RIGHTARG = integer, FUNCTION = shared.compared);
        CREATE OPERATOR shared.= (LEFTARG = text, RIGHTARG = varchar, FUNCTION = shared.compared);
        SELECT 1;
        """);

    assertThat(
            query(
                """
                SELECT shared.create_partitions(interval '30 days') > 0
                   AND shared.enqueue('k', '[1e100]', unique_key => 'a') > 0
                   AND shared.enqueue('k', idempotency_key => 'a', tags => '{a}') > 0
                """))
        .containsExactly("t");
  }

  @Test
  void partitionsOfAnUnlimitedTimeAreRefused() throws SQLException {
    assertThat(query("SELECT common.create_partitions(NULL) IS NULL")).containsExactly("t");
    for (String ahead : List.of("infinity", "91 days", "-1 second", "400 days")) {
      // PostgreSQL 17 and later have infinite intervals; earlier versions refuse the text.
      assertThatThrownBy(() -> query("SELECT common.create_partitions('" + ahead + "')"))
          .hasMessageMatching("(?s).*(is not in 0\\.\\.90 days|invalid input syntax).*");
    }
    for (String instant : List.of("'infinity'", "'-infinity'", "NULL")) {
      assertThatThrownBy(
              () -> query("SELECT common.create_partition('jobs_archive', " + instant + ")"))
          .hasMessageContaining("use a finite instant");
    }
  }

  /**
   * Without limits, a role that may create partitions could fill the catalog with them, or take the
   * name of another year's partition: 0044-03-15 BC would have the same name as 0044-03-15.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "now() + interval '367 days'",
        "now() + interval '100 years'",
        "'12026-03-15 12:00:00+00'",
        "now() - interval '50 years 1 day'",
        "'0044-03-15 12:00:00+00 BC'"
      })
  void partitionsOfADistantTimeAreRefused(String instant) throws SQLException {
    for (String parent : List.of("job_executions", "jobs_archive")) {
      assertThatThrownBy(
              () -> query("SELECT common.create_partition('%s', %s)".formatted(parent, instant)))
          .hasMessageContaining(
              "is not between 50 years ago and 366 days ahead; use an instant between");
    }
  }

  @Test
  void partitionsOfTheLastFiftyYearsAndTheNextYearCanBeCreated() throws SQLException {
    Migrations.migrate(dataSource, "near");

    assertThat(
            query(
                """
                SELECT bool_and(near.create_partition(parent, now() + distance))
                  FROM unnest(ARRAY['job_executions', 'jobs_archive']) AS parent
                 CROSS JOIN unnest(ARRAY[interval '365 days', interval '-50 years 1 day']) AS distance
                """))
        .containsExactly("t");
  }

  /** When clocks are set back, a day in the session's time zone is longer than a day in UTC. */
  @Test
  void noDayIsLeftOutWhereTheSessionsZoneEndsItsSummerTime() throws SQLException {
    Migrations.migrate(dataSource, "summer");
    // A zone whose clocks go back by a whole day, after the existing partitions, so that the test
    // works at any time of day.
    String zone =
        query(
                "SELECT format('XXX0YYY-24,%s,%s', to_char(now() - interval '90 days', 'DDD')::int"
                    + " - 1, to_char(now() + interval '25 days', 'DDD')::int - 1)")
            .get(0);

    query("SET TIME ZONE '" + zone + "'; SELECT summer.create_partitions(interval '40 days')");

    assertThat(
            query(
                """
                SELECT day
                  FROM generate_series(date_trunc('day', now() AT TIME ZONE 'UTC'), now() AT TIME ZONE 'UTC' + interval '40 days', interval '1 day') AS day
                 WHERE to_regclass('summer.jobs_archive_' || to_char(day, 'YYYYMMDD')) IS NULL
                """))
        .isEmpty();
  }

  @Test
  void aSchemaThatPlainSqlCreatedIsAdopted() throws Exception {
    query("CREATE SCHEMA \"by hand\"; SELECT 1");
    String path = "SET search_path = \"by hand\"; ";
    for (String file : files()) {
      query(path + file + "; SELECT 1");
    }
    query("SELECT \"by hand\".enqueue('k')");

    assertThat(Migrations.migrate(dataSource, "by hand")).isZero();
    assertThat(Migrations.migrate(dataSource, "by hand")).isZero();
    assertThat(
            query(
                "SELECT version || ' ' || type FROM \"by hand\".skipjack_schema_history WHERE"
                    + " version IS NOT NULL"))
        .containsExactly(Migrations.SCHEMA_VERSION + " BASELINE");
    assertThat(query("SELECT count(*) FROM \"by hand\".jobs")).containsExactly("1");
  }

  /**
   * If the migration called the function, the function would run with the rights of the migrating
   * role.
   */
  @Test
  void aVersionFunctionOfAnotherRoleIsNotCalled() throws SQLException {
    query(
        """
        CREATE SCHEMA planted;
        CREATE ROLE planter;
        GRANT CREATE, USAGE ON SCHEMA planted TO planter;
        SET ROLE planter;
        CREATE FUNCTION planted.schema_version() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN RAISE 'hijacked'; END $$;
        SELECT 1;
        """);

    assertThatThrownBy(() -> Migrations.migrate(dataSource, "planted"))
        .isInstanceOf(FlywayException.class)
        .hasMessageContaining("no schema history table")
        .hasMessageNotContaining("hijacked");
  }

  @ParameterizedTest
  @ValueSource(strings = {"LATIN1", "SQL_ASCII"})
  void aDatabaseThatIsNotUtf8IsRefused(String encoding) throws SQLException {
    String database = "not_utf8_" + encoding.toLowerCase(Locale.ROOT);
    query(
        "CREATE DATABASE "
            + database
            + " ENCODING '"
            + encoding
            + "' LOCALE 'C' TEMPLATE template0");
    PGSimpleDataSource other = new PGSimpleDataSource();
    other.setUrl(server.jdbcUrl(database));

    assertThatThrownBy(() -> Migrations.migrate(other, "queue"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("Database '" + database + "' has the encoding " + encoding)
        .hasMessageContaining("ENCODING 'UTF8'");
    try (Connection connection = other.getConnection();
        Statement statement = connection.createStatement()) {
      assertThatThrownBy(() -> statement.execute(files().get(0)))
          .hasMessageContaining("the queue needs UTF8");
    }
  }

  @Test
  void migrateWarnsOfRolesThatMayCreateInTheSchema() throws SQLException {
    query(
        "CREATE SCHEMA lonely; CREATE SCHEMA crowded; CREATE ROLE \"a colleague\"; GRANT CREATE ON"
            + " SCHEMA crowded TO \"a colleague\", PUBLIC; SELECT 1");
    List<String> warnings = new CopyOnWriteArrayList<>();
    Logger logger = Logger.getLogger(Migrations.class.getName());
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord warning) {
            warnings.add(warning.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    logger.addHandler(handler);
    try {
      Migrations.migrate(dataSource, "lonely");
      assertThat(warnings).isEmpty();
      Migrations.migrate(dataSource, "crowded");
      Migrations.migrate(dataSource, "crowded");
    } finally {
      logger.removeHandler(handler);
    }

    assertThat(warnings)
        .hasSize(2)
        .allSatisfy(
            warning -> assertThat(warning).contains("schema 'crowded': PUBLIC, a colleague"));
  }

  private static List<String> files() throws IOException {
    List<String> files = new ArrayList<>();
    try (Stream<Path> paths = Files.list(FOLDER)) {
      for (Path path : paths.sorted().toList()) {
        files.add(Files.readString(path));
      }
    }
    return files;
  }

  private static List<String> query(String sql) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      boolean rows = statement.execute(sql);
      while (!rows) {
        rows = statement.getMoreResults();
        if (!rows && statement.getUpdateCount() < 0) {
          return List.of();
        }
      }
      List<String> values = new ArrayList<>();
      try (ResultSet result = statement.getResultSet()) {
        while (result.next()) {
          values.add(result.getString(1));
        }
      }
      return values;
    }
  }
}
