package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.OwnedJobs;
import dev.skipjack.api.spi.WakeUp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class OwnerChecksTest {

  private static final WakeUp DUE = new WakeUp(new Lane("reports", 0), "report");

  private long now = Duration.ofDays(1).toNanos();
  private final List<String> calls = new ArrayList<>();
  private final List<WakeUp> due = new ArrayList<>();
  private final List<Long> raised = new ArrayList<>();
  private OwnedJobs.Checked checked = new OwnedJobs.Checked(List.of(DUE), true, false);
  private OwnedJobs.Checked swept = OwnedJobs.Checked.NOTHING;
  private @Nullable RuntimeException failure;

  private final OwnerChecks checks =
      new OwnerChecks(
          new OwnedJobs() {
            @Override
            public Checked check(Collection<Long> owners) {
              calls.add("check " + owners);
              if (failure != null) {
                throw failure;
              }
              return checked;
            }

            @Override
            public Checked sweep() {
              calls.add("sweep");
              return swept;
            }
          },
          due::add,
          new Wakeup() {
            @Override
            void raise() {
              raised.add(now);
            }
          },
          () -> now,
          new SplittableRandom(1));

  /** Runs the step of the loop for the given time, with the pauses that the step returns. */
  private List<String> runFor(Duration time) {
    calls.clear();
    long end = now + time.toNanos();
    while (now < end) {
      now += Math.min(checks.run(), end - now);
    }
    return List.copyOf(calls);
  }

  @Test
  void theFirstCheckFollowsAtOnceAndTheNextOneAfterAPause() {
    runFor(Duration.ofMillis(100));
    checks.expect(7);
    assertThat(raised).hasSize(1);
    assertThat(checks.run()).isPositive();
    assertThat(calls).containsExactly("sweep", "check [7]");
    assertThat(due).containsExactly(DUE);

    checks.expect(7);
    checks.expect(8);
    checks.expect(7);
    assertThat(raised).as("an owner that is already expected raises no wake-up").hasSize(3);
    assertThat(checks.run()).isBetween(1L, Duration.ofMillis(10).toNanos());
    assertThat(calls).hasSize(2);
    assertThat(runFor(Duration.ofMillis(11))).containsExactly("check [7, 8]");
    assertThat(runFor(Duration.ofMillis(500))).isEmpty();
  }

  @Test
  void sweepsRunEverySecondWhileAnOwnerIsOpen() {
    swept = new OwnedJobs.Checked(List.of(DUE), true, false);
    assertThat(runFor(Duration.ofSeconds(100)).size()).isBetween(70, 140);
    swept = OwnedJobs.Checked.NOTHING;
    runFor(Duration.ofSeconds(20));
    assertThat(runFor(Duration.ofSeconds(100)).size()).isBetween(6, 15);
    checks.expect(7);
    assertThat(runFor(Duration.ofSeconds(2)))
        .as("a check of an owner that is open")
        .startsWith("check [7]", "sweep");
  }

  @Test
  void anUnfinishedSweepContinuesAtOnce() {
    swept = new OwnedJobs.Checked(List.of(), true, true);
    assertThat(runFor(Duration.ofNanos(5))).hasSize(5);
  }

  @Test
  void aSweepIsRequestedAfterJobsWithUnknownOwnersHaveEnded() {
    runFor(Duration.ofSeconds(1));
    checks.sweepSoon();
    assertThat(raised).hasSize(1);
    assertThat(runFor(Duration.ofMillis(1))).containsExactly("sweep");
  }

  @Test
  void aSweepFindsTheOwnersOfAFailedCheck() {
    runFor(Duration.ofSeconds(1));
    checks.expect(7);
    failure = new IllegalStateException("no luck");
    assertThatThrownBy(checks::run).hasMessage("no luck");
    assertThat(runFor(Duration.ofMillis(11))).containsExactly("sweep");
  }

  @Test
  void aCheckTakesTwoHundredOwners() {
    runFor(Duration.ofSeconds(1));
    for (long owner = 1; owner <= 250; owner++) {
      checks.expect(owner);
    }
    assertThat(runFor(Duration.ofMillis(25)))
        .hasSize(2)
        .last()
        .asString()
        .startsWith("check [201, 202")
        .endsWith("250]");
  }
}
