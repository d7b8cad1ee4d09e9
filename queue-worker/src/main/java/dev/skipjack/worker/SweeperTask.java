package dev.skipjack.worker;

import dev.skipjack.api.spi.Sweeper;
import dev.skipjack.api.spi.Sweeper.Swept;
import dev.skipjack.api.spi.WakeUp;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * Runs the periodic work of modules: every second while one of them is used, and otherwise every
 * ten seconds. Any worker may do this for all others. Confined to the thread of the loop.
 */
final class SweeperTask implements Loop.Step {

  private static final long USUALLY = Duration.ofSeconds(1).toNanos();

  private final List<Sweeper> sweepers;
  private final Consumer<WakeUp> madeDue;
  private final RandomGenerator random;

  /**
   * @param madeDue receives a wake-up for each job that is now due
   */
  SweeperTask(List<Sweeper> sweepers, Consumer<WakeUp> madeDue, RandomGenerator random) {
    this.sweepers = List.copyOf(sweepers);
    this.madeDue = madeDue;
    this.random = random;
  }

  @Override
  public long run() {
    boolean unfinished = false;
    RuntimeException failed = null;
    for (Sweeper sweeper : sweepers) {
      try {
        Swept swept = sweeper.sweep();
        swept.madeDue().forEach(madeDue);
        unfinished |= swept.unfinished();
      } catch (Throwable failure) {
        failed = Loop.unchecked(failure); // the other sweepers still run
      }
    }
    if (failed != null) {
      throw failed;
    }
    return unfinished ? 1 : Jitter.around(USUALLY, random);
  }
}
