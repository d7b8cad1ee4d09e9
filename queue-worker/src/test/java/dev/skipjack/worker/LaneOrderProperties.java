package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.worker.LaneChooser.Choice;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Tests properties that every lane order has over one claim or over many. */
class LaneOrderProperties {

  private static final List<String> QUEUES = List.of("a", "b", "c");
  private static final int HIGH = 9;

  /**
   * The limit of a claim applies to all of its lanes together, so the caps of one queue must not
   * add up to more than the queue's room.
   */
  @Property(tries = 300)
  void aClaimNeverRequestsMoreThanAQueueHasRoomFor(
      @ForAll @Size(max = 12) List<@IntRange(max = 29) Integer> picks,
      @ForAll @Size(3) List<@IntRange(max = 40) Integer> rooms,
      @ForAll @IntRange(min = 1, max = 130) int most,
      @ForAll LaneOrder.Reserve reserve) {
    LaneModel model = new LaneModel(QUEUES, new LaneOrder(reserve, Map.of()));
    Set<Lane> lanes = new HashSet<>();
    for (int pick : picks) {
      Lane lane = new Lane(QUEUES.get(pick % 3), pick / 3);
      lanes.add(lane);
      model.add(lane, 100);
      model.pass(1);
    }
    Map<String, Integer> room = new LinkedHashMap<>();
    for (int i = 0; i < 3; i++) {
      if (rooms.get(i) > 0) {
        room.put(QUEUES.get(i), rooms.get(i));
      }
    }
    model.list();

    Choice choice = model.choose(room, most);

    Map<String, Integer> caps = new HashMap<>();
    choice.shares().forEach(s -> caps.merge(s.lane().queue(), s.cap(), Integer::sum));
    int expected =
        lanes.stream()
            .map(Lane::queue)
            .distinct()
            .mapToInt(queue -> room.getOrDefault(queue, 0))
            .sum();
    assertThat(choice.shares()).extracting(LaneShare::lane).doesNotHaveDuplicates();
    assertThat(choice.limit()).isEqualTo(Math.min(expected, most));
    if (caps.size() == 1) {
      String queue = caps.keySet().iterator().next();
      assertThat(choice.limit()).isLessThanOrEqualTo(room.getOrDefault(queue, 0));
    } else {
      caps.forEach((queue, sum) -> assertThat(sum).isLessThanOrEqualTo(room.get(queue)));
    }
    // No slot remains empty, because every lane of the model has more jobs than there is room.
    assertThat(model.claim(room, most)).hasSize(choice.limit());
  }

  /** Successive claims take all due jobs, or as many as the queues have room for. */
  @Property(tries = 200)
  void noSlotStaysEmptyWhileAJobIsDue(
      @ForAll @Size(min = 1, max = 12) List<@IntRange(max = 29) Integer> picks,
      @ForAll @IntRange(min = 1, max = 20) int jobs,
      @ForAll @Size(3) List<@IntRange(min = 1, max = 30) Integer> rooms,
      @ForAll LaneOrder.Reserve reserve) {
    LaneModel model = new LaneModel(QUEUES, new LaneOrder(reserve, Map.of()));
    Map<String, Integer> due = new HashMap<>();
    for (int pick : picks) {
      model.add(new Lane(QUEUES.get(pick % 3), pick / 3), jobs);
      due.merge(QUEUES.get(pick % 3), jobs, Integer::sum);
    }
    Map<String, Integer> room = new HashMap<>();
    for (int i = 0; i < 3; i++) {
      room.put(QUEUES.get(i), rooms.get(i));
    }
    model.list();

    Map<String, Integer> taken = new HashMap<>();
    while (!room.isEmpty() && model.known.expectMore(room.keySet())) {
      for (Lane lane : model.claim(room, 1_000)) {
        taken.merge(lane.queue(), 1, Integer::sum);
        room.computeIfPresent(lane.queue(), (queue, left) -> left == 1 ? null : left - 1);
      }
    }

    due.forEach(
        (queue, count) ->
            assertThat(taken.get(queue))
                .isEqualTo(Math.min(count, rooms.get(QUEUES.indexOf(queue)))));
  }

