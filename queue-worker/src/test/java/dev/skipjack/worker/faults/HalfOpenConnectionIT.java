package dev.skipjack.worker.faults;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.faults.TcpProxy;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests connections that are open but pass no data. The driver's socketTimeout detects them for the
 * worker, and the server ends transactions that such a connection left open.
 */
@QueueTest
@Timeout(90)
class HalfOpenConnectionIT {

  private static final Duration SOCKET_TIMEOUT = Duration.ofSeconds(1);

  private final QueueDatabase database;
  private final TcpProxy proxy;
  private final HikariDataSource pool;
  private final EventLog events = new EventLog();
  private FaultFixture fixture;
  private Worker worker;

  HalfOpenConnectionIT(QueueDatabase database) {
    this.database = database;
    proxy = TcpProxy.before(database.jdbcUrl());
    HikariConfig settings = new HikariConfig();
    settings.setJdbcUrl(
        "%s&socketTimeout=%d&connectTimeout=1&loginTimeout=1"
            .formatted(proxy.url(database.jdbcUrl()), SOCKET_TIMEOUT.toSeconds()));
    settings.setMaximumPoolSize(8);
    settings.setConnectionTimeout(1_000);
    settings.setValidationTimeout(500);
    pool = new HikariDataSource(settings);
  }

  @BeforeEach
  void start() {
    fixture = new FaultFixture(database.dataSource(), database.schema());
    worker =
        Worker.on(JobQueue.builder(pool).schema(database.schema()).build())
            .handle(Task.TYPE, new TaskHandler(database.dataSource()))
            .queue("default", 2)
            .config(ForkedWorker.config())
            .listener(events)
            .start();
    fixture.enqueue(10, Task.Deed.WORK);
    fixture.assertAllDoneOnce();
  }

  @AfterEach
  void end() {
    worker.close();
    pool.close();
    proxy.close();
  }

  @Test
  void connectionsThatAFirewallForgotAreReplaced() {
    proxy.forgetOpen();
    fixture.enqueue(20, Task.Deed.WORK);
    fixture.assertAllDoneOnce();
  }

  /** New connections hang as well, so running jobs lose their leases and are rescued. */
  @Test
  void theWorkerWaitsForANetworkThatIsDownForSeveralLeases() {
    fixture.enqueue(50, Task.Deed.WORK_SLOWLY);
    proxy.blackHole();
    await()
        .atMost(FaultFixture.PATIENCE)
        .until(() -> events.hasFailed("claim-loop") && events.hasFailed("rescuer"));
    proxy.pass();
    fixture.enqueue(1, Task.Deed.WORK);
    // A claim that was cut off before its commit holds its jobs for another five seconds.
    fixture.assertAllDoneOnce();
  }
}
