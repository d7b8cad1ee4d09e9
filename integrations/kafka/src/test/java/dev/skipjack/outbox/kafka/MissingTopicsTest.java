package dev.skipjack.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MissingTopicsTest {

  private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 1);
  private final MissingTopics missing = new MissingTopics(clock::get);

  @Test
  void aMissingTopicIsTriedAgainAfterTenSeconds() {
    missing.note("orders");
    for (int i = 0; i < 10; i++) {
      assertThat(missing.contains("orders")).isTrue();
      assertThat(missing.contains("payments")).isFalse();
      clock.addAndGet(Duration.ofSeconds(1).toNanos());
    }
    assertThat(missing.contains("orders")).isFalse();
  }
}
