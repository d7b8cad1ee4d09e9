package dev.skipjack.outbox;

import static dev.skipjack.outbox.Fixture.event;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that unexpected interrupts and throwables end no thread of a relay. */
@QueueTest
class RelayThreadsTest {

  private Fixture fixture;

  @BeforeEach
  void connect(QueueDatabase database) {
    fixture = new Fixture(database);
  }

  enum Misbehaviour {
    INTERRUPTED_AND_SENT {
      @Override
      PublishResult now() {
        Thread.currentThread().interrupt();
        return PublishResult.sent();
      }
    },
    INTERRUPTED_AND_RETRIED {
      @Override
      PublishResult now() {
        Thread.currentThread().interrupt();
        return PublishResult.retry("interrupted");
      }
    },
    INTERRUPTED_AND_FAILED {
      @Override
      PublishResult now() {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted");
      }
    },
    THROWABLE {
      @Override
      PublishResult now() {
        throw sneaky(new Throwable("neither Exception nor Error"));
      }
    };

    abstract PublishResult now();
  }

  @ParameterizedTest
  @EnumSource
  void aMisbehavingPublisherDoesNotEndTheRelay(Misbehaviour misbehaviour) {
    AtomicInteger calls = new AtomicInteger();
    Publisher publisher =
        Publisher.each(
            event -> calls.incrementAndGet() <= 3 ? misbehaviour.now() : PublishResult.sent());
    for (int i = 0; i < 5; i++) {
      fixture.record(event(i, "a"));
    }
    try (Relay relay = fixture.relay(publisher).shards(1).build().start()) {
      awaitPublished(relay, 5);
      fixture.record(event(1, "b"));
      awaitPublished(relay, 6);
    }
  }

  @Test
  void interruptsOfIdleThreadsDoNotEndTheRelay() {
    try (Relay relay =
        fixture.relay(new RecordingPublisher()).name("interrupted").build().start()) {
      for (int i = 1; i <= 10; i++) {
        threads("outbox-interrupted-").forEach(Thread::interrupt);
        fixture.record(event(i, "a"));
        awaitPublished(relay, i);
      }
      assertThat(threads("outbox-interrupted-relay-")).hasSize(1);
      assertThat(threads("outbox-interrupted-listener")).hasSize(1);
    }
  }

  private static List<Thread> threads(String prefix) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith(prefix))
        .toList();
  }

  private static void awaitPublished(Relay relay, long events) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> relay.stats().published() == events);
  }

  /** Throws an undeclared checked exception, as Kotlin code can. */
  @SuppressWarnings("unchecked") // the cast is erased
  static <T extends Throwable> RuntimeException sneaky(Throwable thrown) throws T {
    throw (T) thrown;
  }
}
