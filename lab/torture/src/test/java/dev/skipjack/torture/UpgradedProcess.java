package dev.skipjack.torture;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.migrations.Migrations;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/**
 * A worker of one build, whose jobs enqueue further jobs. {@link UpgradeIT} runs it with the jars
 * of two builds, so it uses only what the oldest of them has.
 */
final class UpgradedProcess {

  static final String SCHEMA = "upgrade";

  static final String TABLES =
      """
      CREATE TABLE produced (number integer PRIMARY KEY);
      CREATE TABLE effects (number integer, worker text, at timestamptz DEFAULT clock_timestamp());
      CREATE TABLE stopped ();
      """;

  record Numbered(int number) {}

  /** An odd number, so that each chain has both kinds of effects. */
  private static final int CHAINS = 7;

  /** The delay of a job. It also leaves processor time to the other processes. */
  private static final Duration PAUSE = Duration.ofMillis(20);

  private static final JobType<Numbered> COUNT = JobType.of("count", Numbered.class);

  private final HikariDataSource dataSource;
  private final String name;
  private final JobQueue queue;

  private UpgradedProcess(HikariDataSource dataSource, String name) {
    this.dataSource = dataSource;
    this.name = name;
    this.queue = JobQueue.builder(dataSource).schema(SCHEMA).build();
  }

  /**
   * Starts chains of jobs and works until it is terminated.
   *
   * @param args the JDBC URL, the name of the worker and the number of its first job
   */
  public static void main(String[] args) throws SQLException {
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(args[0]);
    pool.setMaximumPoolSize(8);
    new UpgradedProcess(new HikariDataSource(pool), args[1]).start(Integer.parseInt(args[2]));
  }

  private void start(int first) throws SQLException {
    System.out.println(
        "build " + JobQueue.class.getProtectionDomain().getCodeSource().getLocation());
    System.out.println("migrations " + Migrations.migrate(dataSource, SCHEMA));
    Worker worker =
        Worker.on(queue)
            .name(name)
            .queue("default", 3)
            .handle(COUNT, this::count)
            .config(WorkerConfig.builder().pollInterval(PAUSE).build())
            .start();
    Runtime.getRuntime().addShutdownHook(new Thread(worker::close));
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      for (int number = first; number < first + CHAINS; number++) {
        produce(connection, number);
      }
      connection.commit();
    }
  }

  /** Enqueues the next job of its chain. Every other effect commits with its job. */
  private Outcome count(Numbered job, JobContext context) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement insert =
            connection.prepareStatement("INSERT INTO effects (number, worker) VALUES (?, ?)")) {
      connection.setAutoCommit(false);
      insert.setInt(1, job.number());
      insert.setString(2, name);
      insert.executeUpdate();
      produce(connection, job.number() + CHAINS);
      if (job.number() % 2 == 0) {
        context.completeIn(connection);
      }
      connection.commit();
    }
    return Outcome.completed();
  }

  /** Enqueues a job with its number's row, unless the test has stopped the chains. */
  private void produce(Connection connection, int number) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO produced SELECT ? WHERE NOT EXISTS (SELECT FROM stopped)")) {
      insert.setInt(1, number);
      if (insert.executeUpdate() == 1) {
        queue.in(connection).enqueue(COUNT, new Numbered(number), at -> at.delay(PAUSE));
      }
    }
  }
}
