package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that throttles stop the starts of 16 claimers that hold the lock of their limit almost
 * always, in sessions with a {@code lock_timeout} of a quarter of a second.
 */
@QueueTest
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class ThrottleIT {

  private static final int CLAIMERS = 16;
  private static final int THROTTLES = 20;

  @Test
  void everyThrottleStopsSixteenClaimers(QueueDatabase database) throws Exception {
    LimitFixture limits = new LimitFixture(database);
    limits.limit("shared", 1_000, null);
    limits.queue("one", "shared", true);
    limits.enqueue("one", 4, 20_000);
    SteppedDataSource impatient = new SteppedDataSource(database.dataSource());
    impatient.rewrite(sql -> sql.replace("'30s'", "'250ms'"));
    LimitClaims claims = limits.claims(impatient.dataSource, "throttled");
    Execution running = claims.claim("one", 1, Fixture.LEASE).get(0).execution();
    AtomicBoolean stop = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(CLAIMERS);
    try (HikariDataSource pool = database.newDataSource(CLAIMERS)) {
      List<Future<?>> all = new ArrayList<>();
      for (int n = 0; n < CLAIMERS; n++) {
        LimitClaims claimer = limits.claims(pool, "claimer-" + n);
        all.add(
            threads.submit(
                () -> {
                  while (!stop.get()) {
                    List<ClaimedJob> claimed = claimer.claim("one", 3, Fixture.LEASE);
                    if (!claimed.isEmpty()) {
                      claimer
                          .store()
                          .complete(claimed.stream().map(ClaimedJob::execution).toList());
                    }
                  }
                }));
      }
      for (int n = 0; n < THROTTLES; n++) {
        assertThat(claims.store().throttle(running, false, Duration.ofMinutes(10))).isTrue();
        String starts = starts(limits);
        assertThat(claims.claim("one", 3, Fixture.LEASE)).isEmpty();
        assertThat(starts(limits)).as("starts after throttle %d", n).isEqualTo(starts);
        limits.fixture.queue.admin().resetLimit("shared");
        Rival.soon().until(() -> !starts(limits).equals(starts));
      }
      stop.set(true);
      for (Future<?> each : all) {
        each.get();
      }
    } finally {
      stop.set(true);
      threads.shutdownNow();
    }
  }

  private static String starts(LimitFixture limits) {
    return limits.fixture.value("SELECT count(*) FROM @job_executions");
  }
}
