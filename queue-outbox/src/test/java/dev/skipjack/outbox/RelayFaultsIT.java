package dev.skipjack.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.Backoff;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Runs producers whose transactions commit late or roll back, relays that freeze, and a publisher
 * that fails. No event is missed, none of a rolled-back transaction is published, and the order of
 * each aggregate holds.
 */
@QueueTest
class RelayFaultsIT {

  private static final int PRODUCERS = 12;
  private static final int TRANSACTIONS = 40;
  private static final int AGGREGATES = 40;

  private Fixture fixture;
  private final List<UUID> sent = Collections.synchronizedList(new ArrayList<>());
  private final Set<UUID> atRisk = Collections.synchronizedSet(new HashSet<>());
  private final List<Relay> relays = new CopyOnWriteArrayList<>();
  private final AtomicInteger sends = new AtomicInteger();
  private final AtomicInteger freezes = new AtomicInteger();
  private final AtomicBoolean isFrozen = new AtomicBoolean();
  private final ThreadLocal<Boolean> hasFrozen = ThreadLocal.withInitial(() -> false);

  @BeforeEach
  void connect(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  @Test
  void nothingIsMissedAndTheOrderOfEachAggregateHolds() throws Exception {
    OrderedProducer producer = new OrderedProducer(fixture, AGGREGATES);
    ExecutorService producers = Executors.newFixedThreadPool(PRODUCERS);
    try {
      for (int i = 0; i < 4; i++) {
        relays.add(
            fixture
                .outbox
                .relay(this::publish)
                .lease(Duration.ofSeconds(9))
                .publishTimeout(Duration.ofSeconds(1))
                .shards(4)
                .batchSize(40)
                .pollInterval(Duration.ofMillis(50))
                .backoff(Backoff.fixed(Duration.ofMillis(20)))
                .maxAttempts(1_000)
                .build()
                .start());
      }
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < PRODUCERS; i++) {
        Random random = new Random(i);
        running.add(
            producers.submit(
                () -> {
                  producer.run(random, TRANSACTIONS);
                  return null;
                }));
      }
      for (Future<?> each : running) {
        each.get();
      }
      Awaitility.await()
          .atMost(Duration.ofMinutes(3))
          .until(() -> fixture.count("outbox_events") == 0);
    } finally {
      relays.forEach(Relay::close);
      producers.shutdownNow();
      assertThat(producers.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
      producer.dropTable();
    }

    List<UUID> arrived = List.copyOf(sent);
    assertThat(Set.copyOf(arrived))
        .as("missed or published after a rollback")
        .isEqualTo(producer.committed());
    assertThat(producer.firstOutOfOrder(arrived)).isEmpty();
    List<UUID> repeated = new ArrayList<>(arrived);
    Set.copyOf(arrived).forEach(repeated::remove);
    List<UUID> unexplained = repeated.stream().filter(id -> !atRisk.contains(id)).toList();
    assertThat(freezes).as("the test froze relays").hasPositiveValue();
    assertThat(takenOver()).isPositive();
    assertThat(relays.stream().mapToLong(relay -> relay.stats().outOfOrder()).sum()).isZero();
    assertThat(unexplained).as("duplicates of events whose relay did not freeze").isEmpty();
  }

  /** Notes the events of batches during which the relay froze. */
  private List<PublishResult> publish(EventBatch batch) throws Exception {
    hasFrozen.set(false);
    try {
      return Publisher.each(this::send).publish(batch);
    } finally {
      if (hasFrozen.get()) {
        batch.events().forEach(event -> atRisk.add(event.id()));
      }
    }
  }

  private PublishResult send(RecordedEvent event) {
    if (ThreadLocalRandom.current().nextInt(5) == 0) {
      return PublishResult.retry("one in five fails");
    }
    sent.add(event.id());
    if (sends.incrementAndGet() % 250 == 0 && isFrozen.compareAndSet(false, true)) {
      try {
        freeze();
      } finally {
        isFrozen.set(false);
      }
    }
    return PublishResult.sent();
  }

  /** Blocks this relay until another one has taken over its shards. */
  private void freeze() {
    freezes.incrementAndGet();
    hasFrozen.set(true);
    long before = takenOver();
    Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> takenOver() > before);
  }

  private long takenOver() {
    return relays.stream().mapToLong(relay -> relay.stats().takenOver()).sum();
  }
}
