package dev.skipjack.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobType;
import dev.skipjack.faults.ForkedJvm;
import dev.skipjack.migrations.Migrations;
import dev.skipjack.model.Skipjack;
import dev.skipjack.operations.read.JooqJobReader;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a rolling upgrade: processes of the last release and of this build share a live queue, and
 * the schema is migrated under both.
 *
 * <p>The old build is the jars in the folder {@code -Dskipjack.upgrade.from}, in which the bundle
 * of the last release is unpacked. Without it, as before the first release, the old build is a copy
 * of this one.
 */
@QueueTest
@Timeout(120)
class UpgradeIT {

  /** A class of each module that differs between the builds. */
  private static final List<Class<?>> UPGRADED =
      List.of(
          Migrations.class,
          JobType.class,
          Skipjack.class,
          StatementDialect.class,
          JooqJobReader.class,
          JobQueue.class,
          Worker.class);

  /**
   * Changes that a later release could make to tables on which workers have prepared statements.
   */
  private static final String LATER_MIGRATION =
      """
      SET LOCAL lock_timeout = '5s';
      ALTER TABLE @jobs ADD COLUMN later%1$d text;
      ALTER TABLE @jobs_archive ADD COLUMN later%1$d text;
      ALTER TABLE @job_executions ADD COLUMN later%1$d integer NOT NULL DEFAULT 0;
      CREATE INDEX later%1$d ON @jobs (later%1$d) WHERE later%1$d IS NOT NULL;
      CREATE OR REPLACE FUNCTION @schema_version() RETURNS integer
        LANGUAGE sql STABLE PARALLEL SAFE AS 'SELECT %1$d';
      """;

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int ROUNDS = Boolean.getBoolean("skipjack.soak") ? 20 : 1;

  private final QueueDatabase database;
  private final List<ForkedJvm> processes = new ArrayList<>();

  UpgradeIT(QueueDatabase database) {
    this.database = database;
  }

  @Test
  void nothingIsLostWhileTwoBuildsShareAQueueAndItsSchemaIsMigrated(@TempDir Path folder)
      throws Exception {
    execute(UpgradedProcess.TABLES);
    List<Path> today = entries(UPGRADED);
    String released = System.getProperty("skipjack.upgrade.from", "");
    Path from = released.isEmpty() ? folder : Path.of(released);
    List<Path> last = released.isEmpty() ? copies(folder, today) : jars(from);
    try {
      ForkedJvm old = start("old", classPath(today, last));
      assertThat(old.awaitLine("build ", PATIENCE)).contains(from.toString());
      awaitEffects("old");
      Migrations.migrate(database.dataSource(), UpgradedProcess.SCHEMA);
      ForkedJvm current = start("new", classPath(today, today));
      assertThat(current.awaitLine("build ", PATIENCE)).doesNotContain(from.toString());
      awaitEffects("old", "new");

      int version = Migrations.SCHEMA_VERSION;
      for (int round = 0; round < ROUNDS; round++) {
        execute(LATER_MIGRATION.formatted(++version));
        awaitEffects("old", "new");
        ForkedJvm restarted = start("restarted", classPath(today, last));
        assertThat(restarted.awaitLine("migrations ", PATIENCE)).isEqualTo("migrations 0");
        awaitEffects("old", "new", "restarted");
        restarted.terminate();
        restarted.awaitExit(PATIENCE);
      }

      old.terminate();
      old.awaitExit(PATIENCE);
      awaitEffects("new");
      execute("INSERT INTO stopped DEFAULT VALUES");
      await().atMost(PATIENCE).until(() -> number("SELECT count(*) FROM @jobs") == 0);
      current.terminate();
      current.awaitExit(PATIENCE);
    } finally {
      processes.forEach(ForkedJvm::close);
    }

    long produced = number("SELECT count(*) FROM produced");
    assertThat(produced).isPositive();
    assertThat(number("SELECT count(*) FROM effects JOIN produced USING (number)"))
        .as("effects of %d jobs", produced)
        .isEqualTo(produced);
    assertThat(number("SELECT count(DISTINCT number) FROM effects")).isEqualTo(produced);
    assertThat(number("SELECT count(*) FROM @jobs_archive WHERE status = 'completed'"))
        .isEqualTo(produced);
    assertThat(number("SELECT count(*) FROM @job_executions WHERE status = 'succeeded'"))
        .isEqualTo(produced);
    assertThat(
            number(
                "SELECT count(*) FROM @job_executions WHERE status NOT IN ('succeeded', 'released')"))
        .as("attempts that failed or lost their lease")
        .isZero();
  }

  private ForkedJvm start(String name, List<Path> classPath) {
    ForkedJvm process =
        ForkedJvm.of(UpgradedProcess.class)
            .classPath(classPath)
            .option("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
            .arguments(database.jdbcUrl(), name, String.valueOf(1_000_000 * processes.size()))
            .start();
    processes.add(process);
    return process;
  }

  /** Waits until each of these workers has run ten more jobs. */
  private void awaitEffects(String... workers) throws SQLException {
    for (String worker : workers) {
      String effects = "SELECT count(*) FROM effects WHERE worker = '" + worker + "'";
      long before = number(effects);
      await().atMost(PATIENCE).until(() -> number(effects) >= before + 10);
    }
  }

  private static List<Path> jars(Path release) throws IOException {
    try (Stream<Path> files = Files.walk(release)) {
      return files
          .filter(file -> file.toString().endsWith(".jar"))
          .filter(file -> !file.toString().matches(".*-(sources|javadoc)\\.jar"))
          .filter(file -> !file.toString().matches(".*skipjack-(faults|testkit|spring)[^/]*"))
          .toList();
    }
  }

  private static List<Path> copies(Path folder, List<Path> today) throws IOException {
    List<Path> copies = new ArrayList<>();
    for (Path entry : today) {
      Path copy = folder.resolve("old-" + copies.size() + ".jar");
      if (Files.isDirectory(entry)) {
        pack(entry, copy);
      } else {
        Files.copy(entry, copy);
      }
      copies.add(copy);
    }
    return copies;
  }

  private static void pack(Path folder, Path jar) throws IOException {
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream packed = new JarOutputStream(out);
        Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        packed.putNextEntry(
            new JarEntry(folder.relativize(file).toString().replace(File.separatorChar, '/')));
        Files.copy(file, packed);
        packed.closeEntry();
      }
    }
  }

  /** Returns this JVM's class path, in which {@code build} replaces the entries {@code today}. */
  private static List<Path> classPath(List<Path> today, List<Path> build) {
    Set<Path> entries = new LinkedHashSet<>(build);
    Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .map(Path::of)
        .filter(entry -> !today.contains(entry))
        .forEach(entries::add);
    return List.copyOf(entries);
  }

  private static List<Path> entries(List<Class<?>> classes) throws URISyntaxException {
    List<Path> entries = new ArrayList<>();
    for (Class<?> one : classes) {
      entries.add(Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI()));
    }
    return entries;
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(sql.replace("@", UpgradedProcess.SCHEMA + "."));
      connection.commit();
    }
  }

  private long number(String sql) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql.replace("@", UpgradedProcess.SCHEMA + "."))) {
      row.next();
      return row.getLong(1);
    }
  }
}
