package dev.skipjack.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands for operators, beyond what {@link CommandLineDocumentTest} shows. */
@QueueTest
class OperatorCommandsTest {

  @TempDir private Path home;

  private QueueDatabase database;
  private JobQueue queue;

  @BeforeEach
  void connect(QueueDatabase database) {
    this.database = database;
    this.queue = Shop.queue(database);
  }

  private Program skipjack(String... arguments) {
    return Program.run(
        Map.of(),
        home,
        Stream.concat(Arrays.stream(arguments), Stream.of("--url", database.jdbcUrl()))
            .toArray(String[]::new));
  }

  private JobId enqueue() {
    return queue.enqueue(Shop.RECEIPT, "{\"order\": 1}");
  }

  @Test
  void aListThatIsNotCompleteContinuesWhereItStopped() {
    for (int i = 0; i < 3; i++) {
      enqueue();
    }
    Program first = skipjack("jobs", "list", "--limit", "2");
    assertThat(first.out()).hasLineCount(3);
    assertThat(first.err()).startsWith("There may be more jobs. Continue with --after ");
    String token = first.err().strip().replaceFirst(".* ", "");

    Program second = skipjack("jobs", "list", "--limit", "2", "--after", token);
    assertThat(second.exitCode()).isZero();
    assertThat(second.out()).hasLineCount(2);
    assertThat(second.err()).isEmpty();
  }

  @Test
  void theFiltersOfAListAreCombined() {
    JobId found =
        queue.enqueue(Shop.RECEIPT, "{}", job -> job.tags("vip").delay(Duration.ofHours(1)));
    queue.enqueue(Shop.CHARGE, "{}", job -> job.tags("vip"));
    enqueue();

    Program list =
        skipjack(
            "jobs",
            "list",
            "--queue=emails",
            "--kind=send-receipt",
            "--tag=vip",
            "--status=pending",
            "--json");
    assertThat(list.out()).startsWith("{\"jobs\":[{\"id\":%s,".formatted(found)).hasLineCount(1);
    assertThat(skipjack("jobs", "list", "--tag=none").exitCode()).isEqualTo(4);
    assertThat(skipjack("jobs", "list", "--ended").err()).isEqualTo("No job matches.\n");
  }

  @Test
  void theExitCodeOfAChangeIsThatOfItsWorstJob() {
    String pending = enqueue().toString();
    String other = enqueue().toString();

    assertThat(skipjack("jobs", "cancel", pending, other).exitCode()).isZero();
    Program again = skipjack("jobs", "cancel", pending);
    assertThat(again.exitCode()).isEqualTo(4);
    assertThat(again.out()).contains("has ended or never existed");
    Program mixed = skipjack("jobs", "redrive", enqueue().toString(), pending);
    assertThat(mixed.exitCode()).isEqualTo(1);
    assertThat(mixed.out()).contains("not dead");
  }

  @Test
  void anEditChangesOnlyWhatItNames() {
    JobId id = queue.enqueue(Shop.RECEIPT, "{\"order\": 1}", job -> job.delay(Duration.ofDays(1)));

    assertThat(
            skipjack("jobs", "edit", id.toString(), "--priority", "7", "--payload", "{\"order\":2}")
                .exitCode())
        .isZero();
    assertThat(queue.reader().find(id))
        .hasValueSatisfying(
            job -> {
              assertThat(job.summary().priority()).isEqualTo(7);
              assertThat(job.summary().status()).isEqualTo(JobStatus.PENDING);
              assertThat(job.payload()).isEqualTo("{\"order\": 2}");
            });
    Program invalid = skipjack("jobs", "edit", id.toString(), "--payload", "{order}");
    assertThat(invalid.exitCode()).isEqualTo(2);
    assertThat(invalid.err()).contains("is not JSON").hasLineCount(1);
  }

  @Test
  void settingsThatAreNotNamedRemain() {
    skipjack("queues", "set", "emails", "--priority", "5", "--archive-retention", "2d");
    Program second =
        skipjack("queues", "set", "emails", "--priority", "default", "--max-attempts", "4");

    assertThat(second.exitCode()).isZero();
    assertThat(queue.admin().settings("emails"))
        .hasValueSatisfying(
            settings -> {
              assertThat(settings.archiveRetention()).contains(Duration.ofDays(2));
              assertThat(settings.defaultPriority()).isEmpty();
              assertThat(settings.defaultMaxAttempts()).hasValue(4);
            });
  }

