package dev.skipjack.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobType;
import dev.skipjack.api.operations.Doctor;
import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

@QueueTest
class QueueMetricsTest {

  private static final JobType<String> MAIL = JobType.of("mail", String.class).onQueue("emails");

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  // snippet: bind
  static void measure(JobQueue queue, MeterRegistry registry) {
    QueueMetrics.of(queue.reader(), queue.doctor()).bindTo(registry);
  }

  // end of snippet

  @Test
  void theStateOfTheQueuesIsMeasured(QueueDatabase database) throws SQLException {
    JobQueue queue = queue(database);
    fill(database, queue);
    measure(queue, registry);

    assertThat(readable()).isEqualTo(1);
    assertThat(gauge("skipjack.queue.jobs", "status", "pending")).isEqualTo(2);
    assertThat(gauge("skipjack.queue.jobs", "status", "dead")).isEqualTo(1);
    assertThat(gauge("skipjack.queue.age", "queue", "emails")).isBetween(600.0, 9_000.0);
    assertThat(gauge("skipjack.queue.paused", "queue", "emails")).isEqualTo(1);
    assertThat(gauge("skipjack.doctor.level", "check", "blocked-keys")).isEqualTo(1);
    assertThat(gauge("skipjack.doctor.level", "check", "workers")).isEqualTo(1);
    assertThat(gauge("skipjack.doctor.level", "check", "leases")).isZero();
  }

  @Test
  void jobsThatLimitsHoldAreMeasured(QueueDatabase database) throws SQLException {
    JobQueue queue = queue(database);
    queue.admin().limit("mailer", Limit.none().running(0).runningPerGroup(1));
    queue.admin().configure("emails", QueueSettings.defaults().limitedBy("mailer"));
    queue.enqueueAll(MAIL, List.of("a", "b"));
    execute(
        database,
        "INSERT INTO @jobs (queue, kind, payload, status, current_execution_id, lease_expires_at, started_at, limit_name)"
            + " VALUES ('emails', 'mail', '{}', 'running', 1, now(), now(), 'mailer')");
    measure(queue, registry);

    assertThat(readable()).isEqualTo(1);
    assertThat(gauge("skipjack.limit.running", "limit", "mailer")).isEqualTo(1);
    assertThat(gauge("skipjack.limit.held", "cause", "running")).isEqualTo(2);
    assertThat(gauge("skipjack.limit.held", "cause", "running_of_group")).isEqualTo(2);
  }

  /**
   * The first scrape reads the values, and Prometheus gets them with the next one at the latest.
   */
  @Test
  void prometheusGetsTheValues(QueueDatabase database) throws SQLException {
    JobQueue queue = queue(database);
    fill(database, queue);
    PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    measure(queue, prometheus);

    String first = prometheus.scrape();
    String second = prometheus.scrape();

    assertThat(first).contains("skipjack_queue_readable 1.0");
    assertThat(second)
        .contains(
            "skipjack_queue_jobs{queue=\"emails\",status=\"pending\"} 2.0",
            "skipjack_doctor_level{check=\"workers\"} 1.0",
            "skipjack_queue_paused{queue=\"emails\"} 1.0");
  }

  @Test
  void theDatabaseIsReadOnceAMinuteAndRemovedQueuesDisappear(QueueDatabase database)
      throws SQLException {
    JobQueue queue = queue(database);
    fill(database, queue);
    AtomicLong clock = new AtomicLong();
    new QueueMetrics(queue.reader(), queue.doctor(), clock::get).bindTo(registry);
    assertThat(readable()).isEqualTo(1);
    execute(database, "DELETE FROM @jobs");

    clock.set(Duration.ofSeconds(59).toNanos());
    assertThat(readable()).isEqualTo(1);
    assertThat(registry.find("skipjack.queue.jobs").gauges()).hasSize(2);
    clock.set(Duration.ofSeconds(60).toNanos());
    assertThat(readable()).isEqualTo(1);
    assertThat(registry.find("skipjack.queue.jobs").gauges()).isEmpty();
    assertThat(registry.find("skipjack.doctor.level").gauges()).isNotEmpty();
  }

