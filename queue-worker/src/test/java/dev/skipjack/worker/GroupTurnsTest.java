package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.spi.DueGroups;
import dev.skipjack.api.spi.DueGroups.DueGroup;
import dev.skipjack.api.spi.GroupClaim.Share;
import dev.skipjack.api.spi.GroupSearch;
import dev.skipjack.api.spi.GroupSearch.Place;
import dev.skipjack.api.spi.Lane;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests how many jobs of each group a claim requests. */
class GroupTurnsTest {

  private final GroupTurns turns = new GroupTurns(new Lane("default", 0));

  private static DueGroup group(@Nullable String name, int due, int weight, int free) {
    return new DueGroup(name, due, weight, free, null, null);
  }

  private static DueGroup group(String name, int due) {
    return group(name, due, 1, Integer.MAX_VALUE);
  }

  private static DueGroups found(@Nullable String readTo, DueGroup... groups) {
    return new DueGroups(
        List.of(groups), null, Integer.MAX_VALUE, false, false, readTo, null, null, null);
  }

  /** Returns the groups from the one after the last turn on, as a search returns them. */
  private DueGroups search(DueGroup... groups) {
    String after = turns.search(1, 0).after();
    List<DueGroup> ordered = new ArrayList<>();
    for (boolean again : new boolean[] {false, true}) {
      for (DueGroup group : groups) {
        String name = group.group() == null ? "" : group.group();
        if (name.compareTo(after) <= 0 == again) {
          ordered.add(group);
        }
      }
    }
    return found(null, ordered.toArray(DueGroup[]::new));
  }

  private List<String> choose(DueGroups found, int room) {
    List<String> chosen = new ArrayList<>();
    for (Share share : turns.choose(found, room, 64, 0, 1)) {
      chosen.add(share.group() + share.cap());
    }
    return chosen;
  }

  @Test
  void groupsHaveTurnsInTheOrderOfTheirNames() {
    DueGroup[] groups = {group("a", 9), group("b", 9), group("c", 9)};

    assertThat(choose(search(groups), 2)).containsExactly("a1", "b1");
    assertThat(choose(search(groups), 2)).containsExactly("c1", "a1");
    assertThat(choose(search(groups), 2)).containsExactly("b1", "c1");
  }

  @Test
  void turnThatDoesNotFitContinuesInTheNextClaim() {
    DueGroup[] groups = {
      group("a", 99, 3, Integer.MAX_VALUE), group("b", 99, 2, Integer.MAX_VALUE)
    };

    Map<String, Integer> served = new TreeMap<>();
    for (int i = 0; i < 50; i++) {
      for (Share share : turns.choose(search(groups), 1, 64, 0, 1)) {
        served.merge(String.valueOf(share.group()), share.cap(), Integer::sum);
      }
    }
    assertThat(served).containsExactlyInAnyOrderEntriesOf(Map.of("a", 30, "b", 20));
  }

  @Test
  void turnsThatAGroupCannotUseGoToTheOthersInTheSameClaim() {
    assertThat(choose(search(group("a", 1), group("b", 100), group("c", 1)), 10))
        .containsExactly("a1", "b8", "c1");
  }

  @Test
  void limitOfAGroupGoesBeforeItsWeight() {
    assertThat(choose(search(group("a", 100, 50, 2), group("b", 100, 1, 0), group("c", 5)), 10))
        .containsExactly("a2", "c5");
  }

  @Test
  void jobsWithoutAGroupHaveATurn() {
    assertThat(choose(search(group("a", 5), group(null, 5, 1, Integer.MAX_VALUE)), 3))
        .containsExactly("a2", "null1");
  }

  @Test
  void nextSearchContinuesAfterTheLastTurn() {
    choose(found("g", group("a", 1), group("c", 1), group("e", 1)), 2);

    assertThat(turns.search(5, 0)).extracting(GroupSearch::after).isEqualTo("c");
  }

