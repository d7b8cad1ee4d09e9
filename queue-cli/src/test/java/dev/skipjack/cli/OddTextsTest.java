package dev.skipjack.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that texts of producers neither reach the terminal as control sequences nor change the
 * meaning of a suggested command.
 */
@QueueTest
class OddTextsTest {

  private static final List<String> ODD =
      List.of(
          "-h",
          "--",
          "--job",
          "--yes",
          "@/etc/hostname",
          "@",
          " ",
          " leading and trailing ",
          "two\nlines",
          "tab\tand\rreturn",
          "\u001b]52;c;ZXZpbA==\u0007",
          "\u009b31mred\u0085next\u2028line",
          "\u202etxt.exe\u2066\u200f",
          "$(touch /tmp/x) `id` ${HOME} ~ * ? [a-z] !! #",
          "it's \"quoted\" \\ 'twice'",
          "a;b|c&d>e<f(g){h}",
          "%s %n ${DEFAULT-VALUE} @|bold x|@",
          "\ud83d\ude80 \u00e9\u0301");

  private static final ObjectMapper JSON = new ObjectMapper();

  private Path home;
  private QueueDatabase database;
  private JobQueue queue;

  @BeforeEach
  void connect(QueueDatabase database, @TempDir Path home) throws IOException {
    this.home = home;
    this.database = database;
    this.queue = Shop.queue(database);
    Path profiles = home.resolve(".config/skipjack/config");
    Files.createDirectories(profiles.getParent());
    Files.writeString(profiles, "[default]\nurl = " + database.jdbcUrl());
    Files.setPosixFilePermissions(profiles, PosixFilePermissions.fromString("rw-------"));
  }

  /** Runs a command that a shell has split into arguments. */
  private Program run(List<String> arguments) {
    return Program.run(Map.of(), home, arguments.toArray(String[]::new));
  }

  @Test
  void suggestedCommandsUnblockEveryKey() throws Exception {
    Random random = new Random(8);
    List<String> keys = new ArrayList<>(ODD);
    for (int i = 0; i < 30; i++) {
      keys.add(
          IntStream.range(0, 1 + random.nextInt(8))
              .mapToObj(part -> ODD.get(random.nextInt(ODD.size())))
              .collect(Collectors.joining()));
    }
    for (String key : keys) {
      JobId head = block(key);

      String fix = fixOf("blocked-keys");
      Program unblocked = run(splitByShell(fix));

      assertThat(unblocked.exitCode()).as("%s for %s: %s", fix, key, unblocked.err()).isZero();
      assertThat(queue.reader().blockedKeys()).as(key).isEmpty();
      queue.admin().prune(List.of(head));
    }
  }

  @Test
  void everyKeyCanBeGivenAsAnArgument() {
    for (String key : ODD) {
      JobId head = block(key);

      Program unblocked = run(List.of("keys", "unblock", "--", key));

      assertThat(unblocked.exitCode()).as("%s: %s", key, unblocked.err()).isZero();
      assertThat(queue.reader().blockedKeys()).as(key).isEmpty();
      queue.admin().prune(List.of(head));
    }
  }

  @Test
  void suggestedCommandsResumeQueuesThatAreNamedLikeOptions() throws Exception {
    queue.admin().pause("-h");
    JobId job = queue.enqueue(Shop.RECEIPT.onQueue("-h"), "{}");

    JsonNode why = json(run(List.of("why", job.toString(), "--json")));
    Program resumed = run(splitByShell(why.at("/fix/command").asText()));

    assertThat(resumed.exitCode()).as(resumed.err()).isZero();
    assertThat(queue.reader().queues()).noneMatch(state -> state.paused());
  }

  @Test
  void controlCharactersReachNoTerminal() throws Exception {
    String odd = "\u009b31m\u202e\u0085\u2066 " + String.join(" ", ODD);
    JobId dead = block(odd.substring(0, 100));
    queue.admin().pause("emails");
    try (Connection connection = database.connection();
        PreparedStatement update =
            connection.prepareStatement(
                "UPDATE skipjack.jobs SET last_error = ?, last_error_class = ?, tags = ARRAY[?], unique_label = ?, payload = to_jsonb(?::text)")) {
      for (int i = 1; i <= 5; i++) {
        update.setString(i, odd);
      }
      update.executeUpdate();
    }
    try (Connection connection = database.connection();
        PreparedStatement update =
            connection.prepareStatement(
                "UPDATE skipjack.job_queues SET paused_by = ?, pause_reason = ?")) {
      update.setString(1, odd);
      update.setString(2, odd);
      update.executeUpdate();
    }
    for (String command :
        List.of(
            "keys list",
            "dead list",
            "dead show " + dead,
            "dead redrive --error-class x",
            "jobs list",
            "jobs show " + dead,
            "jobs patch {} --status dead --dry-run",
            "why " + dead,
            "queues list",
            "doctor --all",
            "stats",
            "workers")) {
      for (String form : List.of("", " --json")) {
        Program program = run(List.of((command + form).split(" ")));
        assertThat(program.out() + program.err())
            .as(command + form)
            .doesNotContain("\t", "\r")
            .matches("[^\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]*(\n[^\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]*)*");
      }
    }
    JsonNode listed = json(run(List.of("jobs", "list", "--json")));
    assertThat(listed.at("/jobs/0/last_error").asText()).isEqualTo(odd);
    assertThat(run(List.of("jobs", "show", odd)).err()).doesNotContain("\u001b", "\u009b");
  }

  private JobId block(String key) {
    JobId head = queue.enqueue(Shop.STOCK, "{}", job -> job.orderingKey(key));
    queue.enqueue(Shop.REPORT, "{}");
    Worker.on(queue)
        .handle(Shop.STOCK, (change, context) -> Outcome.dead("Unknown article"))
        .queue("stock", 1)
        .build()
        .runUntilIdle();
    assertThat(queue.reader().list(JobQuery.live().status(JobStatus.DEAD)).jobs()).hasSize(1);
    return head;
  }

  private String fixOf(String check) throws IOException {
    for (JsonNode finding : json(run(List.of("doctor", "--json"))).get("checks")) {
      if (finding.get("check").asText().equals(check)) {
        return finding.at("/fix/command").asText();
      }
    }
    throw new AssertionError(check);
  }

  private static JsonNode json(Program program) throws IOException {
    return JSON.readTree(program.out());
  }

  /** Returns the arguments that a shell passes to the program for a pasted command. */
  private static List<String> splitByShell(String command) throws IOException {
    Process shell =
        new ProcessBuilder("sh", "-c", "skipjack() { printf '%s\\0' \"$@\"; }\n" + command).start();
    shell.getOutputStream().close();
    String words = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return List.of(words.split("\0"));
  }
}
