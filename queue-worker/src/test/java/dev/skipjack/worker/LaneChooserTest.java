package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.DueLane;
import dev.skipjack.api.spi.DueLanes;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.worker.LaneChooser.Choice;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class LaneChooserTest {

  private static final Lane HIGH = new Lane("a", 9);
  private static final Lane MIDDLE = new Lane("a", 5);
  private static final Lane LOW = new Lane("a", 0);
  private static final Lane OTHER = new Lane("b", 0);

  @Nested
  class Strict {

    private final LaneModel model = new LaneModel(List.of("a", "b", "c"), LaneOrder.strict());

    @Test
    void higherPrioritiesOfAQueueComeFirst() {
      add(LOW, HIGH, MIDDLE);

      assertThat(model.choose(Map.of("a", 5), 100))
          .isEqualTo(new Choice(List.of(share(HIGH, 5), share(MIDDLE, 5), share(LOW, 5)), 5));
    }

    @Test
    void claimFromSeveralQueuesHasOnlyTheHighestLaneOfEach() {
      add(LOW, HIGH, OTHER);

      Choice choice = model.choose(Map.of("a", 3, "b", 2), 100);

      assertThat(choice.limit()).isEqualTo(5);
      assertThat(choice.shares()).containsExactlyInAnyOrder(share(HIGH, 3), share(OTHER, 2));
    }

    @Test
    void queuesWithoutRoomAreLeftOut() {
      add(LOW, OTHER);

      assertThat(model.choose(Map.of("b", 4), 100))
          .isEqualTo(new Choice(List.of(share(OTHER, 4)), 4));
      assertThat(model.choose(Map.of(), 100)).isEqualTo(new Choice(List.of(), 0));
      assertThat(model.choose(Map.of("c", 7), 100)).isEqualTo(new Choice(List.of(), 0));
    }

    @Test
    void laneThatReturnedTooFewJobsIsFollowedByTheNextLane() {
      add(HIGH, LOW, OTHER, OTHER, OTHER);

      assertThat(model.claim(Map.of("a", 2, "b", 2), 100))
          .containsExactlyInAnyOrder(HIGH, OTHER, OTHER);
      assertThat(model.claim(Map.of("a", 2, "b", 2), 100)).containsExactlyInAnyOrder(LOW, OTHER);
      assertThat(model.choose(Map.of("a", 2, "b", 2), 100).shares()).isEmpty();
    }

    /**
     * A worker that serves ten thousand queues must not send ten thousand lanes to claim fifty
     * jobs.
     */
    @Test
    void claimHasNoMoreLanesThanJobs() {
      add(LOW, OTHER, new Lane("c", 0));

      assertThat(model.choose(Map.of("a", 1, "b", 1, "c", 1), 2).shares()).hasSize(2);
    }

    private void add(Lane... lanes) {
      List.of(lanes).forEach(lane -> model.add(lane, 1));
      model.list();
    }
  }

  @Nested
  class Fair {

    private final LaneModel model = new LaneModel(List.of("a", "b"), LaneOrder.fair());

    @Test
    void aTenthOfTheSlotsIsReservedForTheLaneThatHasWaitedLongest() {
      add(MIDDLE);
      model.pass(1);
      add(LOW, HIGH);

      assertThat(model.choose(Map.of("a", 25), 100))
          .isEqualTo(new Choice(List.of(share(MIDDLE, 2), share(HIGH, 25), share(LOW, 25)), 25));
    }

    @Test
    void theHighestLaneNeedsNoReserve() {
      add(HIGH);
      model.pass(1);
      add(LOW);

      assertThat(model.choose(Map.of("a", 20), 100).shares())
          .containsExactly(share(HIGH, 20), share(LOW, 20));
    }

    @Test
    void capsOfAQueueAmongSeveralAddUpToItsRoom() {
      add(LOW);
      model.pass(1);
      add(HIGH, OTHER);

      assertThat(model.choose(Map.of("a", 20, "b", 10), 100).shares())
          .containsExactlyInAnyOrder(share(LOW, 2), share(HIGH, 18), share(OTHER, 10));
    }

    /**
     * A lane that was served counts as waiting from the due time of its next job, even before the
     * next listing.
     */
    @Test
    void reserveGoesToTheLaneThatHasWaitedLongestAtThatTime() {
      model.add(MIDDLE, 1);
      model.pass(5);
      model.add(LOW, 5);
      model.pass(5);
      model.add(MIDDLE, 5);
      model.pass(5);
      model.add(HIGH, 100);
      model.list();

      assertThat(model.claim(Map.of("a", 10), 100)).startsWith(MIDDLE, HIGH);
      assertThat(model.claim(Map.of("a", 10), 100)).startsWith(MIDDLE, HIGH);
      assertThat(model.claim(Map.of("a", 10), 100)).startsWith(LOW, HIGH);
    }

    /**
     * A lane whose oldest job only other workers handle could remain the longest-waiting lane
     * forever.
     */
    @Test
    void laneWithoutJobsForThisWorkerDoesNotUseUpTheReserve() {
      Lane foreign = new Lane("a", -5);
      DueLanes listing =
          new DueLanes(List.of(due(foreign, 100_000), due(LOW, 1_000), due(HIGH, 10)), List.of());
      KnownLanes known = new KnownLanes();
      LaneChooser chooser = new LaneChooser(List.of("a"), LaneOrder.fair());
      known.list(listing, lane -> false, 0);
      Choice first = chooser.choose(known, Map.of("a", 10), 10, lane -> null, 1);
      assertThat(first.shares()).startsWith(share(foreign, 1));

      ClaimedJob high = ClaimAnswers.job(HIGH, Instant.EPOCH, Instant.EPOCH);
      List<ClaimedJob> full = Collections.nCopies(first.limit(), high);
      known.claimed(ClaimAnswers.of(first.shares(), first.limit(), full, Duration.ZERO), 1);
      known.list(listing, lane -> false, 2);

      assertThat(chooser.choose(known, Map.of("a", 10), 10, lane -> null, 3).shares())
          .startsWith(share(LOW, 1));
    }

    private void add(Lane... lanes) {
      List.of(lanes).forEach(lane -> model.add(lane, 1));
      model.list();
    }

    private DueLane due(Lane lane, long waited) {
      return new DueLane(lane, Duration.ofNanos(waited));
    }
  }

  @Nested
  class WithHints {

    private static final Instant LOW_WATER = Instant.EPOCH;

    private final LaneChooser chooser = new LaneChooser(List.of("a", "b"), LaneOrder.strict());
    private final KnownLanes known = new KnownLanes();

    @Test
    void claimFromASingleQueueIncludesExhaustedLanes() {
      list(List.of(LOW), List.of(HIGH));

      assertThat(choose(Map.of("a", 5), true)).containsExactly(hinted(HIGH, 5), hinted(LOW, 5));
      assertThat(choose(Map.of("a", 5), false)).containsExactly(share(LOW, 5));
    }

    @Test
    void claimFromSeveralQueuesRequestsOneJobFromAnExhaustedLane() {
      list(List.of(LOW, OTHER), List.of(HIGH, MIDDLE));

      assertThat(choose(Map.of("a", 5, "b", 1), true))
          .containsExactlyInAnyOrder(
              hinted(HIGH, 1), hinted(MIDDLE, 1), hinted(LOW, 3), hinted(OTHER, 1));
      assertThat(choose(Map.of("a", 2, "b", 1), true))
          .containsExactlyInAnyOrder(hinted(HIGH, 1), hinted(LOW, 1), hinted(OTHER, 1));
      assertThat(choose(Map.of("a", 1, "b", 1), true))
          .containsExactlyInAnyOrder(hinted(LOW, 1), hinted(OTHER, 1));
    }

    @Test
    void highestOfTheExhaustedLanesProvidesTheRest() {
      list(List.of(OTHER), List.of(HIGH, MIDDLE));

      assertThat(choose(Map.of("a", 5, "b", 1), true))
          .containsExactlyInAnyOrder(hinted(HIGH, 4), hinted(MIDDLE, 1), hinted(OTHER, 1));
      assertThat(choose(Map.of("a", 1, "b", 1), true))
          .containsExactlyInAnyOrder(hinted(HIGH, 1), hinted(OTHER, 1));
    }

    /** A thousand queues without jobs must not use up a claim. */
    @Test
    void queuesWithoutExpectedJobsComeLastIfNotAllFit() {
      list(List.of(OTHER), List.of(HIGH));

      Choice choice = chooser.choose(known, Map.of("a", 1, "b", 1), 1, lane -> LOW_WATER, 0);

      assertThat(choice).isEqualTo(new Choice(List.of(hinted(OTHER, 1)), 1));
    }

    private void list(List<Lane> due, List<Lane> drained) {
      known.list(listing(drained), lane -> false, 0);
      known.list(listing(due), lane -> true, 0);
    }

    private DueLanes listing(List<Lane> lanes) {
      return new DueLanes(
          lanes.stream().map(lane -> new DueLane(lane, Duration.ZERO)).toList(), List.of());
    }

    private List<LaneShare> choose(Map<String, Integer> room, boolean hints) {
      return chooser.choose(known, room, 100, lane -> hints ? LOW_WATER : null, 0).shares();
    }

    private LaneShare hinted(Lane lane, int cap) {
      return new LaneShare(lane, cap, LOW_WATER);
    }
  }

  private static LaneShare share(Lane lane, int cap) {
    return new LaneShare(lane, cap, null);
  }
}
