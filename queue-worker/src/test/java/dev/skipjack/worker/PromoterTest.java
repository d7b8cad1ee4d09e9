package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.OrderedJobs;
import dev.skipjack.api.spi.WakeUp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PromoterTest {

  private static final WakeUp WAKE_UP = new WakeUp(new Lane("q", 0), "k");

  private final List<String> asked = new ArrayList<>();
  private final List<WakeUp> promoted = new ArrayList<>();
  private long now = 1;
  private boolean waiting;
  private boolean unfinished;
  private Duration takes = Duration.ZERO;

  private final OrderedJobs jobs =
      new OrderedJobs() {
        @Override
        public List<WakeUp> promote(Collection<String> keys) {
          asked.add(String.join(" ", keys));
          return List.of(WAKE_UP);
        }

        @Override
        public Sweep sweep() {
          asked.add("sweep");
          now += takes.toNanos();
          return new Sweep(waiting ? List.of(WAKE_UP) : List.of(), waiting, unfinished);
        }
      };

  private final Promoter promoter =
      new Promoter(jobs, promoted::add, new Wakeup(), () -> now, new SplittableRandom(1));

  @Test
  void sweepsSeldomWithoutKeysAndOnceASecondAfterTheirUse() {
    assertThat(seconds(promoter.run())).isBetween(8.0, 12.0);
    assertThat(asked).containsExactly("sweep");

    assertThat(seconds(promoter.run())).isBetween(8.0, 12.0);
    assertThat(asked).containsExactly("sweep");

    waiting = true;
    now += Duration.ofSeconds(13).toNanos();
    assertThat(seconds(promoter.run())).isBetween(0.2, 0.3);
    waiting = false;
    now += Duration.ofSeconds(1).toNanos();
    assertThat(seconds(promoter.run())).isBetween(0.8, 1.2);
    now += Duration.ofSeconds(61).toNanos();
    assertThat(seconds(promoter.run())).isBetween(8.0, 12.0);
  }

  @Test
  void sweepsFourTimesASecondWhileJobsWait() {
    waiting = true;
    assertThat(seconds(promoter.run())).isBetween(0.2, 0.3);
    assertThat(promoted).containsExactly(WAKE_UP);
  }

  @Test
  void promotesTheKeysOfWakeUpsAtOnceAndThenSweepsOftenForASecond() {
    promoter.run();
    asked.clear();
    promoter.expect("a");
    promoter.expect("b");
    promoter.expect("a");

    long pause = promoter.run();
    assertThat(asked).containsExactly("a b");
    assertThat(promoted).containsExactly(WAKE_UP);
    assertThat(seconds(pause)).isBetween(0.04, 0.06);

    now += pause;
    assertThat(seconds(promoter.run())).isBetween(0.04, 0.06);
    assertThat(asked).containsExactly("a b", "sweep");

    now += Duration.ofSeconds(1).toNanos();
    assertThat(seconds(promoter.run())).isBetween(0.8, 1.2);
  }

  @Test
  void unfinishedSweepContinuesAtOnceUnlessItIsSlow() {
    unfinished = true;
    assertThat(promoter.run()).isEqualTo(1);

    takes = Duration.ofMillis(20);
    now += 1;
    assertThat(seconds(promoter.run())).isEqualTo(0.2);
  }

  @Test
  void otherStepOfItsLoopRunsAtItsOwnPaceAndAlsoIfItFails() throws Exception {
    List<String> runs = new ArrayList<>();
    boolean[] fails = {false};
    SharedLoop loop =
        new SharedLoop(
            () -> {
              runs.add("paced");
              return 100;
            },
            () -> {
              runs.add("woken");
              if (fails[0]) {
                throw new IllegalStateException("refused");
              }
              return 30;
            },
            () -> now);
    assertThat(loop.run()).isEqualTo(30);
    now += 30;
    assertThat(loop.run()).isEqualTo(30);
    now += 60;
    fails[0] = true;
    assertThatThrownBy(loop::run).hasMessage("refused");
    now += 10;
    assertThatThrownBy(loop::run).hasMessage("refused");
    assertThat(runs).containsExactly("paced", "woken", "woken", "woken", "paced", "woken");
  }

  @Test
  void failureOfTheOtherStepDoesNotKeepJobsFromBeingPromoted() {
    List<String> runs = new ArrayList<>();
    SharedLoop loop =
        new SharedLoop(
            () -> {
              throw new StackOverflowError("refused");
            },
            () -> {
              runs.add("woken");
              return 30;
            },
            () -> now);
    assertThatThrownBy(loop::run).hasMessage("refused");
    assertThat(runs).containsExactly("woken");
  }

  /** Otherwise, a run without a statement would end an outage of the database in health(). */
  @Test
  void aRunWithoutAStatementDoesNotCountAsUseOfTheDatabase() throws Exception {
    SharedLoop loop = new SharedLoop(() -> 100, promoter, () -> now);
    loop.run();
    assertThat(loop.asked()).isTrue();

    now += 50;
    loop.run();
    assertThat(loop.asked()).isFalse();

    now += 50;
    loop.run();
    assertThat(loop.asked()).as("the paced step ran").isTrue();

    promoter.expect("a");
    loop.run();
    assertThat(loop.asked()).as("the woken step promoted a job").isTrue();
    assertThat(asked).containsExactly("sweep", "a");
  }

  private static double seconds(long nanos) {
    return nanos / 1e9;
  }
}
