package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AttemptBufferTest {

  private static final Duration LEASE = Duration.ofMinutes(1);

  private final AttemptBuffer buffer = new AttemptBuffer(LaneOrder.Reserve.A_TENTH);

  @Test
  void higherPrioritiesLeaveFirstAndEqualOnesKeepTheirOrder() {
    for (int i = 1; i <= 4; i++) {
      buffer.add(Attempts.of(i, i == 3 ? 5 : 0, LEASE));
    }

    assertThat(take()).isEqualTo(3);
    assertThat(take()).isEqualTo(1);
    assertThat(take()).isEqualTo(2);
    assertThat(take()).isEqualTo(4);
  }

  @Test
  void everyTenthAttemptThatLeavesIsTheOneThatArrivedFirst() {
    buffer.add(Attempts.of(1, -1, LEASE));
    buffer.add(Attempts.of(2, -1, LEASE));
    for (int i = 3; i <= 30; i++) {
      buffer.add(Attempts.of(i, 0, LEASE));
    }

    List<Long> order = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      order.add(take());
    }

    assertThat(order.indexOf(1L)).isEqualTo(9);
    assertThat(order.indexOf(2L)).isEqualTo(19);
  }

  @Test
  void lowerPrioritiesWaitInAStrictOrder() {
    AttemptBuffer strict = new AttemptBuffer(LaneOrder.Reserve.NOTHING);
    strict.add(Attempts.of(1, -1, LEASE));
    for (int i = 2; i <= 30; i++) {
      strict.add(Attempts.of(i, 0, LEASE));
    }

    for (int i = 2; i <= 30; i++) {
      assertThat(take(strict)).isEqualTo(i);
    }
    assertThat(take(strict)).isEqualTo(1);
  }

  /** The duration of the claim does not count as waiting. */
  @Test
  void aWaitBeginsAtTheArrival() {
    Attempt slowlyClaimed = Attempts.claimedSince(Duration.ofHours(2));
    buffer.add(slowlyClaimed);

    assertThat(buffer.takeOut(Duration.ofHours(1).toNanos())).isEmpty();
    assertThat(buffer.takeOut(0)).containsExactly(slowlyClaimed);
    assertThat(buffer.size()).isZero();
  }

  @Test
  void closingReturnsTheRemainingAttemptsAndAcceptsNoMore() {
    Attempt attempt = Attempts.of(1, 0, LEASE);
    buffer.add(attempt);
    assertThat(buffer.close()).containsExactly(attempt);

    assertThat(buffer.poll()).isNull();
    assertThat(buffer.add(attempt)).isFalse();
  }

  private long take() {
    return take(buffer);
  }

  private static long take(AttemptBuffer buffer) {
    Attempt next = buffer.poll();
    assertThat(next).isNotNull();
    return next.execution().jobId().value();
  }
}
