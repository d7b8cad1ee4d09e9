package dev.skipjack.worker;

import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * In which order lanes are served: strictly by priority inside a queue, queues in turn.
 *
 * <p>A claim caps each lane but not each queue. So while several queues have room, only the highest
 * lane of each is asked; the lower ones have their turn once it came back short. A single queue is
 * asked for all its lanes, because then the limit of the claim is the queue's.
 */
final class LaneOrder {

  private final List<String> queues;
  private int turn;

  /**
   * @param queues all that are ever served
   */
  LaneOrder(List<String> queues) {
    this.queues = List.copyOf(queues);
  }

  /**
   * The shares of one claim; empty when no lane has room.
   *
   * @param room jobs wanted by queue; absent: none
   */
  List<LaneShare> arrange(Collection<Lane> lanes, Map<String, Integer> room) {
    Map<String, List<Lane>> lanesOf = lanes.stream().collect(Collectors.groupingBy(Lane::queue));
    List<List<LaneShare>> byQueue = new ArrayList<>();
    for (int i = 0; i < queues.size(); i++) {
      String queue = queues.get((turn + i) % queues.size());
      int cap = room.getOrDefault(queue, 0);
      List<Lane> own = lanesOf.getOrDefault(queue, List.of());
      if (cap > 0 && !own.isEmpty()) {
        byQueue.add(
            own.stream()
                .sorted(Comparator.comparingInt(Lane::priority).reversed())
                .map(lane -> new LaneShare(lane, cap, null))
                .toList());
      }
    }
    turn = (turn + 1) % queues.size();
    int depth = byQueue.size() == 1 ? Integer.MAX_VALUE : 1;
    return byQueue.stream().flatMap(own -> own.stream().limit(depth)).toList();
  }
}