  @Test
  void anUnavailableDatabaseIsReported(QueueDatabase database) {
    HikariDataSource pool = database.newDataSource(1);
    JobQueue queue = JobQueue.builder(pool).schema(database.schema()).build();
    queue.enqueue(MAIL, "");
    AtomicLong clock = new AtomicLong();
    new QueueMetrics(queue.reader(), queue.doctor(), clock::get).bindTo(registry);
    assertThat(readable()).isEqualTo(1);
    pool.close();
    clock.set(Duration.ofSeconds(60).toNanos());

    assertThat(readable()).isZero();
    assertThat(registry.getMeters()).hasSize(1);
  }

  /** A scrape must not wait for another scrape's query, which may take long. */
  @Test
  void otherThreadsGetTheLastValueDuringARead(QueueDatabase database) throws Exception {
    JobQueue queue = queue(database);
    CountDownLatch reading = new CountDownLatch(1);
    CountDownLatch proceed = new CountDownLatch(1);
    Doctor slow =
        () -> {
          reading.countDown();
          try {
            proceed.await();
          } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
          }
          return queue.doctor().run();
        };
    QueueMetrics.of(queue.reader(), slow).bindTo(registry);
    Thread first = new Thread(this::readable);
    first.start();
    try {
      reading.await();
      assertThat(readable()).isNaN();
    } finally {
      proceed.countDown();
      first.join();
    }
    assertThat(readable()).isEqualTo(1);
  }

  @Test
  void anErrorOfAReadIsReportedAndNotRepeatedForAMinute(QueueDatabase database) {
    AtomicInteger reads = new AtomicInteger();
    Doctor broken =
        () -> {
          reads.incrementAndGet();
          throw new NoClassDefFoundError("broken");
        };
    QueueMetrics.of(queue(database).reader(), broken).bindTo(registry);

    assertThat(readable()).isZero();
    assertThat(readable()).isZero();
    assertThat(reads).hasValue(1);
  }

  @Test
  void theDocumentHasEveryMeter(QueueDatabase database) throws IOException, SQLException {
    JobQueue queue = queue(database);
    fill(database, queue);
    measure(queue, registry);
    assertThat(readable()).isEqualTo(1);
    String document = Files.readString(Path.of("../../docs/metrics.md"));

    for (Meter meter : registry.getMeters()) {
      assertThat(document).contains("| `%s` | gauge |".formatted(meter.getId().getName()));
    }
  }

  private static JobQueue queue(QueueDatabase database) {
    return JobQueue.builder(database.dataSource()).schema(database.schema()).build();
  }

  /** Creates a paused queue without a worker, which has a dead job that blocks its ordering key. */
  private static void fill(QueueDatabase database, JobQueue queue) throws SQLException {
    for (int i = 0; i < 3; i++) {
      queue.enqueue(MAIL, "");
    }
    queue.admin().pause("emails");
    execute(
        database,
        "UPDATE @jobs SET scheduled_at = now() - interval '10 min'",
        "UPDATE @jobs SET status = 'dead', died_at = now(), ordering_key = 'k', ordering_head = true"
            + " WHERE id = (SELECT min(id) FROM @jobs)",
        "UPDATE @job_queues SET paused_at = now() - interval '1 min'");
  }

  private static void execute(QueueDatabase database, String... statements) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql.replace("@", "\"" + database.schema() + "\"."));
      }
    }
  }

  private double readable() {
    return registry.get("skipjack.queue.readable").gauge().value();
  }

  private double gauge(String name, String tag, String value) {
    Gauge gauge = registry.get(name).tag(tag, value).gauge();
    return gauge.value();
  }
}
