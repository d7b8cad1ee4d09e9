package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.operations.HeldLane;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests the period of a rate in a session whose time zone has summer time now and had none when the
 * period began. The days between contain one hour less than their number says.
 */
@QueueTest
class RateTimeZoneTest {

  /** Zones of both hemispheres, so that one of them has summer time. */
  private static final List<String> ZONES = List.of("Europe/Berlin", "Australia/Sydney");

  private Fixture fixture;
  private JobQueue queue;
  private int days;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    Instant now = Instant.now();
    String zone =
        ZONES.stream()
            .filter(name -> ZoneId.of(name).getRules().isDaylightSavings(now))
            .findFirst()
            .orElseThrow();
    days = 1;
    while (ZoneId.of(zone).getRules().isDaylightSavings(now.minus(Duration.ofDays(days)))) {
      days++;
    }
    queue = JobQueue.builder(inZone(database.dataSource(), zone)).schema(database.schema()).build();
    fixture.execute(
        "INSERT INTO @job_limits (name, rate_count, rate_period, rate_kind) VALUES ('api', 1, '%d days', 'sliding'); INSERT INTO @job_queues (queue, limit_name) VALUES ('default', 'api')"
            .formatted(days));
    fixture.enqueue(1);
  }

  private static DataSource inZone(DataSource target, String zone) {
    return JdbcProxy.of(
        DataSource.class,
        (method, args) -> {
          Object result = method.invoke(target, args);
          if (result instanceof Connection connection) {
            try (Statement statement = connection.createStatement()) {
              statement.execute("SET TIME ZONE '" + zone + "'");
            }
          }
          return result;
        });
  }

  /** Records a start of half an hour less than a period ago. */
  private void start() {
    fixture.execute(
        "INSERT INTO @job_rate_uses (limit_name, at, taken, full_at) SELECT 'api', at, 1, at FROM"
            + " (SELECT clock_timestamp() - interval '1 second' * (%d * 86400 - 1800) AS at) AS past"
                .formatted(days));
  }

  @Test
  void startsInsideThePeriodAreNotPruned() {
    start();

    queue.maintenance().prune();

    assertThat(fixture.value("SELECT count(*) FROM @job_rate_uses")).isEqualTo("1");
  }

  @Test
  void rateOpensAfterThePeriod() {
    start();
    Instant now = Instant.parse(fixture.value("SELECT to_json(clock_timestamp())#>>'{}'"));

    assertThat(queue.reader().held())
        .singleElement()
        .extracting(HeldLane::opensAt)
        .satisfies(
            opensAt ->
                assertThat(opensAt).isBetween(now.plusSeconds(1_700), now.plusSeconds(1_801)));
  }
}
