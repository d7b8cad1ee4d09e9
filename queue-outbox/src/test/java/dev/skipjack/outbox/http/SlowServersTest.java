package dev.skipjack.outbox.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SlowServersTest {

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1);
  private final SlowServers servers = new SlowServers(now::get);

  @Test
  void aServerIsSlowUntilARequestIsQuick() {
    servers.note("a", true);
    assertThat(servers.contains("a")).isTrue();
    assertThat(servers.contains("b")).isFalse();
    servers.note("a", false);
    assertThat(servers.contains("a")).isFalse();
  }

  @Test
  void theLongestRestCounts() {
    assertThat(servers.restLeft()).isZero();
    servers.rest(Duration.ofSeconds(20));
    servers.rest(Duration.ofSeconds(5));
    now.addAndGet(Duration.ofSeconds(12).toNanos());
    assertThat(servers.restLeft()).isEqualTo(Duration.ofSeconds(8));
    now.addAndGet(Duration.ofSeconds(9).toNanos());
    assertThat(servers.restLeft()).isNegative();
  }
}
