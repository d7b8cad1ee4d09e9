package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class LaneOrderProperties {

  private static final List<String> QUEUES = List.of("a", "b", "c");

  /** A claim's limit holds for all its lanes together, so shares of one queue may not add up. */
  @Property(tries = 300)
  void aClaimNeverAsksForMoreThanAQueueHasRoomFor(
      @ForAll @Size(max = 12) List<@IntRange(min = 0, max = 29) Integer> picks,
      @ForAll @Size(3) List<@IntRange(min = 0, max = 7) Integer> rooms) {
    Set<Lane> lanes = new HashSet<>();
    picks.forEach(pick -> lanes.add(new Lane(QUEUES.get(pick % 3), pick / 3)));
    Map<String, Integer> room = new LinkedHashMap<>();
    for (int i = 0; i < 3; i++) {
      if (rooms.get(i) > 0) {
        room.put(QUEUES.get(i), rooms.get(i));
      }
    }

    List<LaneShare> shares = new LaneOrder(QUEUES).arrange(lanes, room);

    Set<String> queues = new HashSet<>();
    shares.forEach(share -> queues.add(share.lane().queue()));
    assertThat(room.keySet()).containsAll(queues);
    assertThat(shares).allMatch(share -> share.cap() == room.getOrDefault(share.lane().queue(), 0));
    if (queues.size() > 1) {
      assertThat(shares).hasSameSizeAs(queues);
    }
    for (Lane lane : lanes) {
      assertThat(room.containsKey(lane.queue())).isEqualTo(queues.contains(lane.queue()));
    }
  }
}
