package dev.skipjack.steps;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * The main class of a process with a worker that runs until it is killed. Each step of a job
 * inserts a row into the table {@code effects}: the steps with an even number in the transaction of
 * their memo, the others in one of their own.
 */
final class StepsProcess {

  static final String READY = "ready";

  static final int STEPS = 10;

  static final JobType<String> FLOW = JobType.of("flow", String.class).maxAttempts(1_000);

  private StepsProcess() {}

  /**
   * Runs jobs until the process is killed.
   *
   * @param args the JDBC URL and the schema
   */
  public static void main(String[] args) throws InterruptedException {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(args[0]);
    pool.setMaximumPoolSize(10);
    JobQueue queue = JobQueue.builder(pool).schema(args[1]).build();
    Worker worker =
        Worker.on(queue)
            .handle(
                FLOW,
                (payload, job) -> {
                  Steps steps = Steps.of(job);
                  for (int step = 0; step < STEPS; step++) {
                    String name = "s" + step;
                    if (step % 2 == 0) {
                      try (Connection connection = pool.getConnection()) {
                        connection.setAutoCommit(false);
                        steps.runIn(connection, name, () -> effect(connection, payload, name));
                        connection.commit();
                      }
                    } else {
                      steps.run(
                          name,
                          () -> {
                            try (Connection connection = pool.getConnection()) {
                              effect(connection, payload, name);
                            }
                          });
                    }
                  }
                  return Outcome.completed();
                })
            .queue("default", 3)
            .config(
                WorkerConfig.builder()
                    .lease(Duration.ofSeconds(2))
                    .rescueInterval(Duration.ofMillis(200))
                    .pollInterval(Duration.ofMillis(50))
                    .build())
            .build();
    worker.start();
    System.out.println(READY);
    new CountDownLatch(1).await();
  }

  private static void effect(Connection connection, String payload, String name)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO effects (job, step) VALUES (?, ?)")) {
      insert.setString(1, payload);
      insert.setString(2, name);
      insert.executeUpdate();
    }
  }
}
