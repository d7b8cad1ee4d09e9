package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.spi.Lane;
import org.junit.jupiter.api.Test;

class QueueTurnTest {

  private static final Lane HIGH = new Lane("q", 9);
  private static final Lane LOW = new Lane("q", 0);

  private final QueueTurn turn = new QueueTurn(1, LaneOrder.Reserve.A_TENTH);

  @Test
  void fractionsOfAReservedSlotAddUp() {
    for (int i = 0; i < 9; i++) {
      assertThat(claim(1, 1, 0)).isZero();
    }
    assertThat(claim(1, 0, 1)).isEqualTo(1);
    assertThat(claim(1, 1, 0)).isZero();
  }

  /** A lane that had no jobs for an hour must not get all slots afterwards. */
  @Test
  void aReserveThatWasNotUsedIsNotSavedUp() {
    assertThat(claim(100, 100, 0)).isEqualTo(10);

    assertThat(claim(10, 9, 1)).isEqualTo(1);
  }

  /** Jobs of the low lane that ran while nothing else was due do not reduce its reserve. */
  @Test
  void jobsClaimedBeyondTheReserveDoNotReduceIt() {
    assertThat(claim(100, 0, 100)).isEqualTo(10);

    assertThat(claim(10, 9, 1)).isEqualTo(1);
  }

  /** Returns how many slots were reserved for the low lane. */
  private int claim(int room, int high, int low) {
    turn.begin(room);
    int reserved = turn.reserve(LOW);
    turn.claimed(HIGH, high);
    turn.claimed(LOW, low);
    turn.settle(false);
    return reserved;
  }
}
