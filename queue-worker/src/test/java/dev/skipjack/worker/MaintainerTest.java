package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.Retention;
import dev.skipjack.api.spi.Postponed;
import dev.skipjack.api.spi.Postponed.Reason;
import dev.skipjack.api.spi.Pruned;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class MaintainerTest {

  private final MemoryStore store = new MemoryStore();
  private final Maintainer maintainer =
      new Maintainer(store, Retention.defaults(), new Reporter(List.of()), new SplittableRandom(7));

  @Test
  void createsBeforeItRemoves() {
    maintainer.run();

    assertThat(store.calls).containsExactly("createPartitions", "removePartitions", "prune");
  }

  @Test
  void comesBackInAnHourOrSo() {
    assertThat(Duration.ofNanos(maintainer.run()))
        .isBetween(Duration.ofMinutes(48), Duration.ofMinutes(72));
  }

  @Test
  void comesBackSoonWhenSomebodyWasInTheWay() {
    store.postponed.add(new Postponed("p", Reason.BUSY));

    assertThat(Duration.ofNanos(maintainer.run()))
        .isBetween(Duration.ofSeconds(48), Duration.ofSeconds(72));
  }

  @Test
  void goesOnAtOnceWithWhatIsUnfinished() {
    store.postponed.add(new Postponed("p", Reason.BUSY));
    store.postponed.add(new Postponed("q", Reason.UNFINISHED));

    assertThat(Duration.ofNanos(maintainer.run())).isLessThan(Duration.ofSeconds(2));
  }

  @Test
  void goesOnAtOnceWithWhatIsNotPrunedYet() {
    store.pruned = new Pruned(5_000, 0, true);

    assertThat(Duration.ofNanos(maintainer.run())).isLessThan(Duration.ofSeconds(2));
  }

  @Test
  void hurriesForNothingThatOnlyAPersonOrAJobCanChange() {
    store.postponed.add(new Postponed("p", Reason.FORBIDDEN));
    store.postponed.add(new Postponed("q", Reason.IN_THE_WAY));
    store.postponed.add(new Postponed("r", Reason.RUNNING));

    assertThat(Duration.ofNanos(maintainer.run())).isGreaterThan(Duration.ofMinutes(40));
  }
}
