package dev.skipjack.outbox.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SlowServersTest {

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 1);
  private final SlowServers servers =
      new SlowServers(Duration.ofSeconds(2), Duration.ofSeconds(10), now::get);

  @Test
  void aServerIsSlowUntilARequestIsQuick() {
    servers.noteSlow("a");
    assertThat(servers.contains("a")).isTrue();
    assertThat(servers.contains("b")).isFalse();
    servers.noteQuick("a");
    assertThat(servers.contains("a")).isFalse();
  }

  @Test
  void theWaitDoublesUntilTheServerRespondsOrTheTimeoutIsReached() {
    servers.noteSlow("a");
    assertThat(servers.waitFor("a")).isEqualTo(Duration.ofSeconds(2));
    servers.noteWait("a");
    servers.noteSlow("a");
    assertThat(servers.waitFor("a")).isEqualTo(Duration.ofSeconds(4));
    servers.noteWait("a");
    servers.noteWait("a");
    assertThat(servers.waitFor("a")).isEqualTo(Duration.ofSeconds(10));
    servers.noteSlowResponse("b");
    assertThat(servers.waitFor("b")).isEqualTo(Duration.ofSeconds(10));
    servers.noteQuick("a");
    assertThat(servers.waitFor("a")).isEqualTo(Duration.ofSeconds(2));
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