  @Test
  void nextSearchContinuesAfterTheNamesThatWereReadIfAllHadATurn() {
    choose(found("g", group("a", 1), group("c", 1), group("z", 50)), 10);

    assertThat(turns.search(5, 0)).extracting(GroupSearch::after).isEqualTo("g");
    assertThat(turns.hasMore()).isTrue();
  }

  @Test
  void searchWithoutNamesFollowsNamesWithoutJobs() {
    turns.choose(found("g", group("z", 50)), 10, 64, 1_000, 100);

    assertThat(turns.search(5, 1_000 + 1_999).names()).isZero();
    assertThat(turns.search(5, 1_000 + 2_000).names()).isEqualTo(GroupTurns.NAMES);
    assertThat(turns.search(5, 0)).extracting(GroupSearch::after).isEqualTo("g");
  }

  @Test
  void namesAreComparedByTheirBytes() {
    choose(
        found("\uFFFD", group("\uD83D\uDE00", 5)),
        1); // behind U+FFFD in UTF-8, before it in UTF-16

    assertThat(turns.search(5, 0)).extracting(GroupSearch::after).isEqualTo("\uFFFD");
  }

  @Test
  void searchesAfterASlowOneBeginAtItsFirstDueJobForAWhile() {
    Place first = new Place(Instant.EPOCH, 7);
    long slow = Duration.ofMillis(60).toNanos();

    turns.choose(firstAt(first, group("a", 5)), 1, 64, 0, slow);

    assertThat(turns.search(5, 20 * slow - 1)).extracting(GroupSearch::from).isEqualTo(first);
    assertThat(turns.search(5, 20 * slow - 1)).extracting(GroupSearch::names).isEqualTo(0);
    Place later = new Place(Instant.EPOCH, 8);
    turns.choose(firstAt(later, group("a", 5)), 1, 64, slow, 1);
    assertThat(turns.search(5, 20 * slow - 1)).extracting(GroupSearch::from).isEqualTo(later);
    assertThat(turns.search(5, 20 * slow)).extracting(GroupSearch::from).isNull();
  }

  @Test
  void searchAfterAFastOneReadsAll() {
    turns.choose(firstAt(new Place(Instant.EPOCH, 7), group("a", 5)), 1, 64, 0, 1_000_000);

    assertThat(turns.search(5, 1)).extracting(GroupSearch::from).isNull();
  }

  @Test
  void searchThatFindsNoJobAfterItsPlaceIsFollowedByOneThatReadsAll() {
    long slow = Duration.ofMillis(60).toNanos();
    turns.choose(firstAt(new Place(Instant.EPOCH, 7), group("a", 5)), 1, 64, 0, slow);
    turns.search(5, 1);

    turns.choose(firstAt(null), 1, 64, 1, 1);

    assertThat(turns.hasMore()).isTrue();
    assertThat(turns.search(5, 2)).extracting(GroupSearch::from).isNull();
  }

  private static DueGroups firstAt(@Nullable Place first, DueGroup... groups) {
    return new DueGroups(
        List.of(groups), null, Integer.MAX_VALUE, false, false, null, null, null, first);
  }

  @Test
  void searchForJobsWithoutAGroupContinuesUntilOneIsFound() {
    Place place = new Place(Instant.EPOCH, 7);
    DueGroups none =
        new DueGroups(List.of(group("a", 5)), null, 9, false, false, null, place, null, null);
    DueGroups one =
        new DueGroups(
            List.of(group(null, 5, 1, Integer.MAX_VALUE)),
            null,
            9,
            false,
            false,
            null,
            null,
            null,
            null);

    choose(none, 1);
    assertThat(turns.search(5, 0)).extracting(GroupSearch::ungroupedAfter).isEqualTo(place);
    choose(one, 1);
    assertThat(turns.search(5, 0)).extracting(GroupSearch::ungroupedAfter).isEqualTo(place);
    choose(found(null, group("a", 5)), 1);
    assertThat(turns.search(5, 0)).extracting(GroupSearch::ungroupedAfter).isEqualTo(Place.FIRST);
  }
}
