package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.Sweeper;
import dev.skipjack.api.spi.Sweeper.Swept;
import dev.skipjack.api.spi.WakeUp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SweeperTaskTest {

  private static final WakeUp WAKE_UP = new WakeUp(new Lane("q", 0), "k");

  private final List<WakeUp> madeDue = new ArrayList<>();

  private SweeperTask task(Sweeper... sweepers) {
    return new SweeperTask(List.of(sweepers), madeDue::add, new SplittableRandom(1));
  }

  @Test
  void sweepsEverySecondAndAtOnceIfThereIsMoreWork() {
    Sweeper idle = () -> Swept.NOTHING;
    Sweeper used = () -> new Swept(List.of(WAKE_UP), false);
    Sweeper unfinished = () -> new Swept(List.of(), true);

    assertThat(seconds(task(idle, used).run())).isBetween(0.8, 1.2);
    assertThat(task(unfinished, used).run()).isEqualTo(1);
    assertThat(madeDue).containsExactly(WAKE_UP, WAKE_UP);
  }

  @Test
  void sweeperThatFailsDoesNotPreventTheOthers() {
    Sweeper broken =
        () -> {
          throw new IllegalStateException("broken");
        };
    Sweeper used = () -> new Swept(List.of(WAKE_UP), false);

    SweeperTask task = task(broken, used);

    assertThatThrownBy(task::run).hasMessage("broken");
    assertThat(madeDue).containsExactly(WAKE_UP);
  }

  private static double seconds(long nanos) {
    return (double) nanos / Duration.ofSeconds(1).toNanos();
  }
}
