package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LongSnapshotsTest {

  private static final Duration LEASE = Duration.ofSeconds(30);

  private final LongSnapshots snapshots = new LongSnapshots();

  @Test
  void aKindThatNeverFailedHasTheUsualLease() {
    assertThat(snapshots.leaseOf("k")).isNull();
  }

  @Test
  void theLeaseIsThreeTimesWhatTheAttemptTook() {
    assertThat(snapshots.learn("k", Duration.ofMinutes(5), LEASE)).isTrue();

    assertThat(snapshots.leaseOf("k")).isEqualTo(Duration.ofMinutes(15));
    assertThat(snapshots.leaseOf("other")).isNull();
  }

  /** A short transaction met a renewal by chance. */
  @Test
  void theLeaseIsAtLeastTwiceTheOneBefore() {
    assertThat(snapshots.learn("k", Duration.ofMillis(1), LEASE)).isTrue();

    assertThat(snapshots.leaseOf("k")).isEqualTo(LEASE.multipliedBy(2));
  }

  @Test
  void aShorterOneDoesNotReplaceALongerOne() {
    snapshots.learn("k", Duration.ofMinutes(5), LEASE);
    snapshots.learn("k", Duration.ofMinutes(1), LEASE);

    assertThat(snapshots.leaseOf("k")).isEqualTo(Duration.ofMinutes(15));
  }

  /** Else a handler that never succeeds would run for ever and never use an attempt. */
  @Test
  void attemptsAreForgivenOnlyWhileTheLeaseGrows() {
    Duration lease = LEASE;
    int forgiven = 0;
    while (snapshots.learn("k", Duration.ofMillis(1), lease)) {
      lease = Objects.requireNonNull(snapshots.leaseOf("k"));
      forgiven++;
    }

    assertThat(lease).isEqualTo(LongSnapshots.LONGEST);
    assertThat(forgiven).isLessThan(12);
  }
}
