package dev.skipjack.outbox;

import static dev.skipjack.outbox.Fixture.event;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobType;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.io.IOException;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class RelayTest {

  record Notice(String type) {}

  private Fixture fixture;

  @BeforeEach
  void connect(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  private static void drain(Relay.Builder builder) throws InterruptedException {
    try (Relay relay = builder.build()) {
      relay.runUntilIdle();
    }
  }

  @Test
  void publishedEventsAreKeptAsHistory() throws Exception {
    RecordingPublisher publisher = new RecordingPublisher();
    fixture.record(event(1, "a"), event(2, "b"), event(1, "c"));

    try (Relay relay = fixture.relay(publisher).build()) {
      relay.runUntilIdle();
      assertThat(relay.stats()).isEqualTo(new RelayStats(3, 0, 0, 0, 0, 0, 0, 0, 0));
    }

    assertThat(fixture.count("outbox_events")).isZero();
    assertThat(
            fixture.value(
                "SELECT string_agg(event_type, ',' ORDER BY position) FROM @outbox_published"))
        .isEqualTo("a,b,c");
    assertThat(
            fixture.value("SELECT count(*) FROM @outbox_shards WHERE lease_expires_at IS NOT NULL"))
        .isEqualTo("0");
  }

  @Test
  void withoutRetentionPublishedEventsAreRemoved() throws Exception {
    fixture.record(event(1, "a"));

    drain(fixture.relay(new RecordingPublisher()).retention(Duration.ZERO));

    assertThat(fixture.count("outbox_events") + fixture.count("outbox_published")).isZero();
  }

  @Test
  void aBatchEndsWithTheEventThatExceedsItsSize() throws Exception {
    List<Integer> batches = new ArrayList<>();
    AtomicBoolean isDown = new AtomicBoolean(true);
    RecordingPublisher publisher =
        new RecordingPublisher(
            event -> isDown.get() ? PublishResult.retry("down") : PublishResult.sent());
    Publisher counting =
        batch -> {
          batches.add(batch.events().size());
          return publisher.publish(batch);
        };
    List<String> types = List.of("a", "b", "c", "d", "e");
    fixture.record(
        types.stream()
            .map(type -> event(1, type).payload(new byte[400], "application/octet-stream"))
            .toArray(Event[]::new));
    Relay.Builder relay = fixture.relay(counting).batchBytes(1_000);

    drain(relay.backoff(Backoff.fixed(Duration.ofHours(1))));
    assertThat(batches).as("the first fails, so the others are blocked").containsExactly(3);
    assertThat(fixture.value("SELECT string_agg(status, ',') FROM @outbox_events"))
        .isEqualTo("blocked,blocked,blocked,blocked,blocked");
    isDown.set(false);
    fixture.outbox.admin().unblock(new Aggregate("order", "1"));
    drain(relay);

    assertThat(batches).containsExactly(3, 3, 2);
    assertThat(publisher.types()).isEqualTo(types);
    assertThat(fixture.count("outbox_blocked")).isZero();
  }

  @Test
  void aBatchReportsWhetherMoreEventsWait() throws Exception {
    List<String> batches = new ArrayList<>();
    Publisher publisher =
        batch -> {
          batches.add(batch.events().size() + " " + batch.hasMore());
          return batch.events().stream().map(event -> PublishResult.sent()).toList();
        };
    List<Event> events = new ArrayList<>(Collections.nCopies(9, event(1, "a")));
    fixture.record(events.toArray(Event[]::new));
    drain(fixture.relay(publisher).batchSize(4));
    assertThat(batches).as("by number").containsExactly("4 true", "4 true", "1 false");

    batches.clear();
    events.replaceAll(event -> event.payload(new byte[400], "application/octet-stream"));
    fixture.record(events.toArray(Event[]::new));
    drain(fixture.relay(publisher).batchBytes(1_700));
    assertThat(batches).as("by size").containsExactly("5 true", "4 true");

    batches.clear();
    fixture.record(
        IntStream.range(0, 40)
            .mapToObj(i -> new Aggregate("order", "" + i))
            .filter(distinct(Aggregate::shard))
            .map(aggregate -> Event.of(aggregate.type(), aggregate.id(), "a"))
            .toArray(Event[]::new));
    drain(fixture.relay(publisher).shards(32).batchSize(64));
    assertThat(batches).as("less than two in each shard").allMatch(each -> each.endsWith("false"));
  }

  private static <T> Predicate<T> distinct(Function<T, Object> key) {
    Set<Object> seen = new HashSet<>();
    return value -> seen.add(key.apply(value));
  }

  @Test
  void retriesOfManyAggregatesDoNotExceedTheSizeOfABatch() throws Exception {
    List<Integer> batches = new ArrayList<>();
    AtomicBoolean isDown = new AtomicBoolean(true);
    Publisher publisher =
        batch -> {
          batches.add(batch.events().size());
          return batch.events().stream()
              .map(event -> isDown.get() ? PublishResult.retry("down") : PublishResult.sent())
              .toList();
        };
    int shard = new Aggregate("order", "0").shard();
    int[] aggregates =
        IntStream.iterate(0, i -> i + 1)
            .filter(i -> new Aggregate("order", "" + i).shard() == shard)
            .limit(5)
            .toArray();
    for (int aggregate : aggregates) {
      fixture.record(event(aggregate, "a"), event(aggregate, "b"), event(aggregate, "c"));
    }
    Relay.Builder relay = fixture.relay(publisher).batchSize(4);
    drain(relay.backoff(Backoff.fixed(Duration.ofHours(1))));
    for (int aggregate : aggregates) {
      assertThat(fixture.outbox.admin().unblock(new Aggregate("order", "" + aggregate))).isTrue();
    }
    isDown.set(false);
    batches.clear();

    drain(relay);

    assertThat(batches).containsExactly(4, 4, 4, 3);
    assertThat(fixture.count("outbox_published")).isEqualTo(15);
    assertThat(fixture.count("outbox_blocked")).isZero();
  }

  @Test
  void anEventThatIsCommittedAfterLaterOnesIsPublished() throws Exception {
    RecordingPublisher publisher = new RecordingPublisher();
    try (Connection late = fixture.database.connection()) {
      late.setAutoCommit(false);
      fixture.outbox.in(late).record(event(1, "late"));
      fixture.record(event(1, "early"), event(2, "other"));
      drain(fixture.relay(publisher));
      assertThat(publisher.types()).containsExactlyInAnyOrder("early", "other");

      late.commit();
    }
    drain(fixture.relay(publisher));

    assertThat(publisher.types()).hasSize(3).last().isEqualTo("late");
  }

  @Test
  void aFailedEventIsTriedAgainBeforeTheLaterOnesOfItsAggregate() throws Exception {
    AtomicInteger failures = new AtomicInteger();
    RecordingPublisher publisher =
        new RecordingPublisher(
            event ->
                event.type().equals("a") && failures.getAndIncrement() < 3
                    ? PublishResult.retry("not yet")
                    : PublishResult.sent());
    fixture.record(event(1, "a"), event(1, "b"), event(2, "other"), event(1, "c"));

    try (Relay relay = fixture.relay(publisher).build()) {
      relay.runUntilIdle();
      assertThat(relay.stats()).isEqualTo(new RelayStats(4, 3, 0, 0, 0, 0, 0, 0, 0));
    }

    assertThat(publisher.types()).containsSubsequence("other", "a");
    assertThat(publisher.types()).containsSubsequence("a", "b", "c");
    assertThat(publisher.sent.stream().filter(event -> event.type().equals("a")).findFirst())
        .hasValueSatisfying(event -> assertThat(event.failures()).isEqualTo(3));
    assertThat(fixture.count("outbox_blocked")).isZero();
  }

  @Test
  void eventsRecordedWhileAnAggregateIsBlockedWait() throws Exception {
    AtomicBoolean isDown = new AtomicBoolean(true);
    RecordingPublisher publisher =
        new RecordingPublisher(
            event -> isDown.get() ? PublishResult.retry("down") : PublishResult.sent());
    Relay.Builder relay = fixture.relay(publisher).backoff(Backoff.fixed(Duration.ofHours(1)));
    fixture.record(event(1, "a"));
    drain(relay);
    fixture.record(event(1, "b"));
    isDown.set(false);
    drain(relay);
    assertThat(publisher.types()).isEmpty();
    assertThat(fixture.value("SELECT string_agg(status, ',') FROM @outbox_events"))
        .isEqualTo("blocked,blocked");

    assertThat(fixture.outbox.admin().unblock(new Aggregate("order", "1"))).isTrue();
    fixture.record(event(1, "c"));
    drain(relay);

    assertThat(publisher.types()).containsExactly("a", "b", "c");
    assertThat(fixture.count("outbox_blocked")).isZero();
  }

  @Test
  void theDelayThatTheDestinationAsksForReplacesTheBackoff() throws Exception {
    RecordingPublisher publisher =
        new RecordingPublisher(event -> PublishResult.retryAfter("busy", Duration.ofMinutes(10)));
    fixture.record(event(1, "a"));

    drain(fixture.relay(publisher));

    assertThat(
            fixture.value(
                "SELECT retry_at - clock_timestamp() BETWEEN interval '9 min' AND interval '10 min'"
                    + " FROM @outbox_blocked"))
        .isEqualTo("t");
  }

  @Test
  void aPostponedEventWaitsWithItsAggregateAndNoAttemptCounts() throws Exception {
    Deque<PublishResult> first =
        new ArrayDeque<>(List.of(PublishResult.postponed(Duration.ofMinutes(30))));
    RecordingPublisher published =
        new RecordingPublisher(
            event ->
                event.type().equals("a") && !first.isEmpty() ? first.pop() : PublishResult.sent());
    fixture.record(event(1, "a"), event(1, "b"), event(2, "c"));
    drain(fixture.relay(published));

    assertThat(published.types()).containsExactly("c");
    assertThat(
            fixture.value(
                "SELECT string_agg(event_type || status || attempts, ',' ORDER BY position)"
                    + " FROM @outbox_events WHERE last_error IS NULL"))
        .isEqualTo("ablocked0,bblocked0");
    assertThat(
            fixture.value(
                "SELECT retry_at BETWEEN now() + interval '29 min' AND now() + interval '30 min'"
                    + " FROM @outbox_blocked"))
        .isEqualTo("t");

    fixture.execute("UPDATE @outbox_blocked SET retry_at = now()");
    drain(fixture.relay(published));
    assertThat(published.types()).containsExactly("c", "a", "b");
    assertThat(fixture.count("outbox_blocked")).isZero();
  }

  @Test
  void aDeadEventBlocksOnlyItsOwnAggregate() throws Exception {
    RecordingPublisher publisher =
        new RecordingPublisher(
            event ->
                event.type().equals("poison")
                    ? PublishResult.dead("too large")
                    : PublishResult.sent());
    fixture.record(event(1, "a"), event(1, "poison"), event(1, "b"), event(2, "c"), event(2, "d"));

    drain(fixture.relay(publisher));
    fixture.record(event(1, "e"));
    drain(fixture.relay(publisher));

    assertThat(publisher.types()).containsExactlyInAnyOrder("a", "c", "d");
    assertThat(fixture.outbox.admin().dead(10))
        .singleElement()
        .satisfies(
            dead -> {
              assertThat(dead.type()).isEqualTo("poison");
              assertThat(dead.reason()).isEqualTo("too large");
              assertThat(dead.failures()).isEqualTo(1);
              assertThat(dead.aggregate()).isEqualTo(new Aggregate("order", "1"));
            });
    OutboxLag lag = fixture.outbox.admin().lag();
    assertThat(lag).isEqualTo(new OutboxLag(2, Duration.ZERO, 1, 1));
  }

  @Test
  void aRetryThatNoRelayMakesCountsAsLag() throws Exception {
    fixture.record(event(1, "a"));
    drain(
        fixture
            .relay(new RecordingPublisher(event -> PublishResult.retry("no luck")))
            .backoff(Backoff.fixed(Duration.ofHours(1))));
    assertThat(fixture.outbox.admin().lag()).isEqualTo(new OutboxLag(1, Duration.ZERO, 1, 0));

    fixture.execute("UPDATE @outbox_blocked SET retry_at = now() - interval '2 h'");
    assertThat(fixture.outbox.admin().lag().oldest())
        .isBetween(Duration.ofHours(2), Duration.ofHours(3));

    fixture.record(event(2, "b"));
    fixture.execute(
        "UPDATE @outbox_events SET recorded_at = now() - interval '5 h' WHERE event_type = 'b'");
    assertThat(fixture.outbox.admin().lag().oldest())
        .isBetween(Duration.ofHours(5), Duration.ofHours(6));
  }

  @Test
  void anEventIsDeadAfterItsLastAttempt() throws Exception {
    AtomicInteger tries = new AtomicInteger();
    RecordingPublisher publisher =
        new RecordingPublisher(
            event -> {
              tries.incrementAndGet();
              return PublishResult.retry("no luck");
            });
    fixture.record(event(1, "a"));

    try (Relay relay = fixture.relay(publisher).maxAttempts(4).build()) {
      relay.runUntilIdle();
      assertThat(relay.stats()).isEqualTo(new RelayStats(0, 3, 1, 0, 0, 0, 0, 0, 0));
    }

    assertThat(tries).hasValue(4);
    assertThat(fixture.outbox.admin().dead(1)).hasSize(1);
  }

  @Test
  void aRedrivenEventIsPublishedBeforeThoseThatWaitForIt() throws Exception {
    AtomicBoolean isFixed = new AtomicBoolean();
    RecordingPublisher publisher =
        new RecordingPublisher(
            event ->
                event.type().equals("poison") && !isFixed.get()
                    ? PublishResult.dead("broken")
                    : PublishResult.sent());
    fixture.record(event(1, "poison"), event(1, "b"));
    drain(fixture.relay(publisher));
    isFixed.set(true);
    drain(fixture.relay(publisher));
    assertThat(publisher.types()).isEmpty();

    assertThat(fixture.outbox.admin().redrive(fixture.id("poison"))).isTrue();
    assertThat(fixture.outbox.admin().redrive(fixture.id("poison"))).isFalse();
    drain(fixture.relay(publisher));

    assertThat(publisher.types()).containsExactly("poison", "b");
    assertThat(fixture.count("outbox_events") + fixture.count("outbox_blocked")).isZero();
  }

  @Test
  void anUnblockedAggregateContinuesWithoutItsDeadEvent() throws Exception {
    RecordingPublisher publisher =
        new RecordingPublisher(
            event ->
                event.type().equals("poison") ? PublishResult.dead("x") : PublishResult.sent());
    fixture.record(event(1, "poison"), event(1, "b"));
    fixture.record(event(2, "poison"));
    drain(fixture.relay(publisher));

    assertThat(fixture.outbox.admin().unblock(new Aggregate("order", "1"))).isTrue();
    assertThat(fixture.outbox.admin().unblock(new Aggregate("order", "2"))).isTrue();
    assertThat(fixture.outbox.admin().unblock(new Aggregate("order", "3"))).isFalse();
    drain(fixture.relay(publisher));

    assertThat(publisher.types()).containsExactly("b");
    assertThat(fixture.count("outbox_blocked")).isZero();
    assertThat(fixture.outbox.admin().dead(10)).hasSize(2);
  }

  @Test
  void anAggregateThatIsUnblockedDuringABatchLosesNoEvent() throws Exception {
    RecordingPublisher accepting =
        new RecordingPublisher(
            event ->
                event.type().equals("poison") ? PublishResult.dead("x") : PublishResult.sent());
    fixture.record(event(1, "poison"));
    drain(fixture.relay(accepting));
    // The batch of "other" fetches this event and finds its aggregate blocked.
    fixture.record(event(1, "waiting"));
    fixture.record(event(2, "other"));
    Publisher unblocking =
        batch -> {
          fixture.outbox.admin().unblock(new Aggregate("order", "1"));
          return accepting.publish(batch);
        };

    drain(fixture.relay(unblocking).shards(32));

    assertThat(accepting.types()).containsExactly("other", "waiting");
    assertThat(fixture.count("outbox_blocked")).isZero();
  }

  @Test
  void skippedDeadEventsBlockNothing() throws Exception {
    RecordingPublisher publisher =
        new RecordingPublisher(
            event ->
                switch (event.type()) {
                  case "poison" -> PublishResult.dead("x");
                  case "retried" ->
                      event.failures() < 1 ? PublishResult.retry("y") : PublishResult.dead("z");
                  default -> PublishResult.sent();
                });
    fixture.record(
        event(1, "poison"), event(1, "b"), event(1, "retried"), event(1, "c"), event(1, "d"));

    drain(fixture.relay(publisher).skipDeadEvents());

    assertThat(publisher.types()).containsExactly("b", "c", "d");
    assertThat(fixture.outbox.admin().dead(10)).hasSize(2);
    assertThat(fixture.count("outbox_blocked")).isZero();
  }

  @Test
  void whileTheDestinationIsUnavailableNoAttemptCounts() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    Publisher publisher =
        batch -> {
          calls.incrementAndGet();
          throw new IOException("connection refused");
        };
    for (int i = 0; i < 20; i++) {
      fixture.record(event(i, "e" + i));
    }

    try (Relay relay = fixture.relay(publisher).maxAttempts(1).shards(32).build()) {
      relay.runUntilIdle();
      assertThat(relay.stats()).isEqualTo(new RelayStats(0, 0, 0, 0, 0, 0, 1, 0, 0));
    }

    assertThat(calls).as("the batch, then three events").hasValue(4);
    assertThat(
            fixture.value(
                "SELECT sum(attempts) || ' ' || min(status) || ' ' || max(status) FROM"
                    + " @outbox_events"))
        .isEqualTo("0 pending pending");
    assertThat(
            fixture.value("SELECT count(*) FROM @outbox_shards WHERE lease_expires_at IS NOT NULL"))
        .isEqualTo("0");
  }

  @Test
  void anOutageThatFollowsSuccessesCountsNoAttempt() throws Exception {
    AtomicBoolean isDown = new AtomicBoolean();
    RecordingPublisher publisher =
        new RecordingPublisher(
            event -> {
              if (isDown.get()) {
                throw new IllegalStateException("connection refused");
              }
              return PublishResult.sent();
            });
    try (Relay relay = fixture.relay(publisher).maxAttempts(1).shards(1).build()) {
      fixture.record(event(1, "before"), event(2, "before"));
      relay.runUntilIdle();
      isDown.set(true);
      for (int i = 0; i < 20; i++) {
        fixture.record(event(i, "during"));
        relay.runUntilIdle();
      }
      assertThat(relay.stats()).isEqualTo(new RelayStats(2, 0, 0, 0, 0, 0, 20, 0, 0));
      isDown.set(false);
      relay.runUntilIdle();
      assertThat(relay.stats().published()).isEqualTo(22);
    }
  }

  @Test
  void anEventThatIsAloneInItsBatchesDiesIfOthersArePublishedInBetween() throws Exception {
    RecordingPublisher publisher = failingOnPoison();
    Aggregate poisoned = new Aggregate("order", "1");
    List<Integer> others =
        IntStream.iterate(2, i -> i + 1)
            .filter(i -> new Aggregate("order", "" + i).shard() != poisoned.shard())
            .limit(10)
            .boxed()
            .toList();
    fixture.record(event(1, "poison"), event(1, "later"));

    // A batch has one shard, so it contains the two events of the aggregate or one of the others.
    try (Relay relay = fixture.relay(publisher).maxAttempts(2).shards(1).build()) {
      for (int other : others) {
        fixture.record(event(other, "other"));
        relay.runUntilIdle();
      }
      relay.runUntilIdle();
      assertThat(relay.stats().died()).isEqualTo(1);
    }

    assertThat(publisher.types()).hasSize(10).containsOnly("other");
    assertThat(fixture.outbox.admin().dead(10))
        .singleElement()
        .satisfies(dead -> assertThat(dead.failures()).isEqualTo(2));
    assertThat(fixture.outbox.admin().lag()).isEqualTo(new OutboxLag(1, Duration.ZERO, 1, 1));
  }

  /**
   * Returns a publisher that throws an exception at an event of type {@code poison}, and so does
   * not send the later events of the batch.
   */
  private static RecordingPublisher failingOnPoison() {
    return new RecordingPublisher(
        event -> {
          if (event.type().equals("poison")) {
            throw new IllegalStateException("cannot serialize");
          }
          return PublishResult.sent();
        });
  }

  @Test
  void theOnlyEventDiesWhenAnOutageWouldHaveLastedTooLong() throws Exception {
    fixture.record(event(1, "poison"));
    RecordingPublisher publisher = failingOnPoison();

    drain(fixture.relay(publisher).maxAttempts(3).outageLimit(Duration.ZERO).skipDeadEvents());
    assertThat(fixture.outbox.admin().dead(10))
        .singleElement()
        .satisfies(dead -> assertThat(dead.failures()).isEqualTo(3));
    fixture.record(event(1, "later"));
    drain(fixture.relay(publisher));

    assertThat(publisher.types()).containsExactly("later");
  }

  @Test
  void anEventOnWhichThePublisherFailsDoesNotStopTheOthers() throws Exception {
    List<String> sent = new ArrayList<>();
    Publisher publisher =
        batch -> {
          if (batch.events().stream().anyMatch(event -> event.type().equals("poison"))) {
            throw new IllegalStateException("cannot serialize");
          }
          batch.events().forEach(event -> sent.add(event.type()));
          return batch.events().stream().map(event -> PublishResult.sent()).toList();
        };
    fixture.record(event(1, "a"), event(2, "poison"), event(2, "b"), event(3, "c"));

    drain(fixture.relay(publisher).maxAttempts(1).shards(32));

    assertThat(sent).containsExactlyInAnyOrder("a", "c");
    assertThat(fixture.outbox.admin().dead(10))
        .singleElement()
        .satisfies(dead -> assertThat(dead.reason()).contains("cannot serialize"));
  }

  @Test
  void tooFewResultsAreAFailureOfThePublisher() throws Exception {
    fixture.record(event(1, "a"), event(1, "b"));

    try (Relay relay = fixture.relay(batch -> List.of()).build()) {
      relay.runUntilIdle();
      assertThat(relay.stats().outages()).isEqualTo(1);
    }

    assertThat(fixture.count("outbox_events")).isEqualTo(2);
  }

  @Test
  void aNullResultIsAFailureOfThePublisher() throws Exception {
    fixture.record(event(1, "a"), event(2, "b"));
    Publisher publisher =
        batch ->
            batch.events().stream()
                .map(event -> event.type().equals("a") ? PublishResult.sent() : noResult())
                .toList();

    drain(fixture.relay(publisher).maxAttempts(1).shards(32));

    assertThat(fixture.count("outbox_published")).isEqualTo(1);
    assertThat(fixture.outbox.admin().dead(10)).hasSize(1);
  }

  @SuppressWarnings("NullAway") // publishers compiled without NullAway may return null
  private static PublishResult noResult() {
    return null;
  }

  @Test
  void anErrorOfThePublisherIsAFailureOfTheEvent() throws Exception {
    fixture.record(event(1, "a"), event(2, "b"));

    drain(
        fixture
            .relay(
                Publisher.each(
                    event -> {
                      if (event.type().equals("b")) {
                        throw new StackOverflowError("too deep");
                      }
                      return PublishResult.sent();
                    }))
            .maxAttempts(1)
            .shards(32));

    assertThat(fixture.outbox.admin().dead(10))
        .singleElement()
        .satisfies(dead -> assertThat(dead.reason()).contains("too deep"));
  }

  /** A library may throw an InterruptedException although the relay was not closed. */
  @Test
  void anInterruptedPublisherDoesNotEndTheRelay() throws Exception {
    AtomicBoolean first = new AtomicBoolean(true);
    RecordingPublisher publisher = new RecordingPublisher();
    fixture.record(event(1, "a"));

    try (Relay relay =
        fixture
            .relay(
                batch -> {
                  if (first.getAndSet(false)) {
                    throw new InterruptedException("not by the relay");
                  }
                  return publisher.publish(batch);
                })
            .lease(Duration.ofSeconds(1))
            .build()
            .start()) {
      Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> relay.stats().published() == 1);
    }
  }

  @Test
  void eventsThatAreNeverTriedDoNotKeepARelayBusy() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    Publisher publisher =
        batch -> {
          calls.incrementAndGet();
          return batch.events().stream()
              .map(
                  event ->
                      event.failures() == 0 ? PublishResult.retry("x") : PublishResult.notTried())
              .toList();
        };
    fixture.record(event(1, "a"));

    drain(fixture.relay(publisher));

    assertThat(calls).hasValue(2);
    assertThat(fixture.count("outbox_blocked")).isEqualTo(1);
  }

  @Test
  void eventsThatAPublisherSendsOutOfOrderAreCounted() throws Exception {
    AtomicBoolean first = new AtomicBoolean(true);
    Publisher publisher =
        batch ->
            batch.events().stream()
                .map(
                    event ->
                        first.compareAndSet(true, false)
                            ? PublishResult.retry("x")
                            : PublishResult.sent())
                .toList();
    fixture.record(event(1, "a"), event(1, "b"));

    try (Relay relay = fixture.relay(publisher).build()) {
      relay.runUntilIdle();
      assertThat(relay.stats().outOfOrder()).isEqualTo(1);
      assertThat(relay.stats().published()).isEqualTo(2);
    }
  }

  @Test
  void anotherRelayTakesOverWhenALeaseExpires() throws Exception {
    RecordingPublisher other = new RecordingPublisher();
    CountDownLatch published = new CountDownLatch(1);
    CountDownLatch resume = new CountDownLatch(1);
    List<String> frozen = new ArrayList<>();
    Publisher freezing =
        batch -> {
          batch.events().forEach(event -> frozen.add(event.type()));
          published.countDown();
          resume.await();
          return batch.events().stream().map(event -> PublishResult.sent()).toList();
        };
    fixture.record(event(1, "a"), event(1, "b"));
    try (Relay first = fixture.relay(freezing).publishTimeout(Duration.ofMillis(1)).build()) {
      Thread thread = new Thread(() -> runQuietly(first));
      thread.start();
      published.await();
      drain(fixture.relay(other));
      assertThat(other.types()).as("the lease is held").isEmpty();

      fixture.execute(
          "UPDATE @outbox_shards SET lease_expires_at = clock_timestamp() - interval '1 s' WHERE"
              + " lease_expires_at IS NOT NULL");
      try (Relay second = fixture.relay(other).build()) {
        second.runUntilIdle();
        assertThat(second.stats()).isEqualTo(new RelayStats(2, 0, 0, 0, 0, 1, 0, 0, 0));
      }
      fixture.record(event(1, "c"));
      resume.countDown();
      thread.join();

      assertThat(other.types()).containsExactly("a", "b");
      assertThat(frozen).startsWith("a", "b");
      assertThat(first.stats().unrecorded()).isEqualTo(2);
    }
    assertThat(fixture.count("outbox_published")).isEqualTo(3);
  }

  private static void runQuietly(Relay relay) {
    try {
      relay.runUntilIdle();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void noTransactionIsOpenWhileThePublisherRuns() throws Exception {
    List<String> open = new ArrayList<>();
    Publisher publisher =
        batch -> {
          open.add(
              fixture.value(
                  "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"
                      + " AND datname = current_database()"));
          return batch.events().stream().map(event -> PublishResult.sent()).toList();
        };
    fixture.record(event(1, "a"));

    drain(fixture.relay(publisher));

    assertThat(open).containsExactly("0");
  }

  @Test
  void aLeaseIsRenewedWhileThePublisherRuns() throws Exception {
    AtomicBoolean held = new AtomicBoolean();
    Publisher publisher =
        batch -> {
          String before = fixture.value("SELECT max(lease_expires_at) FROM @outbox_shards");
          fixture.awaitTrue(
              "SELECT max(lease_expires_at) > '%s' FROM @outbox_shards".formatted(before));
          held.set(batch.isLeased());
          return batch.events().stream().map(event -> PublishResult.sent()).toList();
        };
    fixture.record(event(1, "a"));

    drain(fixture.relay(publisher).lease(Duration.ofSeconds(6)));

    assertThat(held).isTrue();
  }

  @Test
  void aMissingPartitionIsCreatedByTheWriteThatNeedsIt() throws Exception {
    fixture.execute(
        """
        DO $$
        DECLARE child regclass;
        BEGIN
          FOR child IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = '@outbox_published'::regclass LOOP
            EXECUTE 'DROP TABLE ' || child;
          END LOOP;
        END $$
        """);
    RecordingPublisher publisher = new RecordingPublisher();
    fixture.record(event(1, "a"));

    drain(fixture.relay(publisher));

    assertThat(publisher.types()).containsExactly("a");
    assertThat(fixture.count("outbox_published")).isEqualTo(1);
  }

  @Test
  void expiredHistoryIsRemovedInWholeDays() throws Exception {
    fixture.execute(
        "SELECT @create_partition('outbox_published', clock_timestamp() - interval '5 days')");
    fixture.execute(
        "SELECT @create_partition('outbox_published', clock_timestamp() - interval '1 day')");

    try (Relay relay =
        fixture.relay(new RecordingPublisher()).retention(Duration.ofDays(3)).build().start()) {
      fixture.awaitTrue(
          "SELECT count(*) = 0 FROM pg_class WHERE relname = 'outbox_published_' || to_char((clock_timestamp() - interval '5 days') AT TIME ZONE 'UTC', 'YYYYMMDD') AND relnamespace = '%s'::regnamespace"
              .formatted(fixture.inSchema("@").replace(".", "")));
      assertThat(relay.stats().published()).isZero();
    }

    assertThat(
            fixture.value(
                "SELECT count(*) FROM pg_class WHERE relname = 'outbox_published_' || to_char((clock_timestamp() - interval '1 day') AT TIME ZONE 'UTC', 'YYYYMMDD') AND relnamespace = '%s'::regnamespace"
                    .formatted(fixture.inSchema("@").replace(".", ""))))
        .isEqualTo("1");
  }

  @Test
  void aStartedRelayIsWokenByACommit() throws Exception {
    RecordingPublisher publisher = new RecordingPublisher();
    try (Relay relay = fixture.relay(publisher).pollInterval(Duration.ofHours(1)).build().start()) {
      fixture.record(event(1, "first"));
      Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> relay.stats().published() == 1);
      // The waits double up to the poll interval of an hour, so only a wake-up is fast enough.
      for (int i = 2; i <= 4; i++) {
        fixture.record(event(i, "woken"));
        int expected = i;
        Awaitility.await()
            .atMost(Duration.ofMinutes(1))
            .until(() -> relay.stats().published() == expected);
      }
    }
  }

  @Test
  void aClosedRelayLeasesNothing() {
    fixture.record(event(1, "a"));
    Relay relay = fixture.relay(new RecordingPublisher()).build();
    relay.close();

    assertThatThrownBy(relay::runUntilIdle).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(relay::start).isInstanceOf(IllegalStateException.class);
    assertThat(
            fixture.value(
                "SELECT count(*) FROM @outbox_shards WHERE leased_by IS NOT NULL AND"
                    + " lease_expires_at IS NOT NULL"))
        .isEqualTo("0");
  }

  @Test
  void twoStartsAreRejected() {
    try (Relay relay = fixture.relay(new RecordingPublisher()).build().start()) {
      assertThatThrownBy(relay::start).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void jobsAreEnqueuedOncePerEventAndInOrder() throws Exception {
    Publisher jobs =
        JobPublisher.to(
            fixture.queue, JobType.of("on-event", Notice.class), event -> new Notice(event.type()));
    Set<String> failed = ConcurrentHashMap.newKeySet();
    Publisher twice =
        batch -> {
          List<PublishResult> results = jobs.publish(batch);
          return failed.add("once")
              ? results.stream().map(sent -> PublishResult.retry("response lost")).toList()
              : results;
        };
    fixture.record(event(1, "a"), event(1, "b"), event("x".repeat(512), "c"));

    drain(fixture.relay(twice).shards(32));

    assertThat(fixture.count("outbox_published")).isEqualTo(3);
    assertThat(jobsOfFirstAggregate()).isEqualTo("a,b");
    assertThat(fixture.count("jobs")).isEqualTo(3);
  }

  private String jobsOfFirstAggregate() {
    return fixture.value(
        "SELECT string_agg(payload->>'type', ',' ORDER BY id) FROM @jobs WHERE kind = 'on-event'"
            + " AND ordering_key = 'outbox/order/1'");
  }

  @Test
  void jobsOfAnAggregateAreEnqueuedInTheOrderOfItsEvents() throws Exception {
    List<String> types = IntStream.range(0, 40).mapToObj(i -> "e" + i).toList();
    fixture.record(types.stream().map(type -> event(1, type)).toArray(Event[]::new));

    drain(
        fixture.relay(
            JobPublisher.to(
                fixture.queue,
                JobType.of("on-event", Notice.class),
                event -> new Notice(event.type()))));

    assertThat(jobsOfFirstAggregate()).isEqualTo(String.join(",", types));
  }
}
