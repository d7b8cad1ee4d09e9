package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ServedQueueTest {

  private final ServedQueue queue =
      new ServedQueue("q", 4, 10, new Wakeup(), LaneOrder.Reserve.A_TENTH);

  @Test
  void asksForFreeThreadsAndAsManyAgainUntilThePaceIsKnown() {
    assertThat(queue.ask()).isEqualTo(8);
  }

  @Test
  void slowJobsAreNotHoarded() {
    queue.ran(Duration.ofSeconds(10).toNanos());
    assertThat(queue.ask()).isEqualTo(4);
  }

  @Test
  void fastJobsAreFetchedAheadUpToTheLimit() {
    queue.ran(Duration.ofMillis(50).toNanos());
    assertThat(queue.ask()).isEqualTo(8);
    for (int i = 0; i < 50; i++) {
      queue.ran(1_000);
    }
    assertThat(queue.ask()).isEqualTo(14);
  }

  @Test
  void whatRunsTakesRoomAndWhatHasEndedMakesSome() {
    for (int i = 0; i < 8; i++) {
      queue.claimed();
    }
    assertThat(queue.ask()).isZero();
    queue.ended();
    assertThat(queue.ask()).isEqualTo(1);
    queue.settled(true);
    assertThat(queue.ask()).isEqualTo(1);
    queue.settled(false);
    assertThat(queue.ask()).isEqualTo(2);
  }

  @Test
  void whatIsNotWrittenForLongTakesAllRoom() {
    int held = 0;
    while (queue.ask() > 0) {
      assertThat(held++).isLessThan(100);
      queue.claimed();
      queue.ended();
    }
    assertThat(held).isEqualTo(4 + 3 * 4); // places, and three times the prefetch
  }

  @Test
  void aBufferWithWorkWaitsForALargerClaim() {
    for (int i = 0; i < 8; i++) {
      queue.claimed();
    }
    queue.buffer().add(Attempts.claimed(Duration.ofMinutes(1)));
    for (int i = 0; i < 3; i++) {
      queue.settled(false);
    }
    assertThat(queue.ask()).isZero();
    queue.settled(false);
    assertThat(queue.ask()).isEqualTo(4);
  }
}
