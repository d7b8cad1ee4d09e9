package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LaneOrderTest {

  @Test
  void higherPrioritiesOfAQueueComeFirst() {
    LaneOrder order = new LaneOrder(List.of("a"));

    List<LaneShare> shares =
        order.arrange(
            List.of(new Lane("a", 0), new Lane("a", 9), new Lane("a", -3)), Map.of("a", 5));

    assertThat(shares).containsExactly(share("a", 9, 5), share("a", 0, 5), share("a", -3, 5));
  }

  @Test
  void queuesTakeTurns() {
    LaneOrder order = new LaneOrder(List.of("a", "b", "c"));
    List<Lane> lanes = List.of(new Lane("c", 0), new Lane("a", 0), new Lane("b", 0));
    Map<String, Integer> room = Map.of("a", 1, "b", 2, "c", 3);

    assertThat(order.arrange(lanes, room))
        .containsExactly(share("a", 0, 1), share("b", 0, 2), share("c", 0, 3));
    assertThat(order.arrange(lanes, room))
        .containsExactly(share("b", 0, 2), share("c", 0, 3), share("a", 0, 1));
    assertThat(order.arrange(lanes, room))
        .containsExactly(share("c", 0, 3), share("a", 0, 1), share("b", 0, 2));
  }

  @Test
  void severalQueuesAreAskedForTheirHighestLaneOnly() {
    LaneOrder order = new LaneOrder(List.of("a", "b"));

    List<LaneShare> shares =
        order.arrange(
            List.of(new Lane("a", 0), new Lane("a", 9), new Lane("b", 1)), Map.of("a", 1, "b", 1));

    assertThat(shares).containsExactly(share("a", 9, 1), share("b", 1, 1));
  }

  @Test
  void queuesWithoutRoomAreLeftOut() {
    LaneOrder order = new LaneOrder(List.of("a", "b"));

    assertThat(order.arrange(List.of(new Lane("a", 0), new Lane("b", 0)), Map.of("b", 4)))
        .containsExactly(share("b", 0, 4));
    assertThat(order.arrange(List.of(new Lane("a", 0)), Map.of())).isEmpty();
  }

  private static LaneShare share(String queue, int priority, int cap) {
    return new LaneShare(new Lane(queue, priority), cap, null);
  }
}
