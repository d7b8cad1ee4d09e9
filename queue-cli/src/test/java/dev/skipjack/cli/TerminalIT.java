package dev.skipjack.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the program in a real terminal, which tmux provides if it is installed. */
@QueueTest
class TerminalIT {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private Path folder;
  private QueueDatabase database;
  private int terminals;

  @BeforeEach
  void enqueue(QueueDatabase database, @TempDir Path folder) {
    this.folder = folder;
    this.database = database;
    assumeTrue(isInstalled(), "tmux is not installed");
    Shop.queue(database).enqueue(Shop.RECEIPT, "{\"order\": 1}");
  }

  @AfterEach
  void closeTerminal() throws IOException, InterruptedException {
    if (isInstalled()) {
      tmux("kill-server");
    }
  }

  @Test
  void theViewFitsTheTerminalFollowsItsSizeAndQuits() throws Exception {
    run("", "stats --watch --interval 1s");
    awaitScreen("Pending 1, running 0");
    assertThat(screen().lines()).hasSizeLessThanOrEqualTo(24);
    assertThat(screen()).contains("q quits", "QUEUE    STATE ", "emails   active ");

    tmux("resize-window", "-x", "200", "-y", "50");
    awaitScreen("emails                                   active ");

    tmux("send-keys", "q");
    awaitScreen("exit code 0");
    assertThat(screen()).as("the screen before the command").doesNotContain("q quits");
  }

  @Test
  void controlCRestoresTheTerminal() throws Exception {
    run("", "stats --watch --interval 1s");
    awaitScreen("Pending 1, running 0");

    tmux("send-keys", "C-c");
    awaitScreen("exit code 130");
    assertThat(screen()).doesNotContain("q quits");
    // If its settings were not restored, the terminal would not show typed text.
    tmux("send-keys", "typed");
    awaitScreen("typed");
  }

  @Test
  void coloursAppearUnlessNoColorIsSet() throws Exception {
    run("", "stats --watch --interval 1s");
    awaitScreen("Pending 1, running 0");
    assertThat(tmux("capture-pane", "-p", "-e")).contains("\u001b[1m");
    tmux("kill-server");

    run("NO_COLOR=1 ", "stats --watch --interval 1s");
    awaitScreen("Pending 1, running 0");
    assertThat(tmux("capture-pane", "-p", "-e")).doesNotContain("\u001b[1m", "\u001b[33m");
  }

  @Test
  void aChangeOfManyJobsAsksFirst() throws Exception {
    JobQueue queue = Shop.queue(database);
    queue.enqueue(Shop.CHARGE, "{}");
    Worker.on(queue)
        .handle(Shop.CHARGE, (payload, context) -> Outcome.dead("Card declined"))
        .queue("payments", 1)
        .build()
        .runUntilIdle();

    run("", "dead redrive");
    awaitScreen("Redrive 1 dead job, up to job ");
    tmux("send-keys", "n", "Enter");
    awaitScreen("exit code 1");
    assertThat(screen()).contains("Nothing was changed.");
    tmux("kill-server");

    run("", "dead redrive");
    awaitScreen("[y/N]");
    tmux("send-keys", "y", "Enter");
    awaitScreen("exit code 0");
    assertThat(screen()).contains("Redrove 1 job.");
  }

  @Test
  void theFixOfAFindingFitsALineOfTheSmallestTerminal() throws Exception {
    Shop.queue(database).admin().pause("emails");

    run("", "doctor");
    awaitScreen("exit code");
    assertThat(screen().lines())
        .contains("        Fix: skipjack queues resume emails")
        .anyMatch(line -> line.matches("yellow +paused-queues +Queue emails has been paused .*"));
  }

  private void run(String variables, String command) throws IOException, InterruptedException {
    terminals++; // each has its own server, because one that is shutting down refuses terminals
    Path script = folder.resolve("run.sh");
    // The options are in a file, because the class path is too long for a command of tmux.
    Path options = folder.resolve("java.options");
    Files.writeString(
        options,
        "-XX:TieredStopAtLevel=1\n-cp\n\"%s\"\n".formatted(System.getProperty("java.class.path")));
    Files.writeString(
        script,
        "trap : INT\n%s'%s' @'%s' dev.skipjack.cli.Skipjack %s --url '%s'\necho \"exit code $?\"\ncat\n"
            .formatted(
                variables,
                Path.of(System.getProperty("java.home"), "bin", "java"),
                options,
                command,
                database.jdbcUrl()));
    tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", "sh " + script);
  }

  private void awaitScreen(String text) {
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(screen()).contains(text));
  }

  private String screen() throws IOException, InterruptedException {
    return tmux("capture-pane", "-p");
  }

  private String tmux(String... arguments) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(List.of("tmux", "-S", folder.resolve("tmux-" + terminals).toString()));
    command.addAll(List.of(arguments));
    Process tmux = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(tmux.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    tmux.waitFor();
    return output;
  }

  private static boolean isInstalled() {
    try {
      return new ProcessBuilder("tmux", "-V").start().waitFor() == 0;
    } catch (IOException absent) {
      return false;
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
