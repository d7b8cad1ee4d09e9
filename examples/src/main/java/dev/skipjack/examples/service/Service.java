package dev.skipjack.examples.service;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.migrations.Migrations;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import dev.skipjack.worker.WorkerEvent;
import java.io.PrintStream;
import java.time.Duration;

/**
 * Runs until the process receives SIGTERM or Ctrl-C, as in a container.
 *
 * <p>What goes wrong: a report takes longer than the time allowed for stopping, so its job is
 * released for the next process.
 *
 * <p>If the database is unavailable, {@link Probes} report that the service is alive but not ready.
 */
public final class Service implements AutoCloseable {

  record Report(int minutes) {}

  static final JobType<Report> REPORT = JobType.of("report", Report.class);

  private final PrintStream out;
  private final HikariDataSource pool;
  private final HikariDataSource workersPool;
  private final Worker worker;

  private final Probes probes;

  private Service(String jdbcUrl, Duration drainTimeout, int port, PrintStream out) {
    this.out = out;
    this.pool = pool(jdbcUrl, 10);
    this.workersPool = pool(with(jdbcUrl, "socketTimeout=10"), 8);
    Migrations.migrate(pool);
    JobQueue queue = JobQueue.builder(pool).controlOn(workersPool).build();
    this.worker =
        Worker.on(queue)
            .handle(REPORT, this::write)
            .queue("default", 4)
            .config(WorkerConfig.builder().drainTimeout(drainTimeout).build())
            .listener(this::log)
            .build();
    this.probes = new Probes(port, worker);
    worker.start();
    probes.start();
    out.println("probes on port " + probes.port());
    queue.enqueue(REPORT, new Report(1));
  }

  private static HikariDataSource pool(String jdbcUrl, int size) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(with(jdbcUrl, "connectTimeout=5&loginTimeout=5&tcpKeepAlive=true"));
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(5_000);
    config.setValidationTimeout(2_000);
    return new HikariDataSource(config);
  }

  private static String with(String jdbcUrl, String parameters) {
    return jdbcUrl + (jdbcUrl.contains("?") ? "&" : "?") + parameters;
  }

  private Outcome write(Report report, JobContext context) throws InterruptedException {
    out.println("report " + context.jobId() + " begun");
    Thread.sleep(Duration.ofMinutes(report.minutes()).toMillis()); // ends when it is interrupted
    return Outcome.completed();
  }

  private void log(WorkerEvent event) {
    if (event instanceof WorkerEvent.Released released) {
      out.println("job " + released.attempt().jobId() + " released");
    }
  }

  // snippet: stop
  /**
   * Runs until the process receives a signal to stop.
   *
   * @param args a JDBC URL, the seconds that handlers get to finish at a stop, and the probes' port
   */
  public static void main(String[] args) {
    if (args.length != 3 || !args[1].matches("\\d{1,4}") || !args[2].matches("\\d{1,5}")) {
      System.err.println("Give three arguments: JDBC_URL DRAIN_SECONDS PROBE_PORT.");
      System.exit(2);
    }
    Duration drainTimeout = Duration.ofSeconds(Long.parseLong(args[1]));
    Service service = new Service(args[0], drainTimeout, Integer.parseInt(args[2]), System.out);
    Runtime.getRuntime().addShutdownHook(new Thread(service::end, "service-stop"));
  }

  /** Stops after the first signal. A second one ends the wait for running handlers. */
  private void end() {
    NextSignal.run(worker::stopNow);
    out.println("stopping");
    close();
  }

  /** Closes the worker first, because it still needs the pools to write outcomes. */
  @Override
  public void close() {
    worker.close();
    probes.close();
    workersPool.close();
    pool.close();
    out.println("stopped");
  }
  // end of snippet
}
