package dev.skipjack.outbox;

import static dev.skipjack.outbox.Fixture.event;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests batches that take longer than the publish timeout. */
@QueueTest
class BatchDeadlineTest {

  private static final Duration LONG = Duration.ofMinutes(2);

  private Fixture fixture;
  private final List<UUID> sent = Collections.synchronizedList(new ArrayList<>());

  @BeforeEach
  void connect(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  /** Threads without work would take over the shards as soon as a lease expired. */
  @Test
  void aBatchThatOutlastsThePublishTimeoutIsPublishedOnce() {
    int events = 120;
    fixture.record(
        IntStream.range(0, events).mapToObj(i -> event(i, "placed")).toArray(Event[]::new));
    Publisher slow =
        batch -> {
          AtomicInteger sends = new AtomicInteger();
          return Publisher.each(
                  event -> {
                    sent.add(event.id());
                    if (sends.incrementAndGet() == 10) { // uses up the time of the batch
                      awaitUntil(() -> !batch.isLeased());
                    }
                    return PublishResult.sent();
                  })
              .publish(batch);
        };

    try (Relay relay =
        fixture
            .relay(slow)
            .threads(6)
            .lease(Duration.ofSeconds(12))
            .publishTimeout(Duration.ofSeconds(4))
            .build()
            .start()) {
      awaitUntil(() -> fixture.count("outbox_events") == 0);
      assertThat(relay.stats().takenOver()).as("expired leases").isZero();
      assertThat(relay.stats().unrecorded()).isZero();
    }

    assertThat(sent).hasSize(events).doesNotHaveDuplicates();
  }

  @Test
  void eventsSentBeforeAFunctionThatOverrunsAreRecordedMeanwhile() throws Exception {
    CountDownLatch hanging = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    AtomicBoolean first = new AtomicBoolean(true);
    Publisher publisher =
        Publisher.each(
            event -> {
              if (event.type().equals("hangs") && first.getAndSet(false)) {
                hanging.countDown();
                release.await();
              }
              sent.add(event.id());
              return PublishResult.sent();
            });
    fixture.record(event(1, "a"), event(1, "b"), event(1, "hangs"), event(1, "later"));

    try (Relay relay =
        fixture
            .relay(publisher)
            .shards(32)
            .threads(2)
            .lease(Duration.ofSeconds(12))
            .publishTimeout(Duration.ofMillis(500))
            .build()
            .start()) {
      hanging.await();
      awaitUntil(() -> relay.stats().published() == 4);
      assertThat(sent).as("by two threads, one of which still hangs").hasSize(4);
      release.countDown();
      awaitUntil(() -> relay.stats().unrecorded() == 1);
    }
    assertThat(sent.stream().distinct()).hasSize(4);
    assertThat(fixture.count("outbox_blocked")).isZero();
  }

  /** A publisher that waits for a socket ignores interrupts. */
  @Test
  void closeRecordsEventsSentBeforeAFunctionThatIgnoresInterrupts() throws Exception {
    fixture.record(IntStream.range(0, 50).mapToObj(i -> event(i, "placed")).toArray(Event[]::new));
    CountDownLatch hanging = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    Publisher publisher =
        Publisher.each(
            event -> {
              sent.add(event.id());
              if (sent.size() == 50) {
                hanging.countDown();
                awaitUninterruptibly(release);
              }
              return PublishResult.sent();
            });
    Relay relay = fixture.relay(publisher).shards(32).build().start();
    try {
      hanging.await();
      long before = System.nanoTime();
      relay.close();
      assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(25));
      assertThat(fixture.count("outbox_published")).isEqualTo(49);
      assertThat(fixture.count("outbox_events")).as("the one that hangs").isEqualTo(1);
    } finally {
      release.countDown();
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    while (true) {
      try {
        latch.await();
        return;
      } catch (InterruptedException ignored) {
        // ignored, as a driver that waits for a socket does
      }
    }
  }

  @Test
  void eventsSentBeforeAnExceptionOfAFunctionAreNotRepeated() throws Exception {
    fixture.record(event(1, "a"), event(2, "b"), event(3, "poison"), event(4, "c"));
    Publisher publisher =
        Publisher.each(
            event -> {
              if (event.type().equals("poison")) {
                throw new IllegalStateException("cannot serialize");
              }
              sent.add(event.id());
              return PublishResult.sent();
            });

    try (Relay relay = fixture.relay(publisher).shards(32).maxAttempts(1).build()) {
      relay.runUntilIdle();
    }

    assertThat(sent).hasSize(3).doesNotHaveDuplicates();
    assertThat(fixture.outbox.admin().dead(10)).hasSize(1);
  }

  private static void awaitUntil(Callable<Boolean> condition) {
    Awaitility.await().atMost(LONG).pollInterval(Duration.ofMillis(10)).until(condition);
  }
}