  @Test
  void aPauseOfAnUnknownQueueIsQuestioned() {
    Program pause = skipjack("queues", "pause", "emials", "--for", "15m");
    assertThat(pause.exitCode()).isZero();
    assertThat(pause.out()).startsWith("Queue 'emials' is paused until ");
    assertThat(pause.err()).contains("check the spelling");
    assertThat(skipjack("queues", "resume", "emials").exitCode()).isZero();
    assertThat(skipjack("queues", "resume", "emials").exitCode()).isEqualTo(4);
  }

  @Test
  void storedTextCannotControlTheTerminal() throws SQLException {
    JobId id = enqueue();
    Shop.execute(
        database,
        "UPDATE skipjack.jobs SET last_error = E'first\\nsecond \\x1b[2J' WHERE id = " + id);

    assertThat(skipjack("jobs", "list").out()).contains("first second  [2J").hasLineCount(2);
  }

  @Test
  void aMissingSchemaIsNamedWithItsFix() {
    Program list = skipjack("jobs", "list", "--schema", "other");
    assertThat(list.exitCode()).isEqualTo(2);
    assertThat(list.err())
        .isEqualTo(
            "skipjack jobs list: The database has no queue in this schema. Create it with 'skipjack migrate', or name another schema with --schema.\n");
  }

  @Test
  void aMigrationCreatesTheSchemaThatWasMissing() {
    Program missing = skipjack("migrate", "--check", "--schema", "second");
    assertThat(missing.exitCode()).isEqualTo(1);
    assertThat(missing.out()).contains("has no queue");
    assertThat(skipjack("migrate", "--print", "--schema", "second").out())
        .startsWith("CREATE SCHEMA IF NOT EXISTS \"second\";\nSET search_path = \"second\";\n")
        .contains("-- V001__create_jobs.sql", "CREATE TABLE jobs");

    assertThat(skipjack("migrate", "--schema", "second", "--json").out())
        .startsWith("{\"")
        .contains("\"schema\":\"second\"");
    assertThat(skipjack("migrate", "--check", "--schema", "second").exitCode()).isZero();
    assertThat(skipjack("migrate", "--print", "--schema", "second").out())
        .isEqualTo("-- Schema 'second' is up to date.\n");
  }

  @Test
  void aReadingCommandCannotWriteAndIsLimitedInTime() throws SQLException {
    DatabaseAddress address = DatabaseAddress.of(database.jdbcUrl(), Map.of()).orElseThrow();
    try (KeptConnection connections = new KeptConnection(address, true);
        var connection = connections.getConnection();
        var statement = connection.createStatement()) {
      assertThat(statement.getQueryTimeout()).isEqualTo(KeptConnection.READ_SECONDS);
      connection.setAutoCommit(false);
      try (var row = statement.executeQuery("SHOW transaction_read_only")) {
        row.next();
        assertThat(row.getString(1)).isEqualTo("on");
      }
    }
  }

  @Test
  void aRoleWithoutTheRightIsReportedInOneSentence() throws SQLException {
    Shop.execute(
        database,
        "DROP ROLE IF EXISTS cli_stranger",
        "CREATE ROLE cli_stranger LOGIN PASSWORD 'stranger'",
        "GRANT USAGE ON SCHEMA skipjack TO cli_stranger");
    try {
      String url =
          database.jdbcUrl().replaceFirst("\\?.*", "") + "?user=cli_stranger&password=stranger";
      Program list = Program.run(Map.of(), home, "jobs", "list", "--url", url);
      assertThat(list.exitCode()).isEqualTo(1);
      assertThat(list.err()).contains("permission denied", "docs/guides/roles.md").hasLineCount(1);

      Program login =
          Program.run(
              Map.of(), home, "jobs", "list", "--url", url.replace("cli_stranger", "cli_absent"));
      assertThat(login.exitCode()).isEqualTo(3);
      assertThat(login.err()).contains("rejected the login").doesNotContain("=stranger");
    } finally {
      Shop.execute(database, "DROP OWNED BY cli_stranger", "DROP ROLE cli_stranger");
    }
  }

  @Test
  void aProfileNamesTheDatabaseAndTheSchema() throws IOException {
    Path file = home.resolve(".config/skipjack/config");
    Files.createDirectories(file.getParent());
    Files.writeString(
        file,
        "# two databases\n[default]\nurl = jdbc:postgresql://127.0.0.1:1/x\n\n[test]\nurl = %s\nschema = skipjack\n"
            .formatted(database.jdbcUrl()));
    enqueue();

    assertThat(Program.run(Map.of(), home, "jobs", "list", "--profile", "test").exitCode())
        .isZero();
    assertThat(Program.run(Map.of(), home, "jobs", "list").exitCode()).isEqualTo(3);
    Program absent = Program.run(Map.of(), home, "jobs", "list", "--profile", "prod");
    assertThat(absent.exitCode()).isEqualTo(2);
    assertThat(absent.err()).contains("Profile 'prod' is not in " + file);
  }

