package dev.skipjack.worker.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.faults.FaultyDataSource;
import dev.skipjack.faults.TcpProxy;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests a database with a round-trip time of 50 ms, where the number of round trips matters most.
 */
@QueueTest
@Timeout(60)
class SlowNetworkIT {

  private static final int JOBS = 1_000;

  @Test
  void jobsAreClaimedAndWrittenByTheHundred(QueueDatabase database) {
    FaultFixture fixture = new FaultFixture(database.dataSource(), database.schema());
    fixture.enqueue(JOBS, Task.Deed.WORK);
    try (TcpProxy proxy = TcpProxy.before(database.jdbcUrl());
        HikariDataSource pool = new HikariDataSource(settings(proxy.url(database.jdbcUrl())))) {
      proxy.latency(Duration.ofMillis(25), Duration.ofMillis(25));
      FaultyDataSource counting = new FaultyDataSource(pool);
      try (Worker worker =
          Worker.on(JobQueue.builder(counting).schema(database.schema()).build())
              .handle(Task.TYPE, new TaskHandler(database.dataSource()))
              .queue("default", 50)
              .start()) {
        fixture.assertAllDoneOnce();
        assertThat(worker.status().started()).isTrue();
      }
      assertThat(counting.count(FaultyDataSource.Step.COMMIT)).isLessThan(JOBS / 5);
    }
  }

  private static HikariConfig settings(String url) {
    HikariConfig settings = new HikariConfig();
    settings.setJdbcUrl(url);
    settings.setMaximumPoolSize(8);
    return settings;
  }
}
