package dev.skipjack.steps;

import static dev.skipjack.steps.StepOptions.undo;
import static dev.skipjack.testkit.QueueAssertions.assertThatJob;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.migrations.Roles;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.JobRuns;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that the grants of the script allow each role its work with durable steps. */
@QueueTest
class StepsRolesTest {

  private static final JobType<String> FLOW = JobType.of("flow", String.class).maxAttempts(1);
  private static final JobType<String> UNDO = JobType.of("undo", String.class);

  private QueueDatabase database;
  private String prefix = "";

  @BeforeEach
  void createRoles(QueueDatabase database) {
    this.database = database;
    // Roles belong to the server, and other test JVMs may use the same one.
    prefix = "t" + StepRows.query(database, "SELECT left(md5(current_database()), 12)").get(0);
    execute(Roles.sql(database.schema(), prefix));
    execute(
        "CREATE ROLE %1$s_both; GRANT %1$s_worker, %1$s_producer TO %1$s_both".formatted(prefix));
  }

  @AfterEach
  void dropRoles() {
    for (String role :
        List.of("both", "sql_producer", "producer", "worker", "operator", "viewer")) {
      execute("DROP OWNED BY %1$s_%2$s; DROP ROLE %1$s_%2$s".formatted(prefix, role));
    }
  }

  private void execute(String sql) {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException failure) {
      throw new IllegalStateException(failure);
    }
  }

  private HikariDataSource pool(String role) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(database.jdbcUrl());
    pool.setMaximumPoolSize(4);
    pool.setConnectionInitSql("SET ROLE " + prefix + "_" + role);
    return pool;
  }

  private JobQueue queue(HikariDataSource pool) {
    return JobQueue.builder(pool).schema(database.schema()).build();
  }

  @Test
  void workerWithTheRoleOfAProducerRunsStepsAndUndoesThem() throws SQLException {
    try (HikariDataSource pool = pool("both");
        HikariDataSource sender = pool("producer");
        HikariDataSource sql = pool("sql_producer")) {
      JobQueue queue = queue(pool);
      JobRuns runs =
          JobRuns.with(
              Worker.on(queue)
                  .handle(
                      FLOW,
                      (payload, job) -> {
                        Steps steps = Steps.of(job);
                        steps.run("a", String.class, key -> "a", undo(UNDO, a -> a));
                        try (Connection connection = pool.getConnection()) {
                          connection.setAutoCommit(false);
                          steps.runIn(connection, "b", () -> {});
                          connection.commit();
                        }
                        assertThat(steps.version("c", 2)).isEqualTo(2);
                        steps.sleep("d", Duration.ofHours(1));
                        String answer =
                            steps.await("e", String.class, Duration.ofDays(1)).orElseThrow()
                                + steps
                                    .awaitKey("k", "f", String.class, Duration.ofDays(1))
                                    .orElseThrow();
                        return payload.equals("fails")
                            ? steps.compensate(answer)
                            : Outcome.completed(answer);
                      })
                  .queue("default", 1)
                  .build(),
              database);
      for (String payload : List.of("fails", "works")) {
        JobId job = queue.enqueue(FLOW, payload);
        runs.due();
        runs.dueWithin(Duration.ofHours(1));
        assertThat(Signals.on(queue(sender)).send(job, "e", "x")).isEqualTo(SignalResult.WOKEN);
        runs.due();
        try (Connection connection = sql.getConnection();
            Statement statement = connection.createStatement()) {
          statement.execute("SELECT %s.signal('key/k', 'f', '\"y\"')".formatted(database.schema()));
        }
        runs.due();
        if (payload.equals("fails")) {
          assertThatJob(database, job).isDead().hasLastErrorContaining("xy");
        } else {
          assertThatJob(database, job).isCompleted();
        }
      }
      for (int i = 0; i < 8; i++) {
        queue.sweepers().forEach(sweeper -> sweeper.sweep());
      }
      assertThat(StepRows.query(database, "SELECT payload #>> '{}' FROM @jobs WHERE kind = 'undo'"))
          .containsExactly("a");
    }
  }
}
