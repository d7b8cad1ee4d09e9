package dev.skipjack.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@QueueTest
class ImportCommandTest {

  private Path home;
  private QueueDatabase database;

  @BeforeEach
  void createTheTable(QueueDatabase database, @TempDir Path home) throws SQLException {
    this.home = home;
    this.database = database;
    Shop.execute(
        database,
        "DROP TABLE IF EXISTS scheduled_tasks",
        "CREATE TABLE scheduled_tasks (task_name text, task_instance text, task_data bytea,"
            + " execution_time timestamptz, picked boolean, consecutive_failures int, version"
            + " bigint, PRIMARY KEY (task_name, task_instance))");
  }

  private Program run(String command) {
    return Program.run(Map.of(), home, (command + " --url " + database.jdbcUrl()).split(" ", -1));
  }

  private void insert(String task) throws SQLException {
    Shop.execute(
        database,
        "INSERT INTO scheduled_tasks VALUES ('%s', '1', '{}', '2090-01-01', false, 2, 1)"
            .formatted(task));
  }

  @Test
  void aRunNeedsAConfirmation() throws SQLException {
    insert("sendMail");

    Program refused = run("import db-scheduler run");

    assertThat(refused.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(refused.err())
        .contains("Move 1 job from db-scheduler to the queue? Add --yes to confirm");
    assertThat(run("jobs list --json").out()).doesNotContain("send-mail");
  }

  @Test
  void theOptionsChooseAndMapTheJobs() throws SQLException {
    insert("sendMail");
    insert("other");

    Program done =
        run(
            "import db-scheduler run --yes --tables public.scheduled_tasks --only sendMail"
                + " --kind sendMail=mail --queue emails --max-attempts 5 --unique");

    assertThat(done.err()).isEmpty();
    assertThat(done.out()).startsWith("Moved 1 job from db-scheduler; 0 rows stayed.");
    assertThat(run("jobs list --queue emails --json").out())
        .contains("\"kind\":\"mail\"", "\"max_attempts\":3");
    assertThat(run("import db-scheduler run --yes --only sendMail").exitCode())
        .isEqualTo(ExitCodes.NOTHING_MATCHED);
  }

  @Test
  void aRunWithAnotherPlanIsRefused() throws SQLException {
    insert("sendMail");
    String plan =
        run("import db-scheduler plan").out().replaceFirst("(?s).*\\nPlan (\\w+)\\s*$", "$1");
    assertThat(plan).matches("[0-9a-f]{14}");
    insert("other");

    Program refused = run("import db-scheduler run --yes --plan " + plan);

    assertThat(refused.exitCode()).isEqualTo(ExitCodes.BAD_NEWS);
    assertThat(refused.err())
        .startsWith(
            "skipjack import: Plan %s does not have 'other', or has another kind for it."
                .formatted(plan));
    assertThat(run("import db-scheduler run --yes --only sendMail --plan " + plan).exitCode())
        .isEqualTo(ExitCodes.DONE);
  }

  @Test
  void movedJobsAreComparedAndReturned() throws SQLException {
    insert("sendMail");
    run("import db-scheduler run --yes");

    Program check = run("import db-scheduler verify");
    assertThat(check.out()).startsWith("All that was imported from db-scheduler is here.");
    assertThat(run("import db-scheduler verify --json").out())
        .contains("\"clean\":true", "\"imported\":1,\"waiting\":1");
    assertThat(run("import db-scheduler undo").err())
        .contains("Return what was imported from db-scheduler and has not started? Add --yes");

    Program undone = run("import db-scheduler undo --yes");

    assertThat(undone.err()).isEmpty();
    assertThat(undone.out()).startsWith("Returned 1 job to db-scheduler; 0 stay here.");
    assertThat(run("import db-scheduler undo --yes").exitCode())
        .isEqualTo(ExitCodes.NOTHING_MATCHED);
    run("import db-scheduler run --yes");
    Shop.execute(database, "DELETE FROM skipjack.jobs WHERE kind = 'send-mail'");
    assertThat(run("import db-scheduler verify").exitCode()).isEqualTo(ExitCodes.BAD_NEWS);
  }

  @Test
  void wrongInputIsRefusedInOneSentence() {
    assertThat(run("import db-scheduler plan --kind a=B").err())
        .startsWith("skipjack import: Kind name 'B' is not allowed.");
    assertThat(run("import db-scheduler plan --tables nothing").err())
        .startsWith("skipjack import: There is no table 'nothing' in this database.");
    assertThat(run("import river plan --unique").err())
        .startsWith("skipjack import: Source 'river' keeps no ids unique.");
    assertThat(run("import sidekiq plan").err())
        .contains("Jobs cannot be imported from 'sidekiq'. Known are db-scheduler");
  }
}
