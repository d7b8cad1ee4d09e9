package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AttemptBufferTest {

  private static final Duration LEASE = Duration.ofMinutes(1);

  private final AttemptBuffer buffer = new AttemptBuffer(LaneOrder.Reserve.A_TENTH);

  @Test
  void aHigherPriorityOvertakesAndEqualsKeepTheirOrder() throws Exception {
    for (int i = 1; i <= 4; i++) {
      buffer.add(Attempts.of(i, i == 3 ? 5 : 0, LEASE));
    }

    assertThat(take()).isEqualTo(3);
    assertThat(take()).isEqualTo(1);
    assertThat(take()).isEqualTo(2);
    assertThat(take()).isEqualTo(4);
  }

  @Test
  void everyTenthThatLeavesIsTheFirstThatArrived() throws Exception {
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
  void aStrictOrderLetsTheLowerWait() throws Exception {
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

  @Test
  void closingAnswersWhatIsLeftAndEndsEveryWait() throws Exception {
    Attempt attempt = Attempts.of(1, 0, LEASE);
    buffer.add(attempt);
    assertThat(buffer.close()).containsExactly(attempt);

    CompletableFuture<Boolean> waited =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return buffer.take() == null;
              } catch (InterruptedException impossible) {
                throw new IllegalStateException(impossible);
              }
            });
    assertThat(waited.get(5, TimeUnit.SECONDS)).isTrue();
    assertThat(buffer.add(attempt)).isFalse();
  }

  private long take() throws InterruptedException {
    return take(buffer);
  }

  private static long take(AttemptBuffer buffer) throws InterruptedException {
    Attempt next = buffer.take();
    assertThat(next).isNotNull();
    return next.execution().jobId().value();
  }
}
