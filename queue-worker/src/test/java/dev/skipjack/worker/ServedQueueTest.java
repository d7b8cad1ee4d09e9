package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ServedQueueTest {

  private final ServedQueue queue =
      new ServedQueue(
          "q", 4, 10, new Wakeup(), LaneOrder.Reserve.A_TENTH, new PayloadBudget(Long.MAX_VALUE));

  @Test
  void nothingIsPrefetchedUntilTheRunTimeIsKnown() {
    assertThat(queue.ask()).isEqualTo(4);
  }

  @Test
  void slowJobsAreNotPrefetched() {
    ran(Duration.ofSeconds(10));
    assertThat(queue.ask()).isEqualTo(4);
  }

  @Test
  void fastJobsArePrefetchedUpToTheLimit() {
    ran(Duration.ofMillis(50));
    assertThat(queue.ask()).isEqualTo(8);
    for (int i = 0; i < 50; i++) {
      ran(Duration.ofNanos(1_000));
    }
    assertThat(queue.ask()).isEqualTo(14);
  }

  @Test
  void slowJobDoesNotReduceThePrefetchOfOtherSlots() {
    ran(Duration.ofMillis(40));
    runsSince(Duration.ofHours(1), 1);
    assertThat(queue.ask()).isEqualTo(4 - 1 + 3); // 3 slots finish 3.75 jobs in 50 ms
  }

  @Test
  void nothingIsPrefetchedWhileSlowJobsOccupyAllSlots() {
    for (int i = 0; i < 50; i++) {
      ran(Duration.ofNanos(1_000));
    }
    runsSince(Duration.ofSeconds(1), 4);
    assertThat(queue.ask()).isZero();
  }

  @Test
  void runningJobsTakeRoomAndEndedJobsFreeSome() {
    ran(Duration.ofMillis(50));
    for (int i = 0; i < 8; i++) {
      queue.claimed(1);
    }
    assertThat(queue.ask()).isZero();
    queue.ended();
    assertThat(queue.ask()).isEqualTo(1);
    queue.settled(1, true);
    assertThat(queue.ask()).isEqualTo(1);
    queue.settled(1, false);
    assertThat(queue.ask()).isEqualTo(2);
  }

  @Test
  void outcomesThatStayUnwrittenTakeAllRoom() {
    ran(Duration.ofMillis(50));
    int held = 0;
    while (queue.ask() > 0) {
      assertThat(held++).isLessThan(100);
      queue.claimed(1);
      queue.ended();
    }
    assertThat(held).isEqualTo(4 + 3 * 4); // slots, and three times the prefetch
  }

  @Test
  void afterJobsWaitedTooLongNoneIsPrefetchedUntilAHandlerEnds() {
    ran(Duration.ofMillis(50));
    queue.waitedTooLong();
    assertThat(queue.ask()).isEqualTo(4);

    ran(Duration.ofMillis(50));
    assertThat(queue.ask()).isEqualTo(8);
  }

  @Test
  void aBufferWithWorkWaitsForALargerClaim() {
    ran(Duration.ofMillis(50));
    for (int i = 0; i < 8; i++) {
      queue.claimed(1);
    }
    queue.buffer().add(Attempts.claimed(Duration.ofMinutes(1)));
    for (int i = 0; i < 3; i++) {
      queue.settled(1, false);
    }
    assertThat(queue.ask()).isZero();
    queue.settled(1, false);
    assertThat(queue.ask()).isEqualTo(4);
  }

  /** The worker's threads start one after another, which must not delay the next claim. */
  @Test
  void bufferWithWorkDelaysNoClaimWhileSlotsAreFree() {
    for (int i = 0; i < 3; i++) {
      queue.claimed(1);
    }
    queue.buffer().add(Attempts.claimed(Duration.ofMinutes(1)));
    assertThat(queue.ask()).isEqualTo(1);
  }

  private void ran(Duration time) {
    queue.ran(Attempts.claimed(Duration.ofMinutes(1)), time.toNanos());
  }

  /** Claims the given number of attempts, whose handlers have been running for the given time. */
  private void runsSince(Duration ago, int attempts) {
    for (int i = 0; i < attempts; i++) {
      Attempt attempt = Attempts.begun(ago);
      queue.claimed(1);
      queue.began(attempt);
    }
  }
}
