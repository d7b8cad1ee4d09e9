package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests that the starts of concurrent claimers obey rates, in every period of the audit. Between
 * its parts, all claimers are replaced, and the clock of the database steps back or ahead.
 */
@QueueTest
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class RateConcurrencyIT {

  private static final int CLAIMERS = 4;
  private static final String LIMIT = "rated";
  private static final List<String> QUEUES = List.of("one", "two");
  private static final int GROUPS = 5;
  private static final int COUNT = 40;
  private static final int BURST = 15;
  private static final Duration PERIOD = Duration.ofMillis(120);
  private static final long PERIOD_MICROS = PERIOD.toNanos() / 1_000;
  private static final long INTERVAL_MICROS = PERIOD_MICROS / COUNT;

  /** The starts in each of the three parts. */
  private static final int STARTS = Boolean.getBoolean("skipjack.soak") ? 4_000 : 90;

  private final QueueDatabase database;
  private final LimitFixture limits;

  RateConcurrencyIT(QueueDatabase database) {
    this.database = database;
    this.limits = new LimitFixture(database);
  }

  @BeforeEach
  void createQueues() {
    limits.limit(LIMIT, null, null);
    for (String queue : QUEUES) {
      limits.queue(queue, LIMIT, queue.equals("one"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "bucket, false",
    "bucket, true",
    "sliding, false",
    "sliding, true",
    "fixed, false",
    "fixed, true"
  })
  void everyPeriodObeysTheRate(String kind, boolean perGroup) throws Exception {
    limits.rate(LIMIT, kind, COUNT, PERIOD, kind.equals("bucket") ? BURST : null, perGroup);
    int starts = perGroup ? STARTS * GROUPS : STARTS;
    for (String queue : QUEUES) {
      limits.enqueue(queue, GROUPS, 4 * starts / GROUPS);
    }

    run(starts);
    step("0.12 s"); // a multiple of the period, because fixed windows do not move
    run(starts);
    step("-0.24 s");
    run(starts);

    Audit audit = limits.audit();
    assertThat(audit.attempts()).hasSizeGreaterThanOrEqualTo(3 * starts);
    for (int group = 1; group <= (perGroup ? GROUPS : 1); group++) {
      String name = LimitFixture.group(group);
      assertObeys(
          kind, perGroup ? audit.where(attempt -> attempt.group().equals(name)) : audit, name);
    }
  }

  private static void assertObeys(String kind, Audit audit, String what) {
    switch (kind) {
      case "bucket" ->
          assertThat(audit.aboveBucket(BURST, INTERVAL_MICROS)).as(what).isLessThanOrEqualTo(0);
      case "sliding" -> assertThat(audit.mostStartsIn(PERIOD_MICROS)).as(what).isBetween(2, COUNT);
      default -> assertThat(audit.mostStartsInWindows(PERIOD_MICROS)).as(what).isBetween(2, COUNT);
    }
  }

  /**
   * Moves all recorded times ahead, as if the clock had stepped back, or back, as if it had stepped
   * ahead.
   */
  private void step(String back) {
    limits.fixture.execute(
        "UPDATE @job_rate_uses SET at = at + interval '%1$s', full_at = full_at + interval '%1$s'"
            .formatted(back));
    limits.fixture.execute(
        "UPDATE @job_executions SET started_at = started_at + interval '%1$s', finished_at = finished_at + interval '%1$s'"
            .formatted(back));
  }

  /** Runs new claimers until they have started a number of jobs. */
  private void run(int starts) throws Exception {
    AtomicInteger left = new AtomicInteger(starts);
    ExecutorService threads = Executors.newFixedThreadPool(CLAIMERS);
    try (HikariDataSource pool = database.newDataSource(CLAIMERS)) {
      List<Future<?>> all = new ArrayList<>();
      for (int n = 0; n < CLAIMERS; n++) {
        LimitClaims claims = limits.claims(pool, "claimer-" + n);
        String queue = QUEUES.get(n % QUEUES.size());
        int room = 1 + 7 * n;
        all.add(
            threads.submit(
                () -> {
                  while (left.get() > 0) {
                    List<ClaimedJob> claimed = claims.claim(queue, room, Fixture.LEASE);
                    left.addAndGet(-claimed.size());
                    if (!claimed.isEmpty()) {
                      claims.store().complete(claimed.stream().map(ClaimedJob::execution).toList());
                    }
                  }
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