  @Test
  void aProfileWithAPasswordMustBePrivate() throws IOException {
    Path file = home.resolve(".config/skipjack/config");
    Files.createDirectories(file.getParent());
    Files.writeString(
        file, "[default]\nurl = jdbc:postgresql://127.0.0.1:1/x\nuser = me\npassword = secret\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    Program open = Program.run(Map.of(), home, "jobs", "list");
    assertThat(open.exitCode()).isEqualTo(2);
    assertThat(open.err()).contains("chmod 600 " + file).doesNotContain("secret");

    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    Program refused = Program.run(Map.of(), home, "jobs", "list");
    assertThat(refused.exitCode()).isEqualTo(3);
    assertThat(refused.err()).contains("127.0.0.1:1").doesNotContain("secret").hasLineCount(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "jobs show x                       | 'x' is not the id of a job, which is a positive number.",
        "jobs show                         | Missing required parameter: 'JOB'",
        "jobs cancel                       | Missing required parameter: 'JOB'",
        "jobs list --status broken         | expected one of [PENDING, RUNNING, WAITING, DEAD, COMPLETED, CANCELLED] (case-insensitive) but was 'broken'",
        "jobs list --limit 501             | Page limit 501 is not in 1..500.",
        "jobs list --queue UPPER           | Queue name 'UPPER' is not allowed.",
        "jobs list --after !               | Page token '!' is not valid.",
        "jobs edit 5                       | Nothing to change.",
        "jobs edit 5 --at=2026-12-01T08:00:00Z --delay=5m | Use one of them.",
        "jobs edit 5 --delay soon          | 'soon' is not a duration.",
        "queues pause emails --for 0s      | ",
        "queues set emails                 | Nothing to set.",
        "queues set emails --priority high | --priority is 'high', but must be a number or 'default'.",
        "queues set emails --priority 101  | Priority 101 is not in -100..100.",
        "queues set emails --ordering-policy=no | --ordering-policy is 'no', but must be",
        "queues set emails --dead-retention x   | --dead-retention: 'x' is not a duration.",
        "migrate --print --check           | Use one of them.",
        "jobs list --profile a             | --url and --profile both name a database.",
      })
  void wrongInputIsReportedInASentence(String arguments, String sentence) {
    Program program = skipjack(arguments.split(" +"));
    assertThat(program.exitCode()).isEqualTo(2);
    assertThat(program.out()).isEmpty();
    assertThat(program.err()).contains(sentence == null ? "" : sentence);
    assertThat(program.err().lines().count()).isBetween(1L, 2L);
  }

  @Test
  void aGroupOfCommandsListsThem() {
    assertThat(Program.run("jobs").err())
        .contains("No command was given. Available commands: list, show,");
    Program unknown = Program.run("jobs", "lsit", "--url", "jdbc:postgresql:d?password=secret");
    assertThat(unknown.exitCode()).isEqualTo(2);
    assertThat(unknown.err())
        .contains("Unknown command 'lsit ", "Available commands: list, show,")
        .doesNotContain("secret");
  }

  @Test
  void withoutADatabaseTheWaysToNameOneAreListed() {
    Program list = Program.run(Map.of(), home, "jobs", "list");
    assertThat(list.exitCode()).isEqualTo(2);
    assertThat(list.err()).contains("--url", "PGHOST", "[default]");
  }

  @Test
  void aUrlThatTheDriverRejectsIsReportedWithoutItsPassword() {
    Program list =
        Program.run(
            Map.of(), home, "jobs", "list", "--url", "jdbc:postgresql://h:x/d?password=secret");
    assertThat(list.exitCode()).isEqualTo(2);
    assertThat(list.err()).contains("cannot parse").doesNotContain("secret");
  }

  @Test
  void debugPrintsTheStackTrace() {
    Program list =
        Program.run(
            Map.of(), home, "jobs", "list", "--debug", "--url", "jdbc:postgresql://127.0.0.1:1/x");
    assertThat(list.exitCode()).isEqualTo(3);
    assertThat(list.err()).contains("\tat dev.skipjack.").contains("skipjack jobs list: ");
  }
}
