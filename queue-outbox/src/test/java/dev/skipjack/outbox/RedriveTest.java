package dev.skipjack.outbox;

import static dev.skipjack.outbox.Fixture.event;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests that redriven events are published in order, and wait for earlier dead events that block.
 */
@QueueTest
class RedriveTest {

  private static final Aggregate ORDER = new Aggregate("order", "1");

  private Fixture fixture;
  private OutboxAdmin admin;
  private final Set<String> broken = new HashSet<>();
  private final RecordingPublisher publisher =
      new RecordingPublisher(
          event ->
              broken.contains(event.type()) ? PublishResult.dead("broken") : PublishResult.sent());

  @BeforeEach
  void connect(QueueDatabase database) {
    fixture = new Fixture(database);
    admin = fixture.outbox.admin();
  }

  private void publish() throws InterruptedException {
    try (Relay relay = fixture.relay(publisher).build()) {
      relay.runUntilIdle();
    }
  }

  /** Records e1 to e4. Then e1 is dead and skipped, and e2 is dead and blocks the others. */
  private void recordSkippedAndBlocking() throws InterruptedException {
    broken.addAll(Set.of("e1", "e2"));
    fixture.record(event(1, "e1"), event(1, "e2"), event(1, "e3"), event(1, "e4"));
    publish();
    assertThat(admin.unblock(ORDER)).isTrue();
    publish();
    assertThat(publisher.types()).isEmpty();
    assertThat(statuses()).isEqualTo("e1 skipped, e2 dead, e3 blocked, e4 blocked");
    broken.clear();
  }

  private String statuses() {
    return fixture.value(
        "SELECT string_agg(event_type || ' ' || status, ', ' ORDER BY position) FROM @outbox_events");
  }

  @Test
  void aRedriveFreesNoAggregateThatAnotherDeadEventBlocks() throws Exception {
    recordSkippedAndBlocking();

    assertThat(admin.redrive(fixture.id("e1"))).isTrue();
    publish();

    assertThat(publisher.types()).containsExactly("e1");
    assertThat(statuses()).isEqualTo("e2 dead, e3 blocked, e4 blocked");
    assertThat(admin.blocked(10))
        .singleElement()
        .satisfies(blocked -> assertThat(blocked.retryAt()).isNull());

    assertThat(admin.redrive(fixture.id("e2"))).isTrue();
    publish();

    assertThat(publisher.types()).containsExactly("e1", "e2", "e3", "e4");
    assertThat(admin.blocked(10)).isEmpty();
  }

  @Test
  void aLaterDeadEventThatIsRedrivenWaitsForTheOneThatBlocks() throws Exception {
    broken.add("e1");
    fixture.record(event(1, "e1"), event(1, "e2"), event(1, "e3"));
    publish();
    fixture.execute(
        "UPDATE @outbox_events SET status = 'dead', died_at = now() WHERE event_type = 'e2'");
    broken.clear();

    assertThat(admin.redrive(fixture.id("e2"))).isTrue();
    publish();
    assertThat(publisher.types()).isEmpty();
    assertThat(admin.redrive(fixture.id("e1"))).isTrue();
    publish();

    assertThat(publisher.types()).containsExactly("e1", "e2", "e3");
  }

  @Test
  void theDeadEventsOfAnAggregateAreRedrivenInTheirOrder() throws Exception {
    recordSkippedAndBlocking();

    assertThat(admin.redrive(ORDER)).isEqualTo(2);
    assertThat(admin.redrive(ORDER)).isZero();
    publish();

    assertThat(publisher.types()).containsExactly("e1", "e2", "e3", "e4");
    assertThat(fixture.count("outbox_events") + fixture.count("outbox_blocked")).isZero();
  }

  @Test
  void givenEventsOfAnAggregateAreRedrivenTogether() throws Exception {
    recordSkippedAndBlocking();
    broken.add("other");
    fixture.record(event(2, "other"));
    publish();
    UUID unknown = UUID.randomUUID();
    List<UUID> events =
        new ArrayList<>(List.of(fixture.id("e2"), fixture.id("other"), unknown, fixture.id("e1")));
    broken.clear();

    assertThat(admin.redrive(events))
        .containsExactlyInAnyOrder(events.get(0), events.get(1), events.get(3));
    publish();

    assertThat(publisher.types()).contains("other").containsSubsequence("e1", "e2", "e3", "e4");
    assertThat(admin.redrive(events)).isEmpty();
  }

  @Test
  void theDeadEventsOfAnAggregateAreListedInTheirOrder() throws Exception {
    recordSkippedAndBlocking();
    broken.add("e1");
    assertThat(admin.redrive(fixture.id("e1"))).isTrue();
    publish();

    assertThat(admin.dead(10)).extracting(DeadEvent::type).containsExactly("e2", "e1");
    assertThat(admin.dead(ORDER, 10)).extracting(DeadEvent::type).containsExactly("e1", "e2");
    assertThat(admin.find(fixture.id("e1")).orElseThrow().status()).isEqualTo(EventStatus.DEAD);
  }

  @Test
  void unblockingSkipsEachDeadEvent() throws Exception {
    recordSkippedAndBlocking();

    assertThat(admin.unblock(ORDER)).isTrue();
    publish();

    assertThat(publisher.types()).containsExactly("e3", "e4");
    assertThat(statuses()).isEqualTo("e1 skipped, e2 skipped");
    assertThat(admin.find(fixture.id("e2")).orElseThrow().status()).isEqualTo(EventStatus.SKIPPED);
    assertThat(admin.lag().dead()).isEqualTo(2);
    assertThat(admin.redrive(fixture.id("e2"))).isTrue();
    publish();
    assertThat(publisher.types()).containsExactly("e3", "e4", "e2");
  }

  @Test
  void aDeadEventThatARelaySkipsBecomesSkipped() throws Exception {
    broken.add("e1");
    fixture.record(event(1, "e1"), event(1, "e2"));
    try (Relay relay = fixture.relay(publisher).skipDeadEvents().build()) {
      relay.runUntilIdle();
    }

    assertThat(publisher.types()).containsExactly("e2");
    assertThat(statuses()).isEqualTo("e1 skipped");
  }

  /**
   * The row that would make a relay read the events is missing, for example because an operator
   * deleted it.
   */
  @Test
  void eventsThatNoRelayWouldReadAreFreedByUnblocking() throws Exception {
    recordSkippedAndBlocking();
    fixture.execute("DELETE FROM @outbox_blocked");

    assertThat(admin.unblock(ORDER)).isTrue();
    publish();

    assertThat(publisher.types()).containsExactly("e3", "e4");
    assertThat(admin.unblock(ORDER)).isFalse();
  }
}
