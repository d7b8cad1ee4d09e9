package dev.skipjack.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.operations.Finding;
import dev.skipjack.api.operations.Finding.Level;
import dev.skipjack.api.operations.Fix;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests what the outbox adds to the doctor and to maintenance of a queue without further setup. */
@QueueTest
class OutboxDoctorTest {

  private Fixture fixture;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    fixture.queue.maintenance().createPartitions(Duration.ofDays(14));
  }

  @Test
  void theChecksOfTheOutboxFollowThoseOfTheQueue() {
    List<Finding> findings = fixture.queue.doctor().run();

    assertThat(findings.subList(findings.size() - 3, findings.size()))
        .extracting(Finding::check)
        .containsExactly("blocked-keys", "dead-events", "relays");
    assertThat(findings)
        .filteredOn(finding -> List.of("dead-events", "relays").contains(finding.check()))
        .allSatisfy(finding -> assertThat(finding.level()).isEqualTo(Level.GREEN))
        .allSatisfy(finding -> assertThat(finding.meaning()).endsWith("."));
  }

  @Test
  void aMissingPartitionOfPublishedEventsIsRedOnceARelayHasRun() {
    fixture.execute("UPDATE @outbox_shards SET lease_id = 0");
    dropPartitions();
    assertThat(level("partitions")).isEqualTo(Level.GREEN);
    assertThat(fixture.queue.maintenance().createPartitions(Duration.ofDays(14)).created())
        .isEmpty();

    fixture.execute("UPDATE @outbox_shards SET lease_id = 1 WHERE shard = 7");
    assertThat(level("partitions")).isEqualTo(Level.RED);
    assertThat(finding("partitions").sentence()).startsWith("Partition outbox_published_");
    fixture.queue.maintenance().createPartitions(Duration.ofDays(1));
    assertThat(level("partitions")).isEqualTo(Level.YELLOW);
    assertThat(fixture.queue.maintenance().createPartitions(Duration.ofDays(14)).created())
        .isNotEmpty()
        .allSatisfy(name -> assertThat(name).startsWith("outbox_published_"));
    assertThat(level("partitions")).isEqualTo(Level.GREEN);
  }

  private void dropPartitions() {
    fixture.execute(
        "DO $$ DECLARE child regclass; BEGIN FOR child IN SELECT inhrelid::regclass FROM"
            + " pg_inherits WHERE inhparent = '@outbox_published'::regclass LOOP EXECUTE"
            + " 'DROP TABLE ' || child; END LOOP; END $$");
  }

  @Test
  void aDeadEventIsYellow() {
    fixture.execute(event("dead", "died_at", "now()"));
    String id = fixture.value("SELECT event_id FROM @outbox_events");

    assertThat(level("dead-events")).isEqualTo(Level.YELLOW);
    assertThat(finding("dead-events").sentence())
        .isEqualTo("1 event is dead, for example %s.".formatted(id));
    assertThat(finding("dead-events").fix())
        .isEqualTo(
            new Fix(
                "skipjack outbox redrive " + id,
                "outbox.admin().redrive(UUID.fromString(\"%s\")), or unblock its aggregate"
                    .formatted(id)));
    assertThat(level("relays")).isEqualTo(Level.GREEN);
    fixture.execute("UPDATE @outbox_events SET status = 'skipped'");
    assertThat(level("dead-events")).isEqualTo(Level.YELLOW);
  }

  @Test
  void anEventThatNoRelayPublishesIsRed() {
    fixture.execute(
        "UPDATE @outbox_shards SET leased_at = '-infinity', lease_expires_at = NULL, leased_by ="
            + " NULL");
    fixture.execute(event("pending", "recorded_at", "now() - interval '2 h 5 min'"));

    assertThat(level("dead-events")).isEqualTo(Level.GREEN);
    assertThat(level("relays")).isEqualTo(Level.RED);
    assertThat(finding("relays").sentence())
        .startsWith("No relay runs, and the oldest event has been pending for 2 h ");
    fixture.execute(
        "UPDATE @outbox_shards SET lease_expires_at = now() + interval '1 day' WHERE shard = 7");
    assertThat(level("relays")).isEqualTo(Level.YELLOW);
    assertThat(finding("relays").sentence()).startsWith("The oldest event of the outbox has been ");
    fixture.execute(
        "UPDATE @outbox_shards SET lease_expires_at = NULL, leased_at = now() + interval '1 day'"
            + " WHERE shard = 7");
    assertThat(level("relays")).isEqualTo(Level.YELLOW);
    fixture.execute("UPDATE @outbox_events SET recorded_at = now() + interval '1 day'");
    assertThat(level("relays")).isEqualTo(Level.GREEN);
    fixture.execute("UPDATE @outbox_shards SET leased_at = '-infinity'");
    assertThat(level("relays")).isEqualTo(Level.GREEN);
  }

  @Test
  void aRetryThatNoRelayMakesIsRed() {
    fixture.execute(
        "UPDATE @outbox_shards SET leased_at = '-infinity', lease_expires_at = NULL, leased_by ="
            + " NULL");
    fixture.execute(event("blocked", "recorded_at", "now() - interval '3 h'"));
    fixture.execute(
        "INSERT INTO @outbox_blocked (aggregate_type, aggregate_id, shard, retry_at)"
            + " VALUES ('order', '1', 7, now() + interval '1 h'), ('order', '2', 7, NULL)");

    assertThat(level("relays")).isEqualTo(Level.GREEN);
    fixture.execute(
        "UPDATE @outbox_blocked SET retry_at = now() - interval '2 h 5 min' WHERE retry_at IS NOT"
            + " NULL");
    assertThat(level("relays")).isEqualTo(Level.RED);
    assertThat(finding("relays").sentence())
        .startsWith("No relay runs, and the retry of a blocked aggregate has been due for 2 h ");
    fixture.execute(
        "UPDATE @outbox_shards SET lease_expires_at = now() + interval '1 day' WHERE shard = 7");
    assertThat(level("relays")).isEqualTo(Level.YELLOW);
    assertThat(finding("relays").sentence())
        .startsWith("The retry of a blocked aggregate of the outbox has been due for 2 h ");
    fixture.execute(event("pending", "recorded_at", "now() - interval '3 h'"));
    assertThat(finding("relays").sentence())
        .startsWith("The oldest event of the outbox has been pending for 3 h ");
  }

  private static String event(String status, String column, String time) {
    return """
    INSERT INTO @outbox_events (event_id, shard, aggregate_type, aggregate_id, event_type, payload, status, %2$s)
    VALUES (gen_random_uuid(), 7, 'order', '1', 'order-placed', '', '%1$s', %3$s)
    """
        .formatted(status, column, time);
  }

  private Finding finding(String check) {
    return fixture.queue.doctor().run().stream()
        .filter(finding -> finding.check().equals(check))
        .findFirst()
        .orElseThrow();
  }

  private Level level(String check) {
    return finding(check).level();
  }
}
