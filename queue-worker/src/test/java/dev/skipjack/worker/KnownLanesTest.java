package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.spi.DueLane;
import dev.skipjack.api.spi.DueLanes;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KnownLanesTest {

  private static final Lane LANE = new Lane("mail", 0);
  private static final Set<String> QUEUES = Set.of("mail");
  private static final long CLAIMED_AT = 1_000;

  private final KnownLanes lanes = new KnownLanes();

  @Test
  void aLaneThatReturnedJobsAMomentAgoIsExpectedAgain() {
    claimFromTheLane();
    assertThat(lanes.expectMore(QUEUES)).as("for now").isFalse();

    assertThat(lanes.expectAgain(QUEUES, CLAIMED_AT - 1)).isTrue();
    assertThat(lanes.expectMore(QUEUES)).isTrue();
  }

  @Test
  void aLaneThatReturnedJobsLongAgoIsNotExpectedAgain() {
    claimFromTheLane();

    assertThat(lanes.expectAgain(QUEUES, CLAIMED_AT + 1)).isFalse();
    assertThat(lanes.expectMore(QUEUES)).isFalse();
  }

  @Test
  void aListingForgetsALaneThatItDoesNotContain() {
    claimFromTheLane();

    lanes.list(new DueLanes(List.of(), List.of()), lane -> false, CLAIMED_AT + 1);

    assertThat(lanes.expectAgain(QUEUES, CLAIMED_AT - 1)).isFalse();
  }

  private void claimFromTheLane() {
    lanes.list(
        new DueLanes(List.of(new DueLane(LANE, Duration.ZERO)), List.of()),
        lane -> false,
        CLAIMED_AT - 1);
    lanes.claimed(
        ClaimAnswers.of(
            List.of(new LaneShare(LANE, 5, null)),
            5,
            List.of(ClaimAnswers.job(LANE, Instant.EPOCH, Instant.EPOCH)),
            Duration.ZERO),
        CLAIMED_AT);
  }
}
