package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LongSnapshotsTest {

  private static final Duration LEASE = Duration.ofSeconds(30);
  private static final Duration HEARTBEAT = Duration.ofSeconds(10);

  private final LongSnapshots snapshots = new LongSnapshots(HEARTBEAT);

  @Test
  void aKindThatNeverFailedHasTheUsualLease() {
    assertThat(snapshots.leaseOf("k")).isNull();
  }

  @Test
  void leaseIsThreeTimesTheDurationOfTheAttempt() {
    assertThat(snapshots.learn("k", Duration.ofMinutes(5), LEASE)).isTrue();

    assertThat(snapshots.leaseOf("k")).isEqualTo(Duration.ofMinutes(15));
    assertThat(snapshots.leaseOf("other")).isNull();
  }

  /** A renewal may happen during a short transaction by chance. */
  @Test
  void theLeaseIsAtLeastTwiceTheOneBefore() {
    assertThat(snapshots.learn("k", Duration.ofMillis(1), LEASE)).isTrue();

    assertThat(snapshots.leaseOf("k")).isEqualTo(LEASE.multipliedBy(2));
  }

  @Test
  void shorterLeaseDoesNotReplaceALongerOne() {
    snapshots.learn("k", Duration.ofMinutes(5), LEASE);
    snapshots.learn("k", Duration.ofMinutes(1), LEASE);

    assertThat(snapshots.leaseOf("k")).isEqualTo(Duration.ofMinutes(15));
  }

  /** A handler that never succeeds must use its attempts. */
  @Test
  void attemptsAreForgivenOnlyWhileTheLeaseGrows() {
    Duration lease = LEASE;
    int uncountedAttempts = 0;
    while (snapshots.learn("k", Duration.ofMillis(1), lease)) {
      lease = Objects.requireNonNull(snapshots.leaseOf("k"));
      uncountedAttempts++;
    }

    assertThat(lease).isEqualTo(LongSnapshots.LONGEST);
    assertThat(uncountedAttempts).isLessThan(12);
  }

  @Test
  void aKindIsForgottenAfterManyShortAttemptsInARow() {
    snapshots.learn("k", Duration.ofMinutes(5), LEASE);

    run(LongSnapshots.PATIENCE - 1, Duration.ofMillis(1));
    assertThat(snapshots.leaseOf("k")).isNotNull();

    run(1, Duration.ofMillis(1));
    assertThat(snapshots.leaseOf("k")).isNull();
  }

  @Test
  void oneLongAttemptKeepsAKindFromBeingForgotten() {
    snapshots.learn("k", Duration.ofMinutes(5), LEASE);

    run(LongSnapshots.PATIENCE - 1, Duration.ofMillis(1));
    run(1, HEARTBEAT);
    run(LongSnapshots.PATIENCE - 1, Duration.ofMillis(1));

    assertThat(snapshots.leaseOf("k")).isEqualTo(Duration.ofMinutes(15));
  }

  /** A rare long job among short ones must not repeatedly be released without being counted. */
  @Test
  void aKindThatIsLearnedAgainTakesTwiceAsManyShortAttemptsToForget() {
    snapshots.learn("k", Duration.ofMinutes(5), LEASE);
    run(LongSnapshots.PATIENCE, Duration.ofMillis(1));

    snapshots.learn("k", Duration.ofMinutes(1), LEASE);
    run(2 * LongSnapshots.PATIENCE - 1, Duration.ofMillis(1));
    assertThat(snapshots.leaseOf("k")).isEqualTo(Duration.ofMinutes(3));

    run(1, Duration.ofMillis(1));
    assertThat(snapshots.leaseOf("k")).isNull();
  }

  private void run(int attempts, Duration each) {
    for (int i = 0; i < attempts; i++) {
      snapshots.ran("k", each.toNanos());
    }
  }
}
