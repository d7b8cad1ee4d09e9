package dev.skipjack.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.migrations.Roles;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * Runs every command on a queue with the role of docs/guides/roles.md that it needs: a viewer for
 * commands that only read, and an operator for most others.
 */
@QueueTest
class CommandRolesTest {

  private static final String PREFIX = "cli_each";

  private static final Set<String> READING =
      Set.of("why", "doctor", "stats", "workers", "outbox status", "outbox dead");

  /** The commands that need another role. */
  private static final Map<String, String> OTHER_ROLES =
      Map.of(
          "operations list", "operator",
          "enqueue", "producer",
          "rescue", "worker",
          "prune", "worker");

  /** The arguments of the commands that require some. */
  private static final Map<String, String> ARGUMENTS =
      Map.ofEntries(
          Map.entry("why", "12"),
          Map.entry("jobs show", "12"),
          Map.entry("jobs retry", "2"),
          Map.entry("jobs cancel", "12"),
          Map.entry("jobs redrive", "3"),
          Map.entry("jobs run-now", "13"),
          Map.entry("jobs edit", "13 --priority 3"),
          Map.entry("jobs patch", "{\"month\":1} --queue reports --yes"),
          Map.entry("dead show", "5"),
          Map.entry("dead redrive", "--queue refunds --yes"),
          Map.entry("dead prune", "--queue stock --yes"),
          Map.entry("keys unblock", "sku-7"),
          Map.entry("keys skip", "sku-8"),
          Map.entry("signals send", "12 review {}"),
          Map.entry("outbox show", "019ab000-0000-7000-8000-000000000001"),
          Map.entry("outbox redrive", "--all --yes"),
          Map.entry("outbox unblock", "order 1002"),
          Map.entry("queues show", "emails"),
          Map.entry("queues pause", "emails"),
          Map.entry("queues resume", "emails"),
          Map.entry("queues set", "emails --max-attempts 3"),
          Map.entry("limits set", "stripe --running 50"),
          Map.entry("limits reset", "stripe"),
          Map.entry("limits remove", "stripe"),
          Map.entry("groups list", "emails"),
          Map.entry("groups set", "emails tenant-42 --weight 3"),
          Map.entry("groups pause", "emails tenant-42"),
          Map.entry("groups resume", "emails tenant-42"),
          Map.entry("schedules add", "weekly --every 1h --kind build-report --queue reports"),
          Map.entry("schedules show", "hourly"),
          Map.entry("schedules pause", "hourly"),
          Map.entry("schedules resume", "hourly"),
          Map.entry("schedules fire", "hourly"),
          Map.entry("schedules remove", "hourly"),
          Map.entry("operations stop", "1"),
          Map.entry("operations continue", "1"),
          Map.entry("enqueue", "send-receipt {}"));

  private Path home;
  private QueueDatabase database;

  @BeforeEach
  void openTheShop(QueueDatabase database, @TempDir Path home) throws SQLException {
    this.home = home;
    this.database = database;
    // The arguments name jobs by the ids that they have in a new schema.
    Shop.execute(database, "ALTER SEQUENCE skipjack.jobs_id_seq RESTART");
    Shop.open(database);
    Shop.execute(database, Roles.sql(database.schema(), PREFIX));
    Program schedule =
        run("schedules add hourly --every 1h --kind build-report --queue reports", null);
    assertThat(schedule.exitCode()).as(schedule.err()).isZero();
    assertThat(run("queues set emails --fair true", null).exitCode()).isZero();
  }

  @AfterEach
  void dropRoles() throws SQLException {
    for (String role : List.of("sql_producer", "producer", "worker", "operator", "viewer")) {
      Shop.execute(
          database,
          "DROP OWNED BY %s_%s".formatted(PREFIX, role),
          "DROP ROLE %s_%s".formatted(PREFIX, role));
    }
  }

  @TestFactory
  Stream<DynamicTest> commandRunsWithItsRole() {
    return commands("", Skipjack.commandLine()).stream()
        .filter(command -> !command.equals("dashboard")) // it runs until it is stopped
        .map(
            command ->
                DynamicTest.dynamicTest(
                    "%s as %s".formatted(command, roleOf(command)), () -> assertRuns(command)));
  }

  private void assertRuns(String command) throws SQLException {
    boolean changes = changes(command);
    long before = recorded();
    Program result =
        run(
            command
                + (changes ? " --as bert --reason test " : " ")
                + ARGUMENTS.getOrDefault(command, ""),
            PREFIX + "_" + roleOf(command));

    assertThat(result.err()).doesNotContain("permission denied");
    // The queue of a test has findings, and only the owner of the tables removes partitions.
    assertThat(result.exitCode())
        .as(result.out() + result.err())
        .isIn(
            Set.of("doctor", "prune").contains(command)
                ? List.of(ExitCodes.DONE, ExitCodes.BAD_NEWS)
                : List.of(ExitCodes.DONE, ExitCodes.NOTHING_MATCHED));
    boolean changed = changes && result.exitCode() == ExitCodes.DONE;
    if (changed && roleOf(command).equals("operator")) {
      assertThat(recorded()).as(result.out()).isGreaterThan(before);
    }
  }