  @Property(tries = 100)
  void queuesAreServedByTheirWeights(
      @ForAll @Size(3) List<@IntRange(min = 1, max = 9) Integer> weights,
      @ForAll @IntRange(min = 1, max = 60) int most) {
    Map<String, Integer> weight = new HashMap<>();
    Map<String, Integer> room = new LinkedHashMap<>();
    for (int i = 0; i < 3; i++) {
      weight.put(QUEUES.get(i), weights.get(i));
      room.put(QUEUES.get(i), most);
    }
    LaneModel model = new LaneModel(QUEUES, LaneOrder.fair().weighted(weight));
    int claims = 300;
    QUEUES.forEach(queue -> model.add(new Lane(queue, 0), claims * most));
    model.list();

    Map<String, Integer> served = new HashMap<>();
    for (int i = 0; i < claims; i++) {
      model.claim(room, most).forEach(lane -> served.merge(lane.queue(), 1, Integer::sum));
    }

    int sum = weights.stream().mapToInt(Integer::intValue).sum();
    for (int i = 0; i < 3; i++) {
      double part = (double) claims * most * weights.get(i) / sum;
      // A claim serves one queue at a time, so each is at most a few claims ahead or behind.
      assertThat((double) served.getOrDefault(QUEUES.get(i), 0))
          .isBetween(part - 3.0 * most, part + 3.0 * most);
    }
  }

  /** A queue that was idle for hours must not get all slots afterwards. */
  @Property(tries = 50)
  void aQueueThatWasIdleSavesUpNoSlots(@ForAll @IntRange(min = 1, max = 50) int most) {
    LaneModel model = new LaneModel(QUEUES, LaneOrder.fair());
    Map<String, Integer> room = Map.of("a", most, "b", most, "c", most);
    model.add(new Lane("a", 0), 1_000 * most);
    model.add(new Lane("b", 0), 1_000 * most);
    model.list();
    for (int i = 0; i < 200; i++) {
      model.claim(room, most);
    }

    model.add(new Lane("c", 0), 1_000 * most);
    model.list();
    Map<String, Integer> served = new HashMap<>();
    for (int i = 0; i < 30; i++) {
      model.claim(room, most).forEach(lane -> served.merge(lane.queue(), 1, Integer::sum));
    }

    assertThat(served.get("c")).isBetween(9 * most, 12 * most);
  }

  /** Tests the reserve under an endless stream of jobs of high priority. */
  @Property(tries = 100)
  void everyLaneIsServedAndLowLanesGetATenth(
      @ForAll @Size(min = 1, max = 5) Set<@IntRange(max = 8) Integer> priorities,
      @ForAll @IntRange(min = 1, max = 40) int jobs,
      @ForAll @IntRange(min = 1, max = 60) int room,
      @ForAll @IntRange(min = 1, max = 7) int listedEvery) {
    LaneModel model = new LaneModel(QUEUES, LaneOrder.fair());
    int low = 0;
    for (int priority : priorities) {
      model.add(new Lane("a", priority), jobs);
      model.pass(1);
      low += jobs;
    }
    int claimed = 0;
    int lowClaimed = 0;
    for (int i = 0; lowClaimed < low; i++) {
      model.pass(1);
      model.add(new Lane("a", HIGH), room);
      if (i % listedEvery == 0) {
        model.list();
      }
      List<Lane> lanes = model.claim(Map.of("a", room), 1_000);
      claimed += lanes.size();
      lowClaimed += (int) lanes.stream().filter(lane -> lane.priority() < HIGH).count();

      assertThat(lowClaimed).isLessThanOrEqualTo((claimed + 9) / 10);
      assertThat(claimed).isLessThanOrEqualTo(10 * (low + priorities.size() * 10) + 60 * 10);
    }
  }

  /** As long as the low lane has enough jobs, it gets every tenth slot at any time. */
  @Property(tries = 100)
  void lowLaneGetsATenthOfTheSlotsAtAnyTime(
      @ForAll @Size(min = 5, max = 200) List<@IntRange(min = 1, max = 60) Integer> rooms) {
    LaneModel model = new LaneModel(QUEUES, LaneOrder.fair());
    model.add(new Lane("a", 0), 20_000);
    model.pass(1);
    model.add(new Lane("a", HIGH), 20_000);
    model.list();

    int claimed = 0;
    int lowClaimed = 0;
    for (int room : rooms) {
      for (Lane lane : model.claim(Map.of("a", room), 1_000)) {
        claimed++;
        lowClaimed += lane.priority() < HIGH ? 1 : 0;
      }
      assertThat(lowClaimed).isEqualTo(claimed / 10);
    }
  }

  @Property(tries = 200)
  void aStrictOrderNeverServesALowerLaneFirst(
      @ForAll @Size(min = 1, max = 40) List<@IntRange(max = 9) Integer> arrivals,
      @ForAll @IntRange(min = 1, max = 10) int room) {
    LaneModel model = new LaneModel(QUEUES, LaneOrder.strict());
    List<Lane> order = new ArrayList<>();
    for (int priority : arrivals) {
      model.add(new Lane("a", priority), 3);
      model.pass(1);
    }
    model.list();

    while (model.known.expectMore(Set.of("a"))) {
      order.addAll(model.claim(Map.of("a", room), 1_000));
    }

    assertThat(order).hasSize(3 * arrivals.size());
    assertThat(order).isSortedAccordingTo((left, right) -> right.priority() - left.priority());
  }
}