  /** Whether the command changes something in a queue. */
  private static boolean changes(String command) {
    CommandLine line = Skipjack.commandLine();
    for (String word : command.split(" ", -1)) {
      line = Objects.requireNonNull(line.getSubcommands().get(word));
    }
    return line.getCommand() instanceof ChangeAction;
  }

  /** Returns how many records there are of changes by the actor and for the reason of this test. */
  private long recorded() throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT count(*) FROM skipjack.job_changes WHERE actor = 'bert' AND reason = 'test'")) {
      row.next();
      return row.getLong(1);
    }
  }

  /** The dashboard records its users. */
  @Test
  void everyCommandThatWritesRecordsItsActor() {
    Set<String> others =
        commands("", Skipjack.commandLine()).stream()
            .filter(command -> !changes(command) && !roleOf(command).equals("viewer"))
            .collect(Collectors.toSet());

    assertThat(others).containsExactlyInAnyOrder("dashboard", "limits held", "operations list");
  }

  @Test
  void aViewerSeesEverythingButPayloads() throws SQLException {
    Shop.execute(database, "UPDATE skipjack.jobs SET payload = '{\"card\": \"4711\"}'");
    Shop.execute(database, "UPDATE skipjack.job_schedules SET payload = '{\"card\": \"4711\"}'");
    String hidden = "the role cli_each_viewer may not read payloads";
    for (String command :
        List.of("jobs show 12", "jobs show 5", "dead show 5", "schedules show hourly")) {
      Program owner = run(command, null);
      Program shown = run(command, PREFIX + "_viewer");
      assertThat(owner.out()).contains("4711");
      assertThat(shown.exitCode()).as(shown.err()).isZero();
      assertThat(shown.out())
          .containsPattern("(?m)^payload +not shown: " + hidden + "$")
          .doesNotContain("4711");
      assertThat(shown.out().lines().filter(line -> line.startsWith("payload ")))
          .hasSameSizeAs(owner.out().lines().filter(line -> line.startsWith("payload ")).toList());
      Program json = run(command + " --json", PREFIX + "_viewer");
      assertThat(json.out()).contains("\"payload\":null").doesNotContain("4711");
      assertThat(json.err()).contains("Payloads are not shown: " + hidden + ".");
    }
    String event = "outbox show 019ab000-0000-7000-8000-000000000002 --payload";
    assertThat(run(event, null).out()).contains("{\"order\": 1002}", "acme");
    assertThat(run(event, PREFIX + "_viewer").out())
        .contains("payload         not shown: " + hidden, "headers         not shown: " + hidden)
        .doesNotContain("acme");
    Program eventJson = run(event + " --json", PREFIX + "_viewer");
    assertThat(eventJson.out()).contains("\"headers\":null,\"payload\":null");
    assertThat(eventJson.err()).contains("Payloads are not shown: " + hidden + ".");
    Program list = run("schedules list", PREFIX + "_viewer");
    assertThat(list.out()).isEqualTo(run("schedules list", null).out());
    assertThat(list.err()).isEmpty();
    assertThat(run("schedules list --json", PREFIX + "_viewer").err())
        .contains("Payloads are not shown: " + hidden + ".");
  }

  @Test
  void aRoleThatMayNotReadJobsIsRefused() {
    Program refused = run("jobs show 12", PREFIX + "_sql_producer");
    assertThat(refused.exitCode()).isEqualTo(ExitCodes.BAD_NEWS);
    assertThat(refused.err()).contains("The user lacks a right that this command needs");
  }

  @Test
  void aRoleThatMayNotMigrateIsRefusedInOneSentence() {
    Program refused = run("migrate --schema another", PREFIX + "_operator");

    assertThat(refused.exitCode()).isEqualTo(ExitCodes.BAD_NEWS);
    assertThat(refused.err())
        .hasLineCount(1)
        .startsWith("skipjack migrate: permission denied for database ")
        .endsWith("docs/guides/roles.md lists the rights of each role.\n");
  }

  private static String roleOf(String command) {
    boolean reads = command.matches(".* (list|show)") || READING.contains(command);
    return OTHER_ROLES.getOrDefault(command, reads ? "viewer" : "operator");
  }

  /** Returns the names of the commands on a queue. */
  private static List<String> commands(String group, CommandLine line) {
    List<String> commands = new ArrayList<>();
    line.getSubcommands()
        .forEach(
            (name, command) -> {
              if (command.getCommand() instanceof QueueAction) {
                commands.add(group + name);
              }
              commands.addAll(commands(group + name + " ", command));
            });
    return commands;
  }

  private Program run(String command, @Nullable String role) {
    String url = database.jdbcUrl();
    String session =
        role == null
            ? ""
            : "%soptions=-c%%20role%%3D%s".formatted(url.contains("?") ? "&" : "?", role);
    return Program.run(Map.of(), home, (command.strip() + " --url " + url + session).split(" "));
  }
}
