package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.StoreException;
import dev.skipjack.worker.WorkerEvent.Lost;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HeartbeatTaskTest {

  private static final Duration LONG = Duration.ofMinutes(1);

  @Test
  void bufferedRunningAndUnwrittenAttemptsAreRenewedTogether() {
    Held held = new Held(LONG);
    List<Attempt> attempts = held.claim(3);
    attempts.get(1).begin();
    attempts.get(2).begin();
    attempts.get(2).finish();
    List<Long> before = attempts.stream().map(attempt -> attempt.lease().renewedAt()).toList();

    beat(held);

    assertThat(held.store.calls).contains("heartbeat");
    for (int i = 0; i < 3; i++) {
      assertThat(attempts.get(i).lease().renewedAt()).isGreaterThan(before.get(i));
    }
  }

  /** Longer leases must not delay the cancellation of handlers. */
  @Test
  void aCancelIsReadBetweenRenewals() {
    Held held = new Held(LONG);
    Attempt attempt = held.claim(1).get(0);
    attempt.begin();
    HeartbeatTask rare = held.heartbeat(Duration.ofSeconds(20));
    held.store.requestCancel(attempt.execution().jobId());

    assertThat(rare.run()).isLessThanOrEqualTo(Duration.ofSeconds(1).toNanos());

    assertThat(attempt.isCancelled()).isTrue();
    assertThat(held.store.calls).doesNotContain("heartbeat");
    assertThat(attempt.finish()).isEqualTo(Attempt.Stop.CANCELLED);
  }

  @Test
  void noCancelsAreReadWhileNoAttemptIsHeldOrAllHaveEnded() {
    Held held = new Held(LONG);
    HeartbeatTask rare = held.heartbeat(Duration.ofSeconds(20));
    rare.run();
    Attempt attempt = held.claim(1).get(0);
    attempt.begin();
    attempt.finish();
    attempt.unwritten();
    rare.run();

    assertThat(held.store.calls).isEmpty();
    assertThat(rare.asked()).isFalse();
  }

  /** If the statement for one batch fails, the leases in the other batches are still renewed. */
  @Test
  void batchThatCannotBeRenewedDoesNotStopTheRenewalOfOthers() {
    Held held = new Held(LONG);
    List<Attempt> attempts = held.claim(600);
    List<Long> before = attempts.stream().map(attempt -> attempt.lease().renewedAt()).toList();
    AtomicInteger batches = new AtomicInteger();
    held.store.fault =
        new MemoryStore.Fault() {
          @Override
          public void before(String call, int size) {
            if (batches.getAndIncrement() == 0) {
              throw failure("XX000");
            }
          }
        };

    assertThatThrownBy(() -> beat(held)).isInstanceOf(StoreException.class);

    long renewed =
        IntStream.range(0, 600)
            .filter(i -> attempts.get(i).lease().renewedAt() > before.get(i))
            .count();
    assertThat(renewed).isEqualTo(100);
  }

  @Test
  void aBatchThatIsTooLargeForATimeoutIsRenewedInSmallerOnes() {
    Held held = new Held(LONG);
    List<Attempt> attempts = held.claim(40);
    List<Long> before = attempts.stream().map(attempt -> attempt.lease().renewedAt()).toList();
    held.store.fault =
        new MemoryStore.Fault() {
          @Override
          public void before(String call, int size) {
            if (size > 10) {
              throw failure("57014");
            }
          }
        };

    beat(held);

    for (int i = 0; i < 40; i++) {
      assertThat(attempts.get(i).lease().renewedAt()).isGreaterThan(before.get(i));
    }
  }

  private static StoreException failure(String sqlState) {
    return new StoreException("told to fail", new SQLException("told to fail", sqlState));
  }

  @Test
  void recentLeasesAreNotRenewed() {
    Held held = new Held(LONG);
    held.heartbeat.run();
    assertThat(held.store.calls).isEmpty();
  }

  @Test
  void anAttemptPastItsTimeoutIsNotRenewed() {
    Held held = new Held(LONG);
    Attempt attempt = held.claim(1).get(0);
    attempt.begin();
    attempt.timeOut();
    long before = attempt.lease().renewedAt();

    beat(held);

    assertThat(attempt.lease().renewedAt()).isEqualTo(before);
    attempt.finish();
  }

  @Test
  void aLostAttemptInTheBufferIsDropped() {
    Held held = new Held(LONG);
    Attempt attempt = held.claim(1).get(0);
    ExecutionId thief = held.store.steal(attempt.execution().jobId());

    beat(held);

    assertThat(held.events.all(Lost.class)).containsExactly(new Lost(attempt.info(), thief));
    assertThat(held.running.size()).isZero();
    assertThat(attempt.begin()).isFalse();
  }

  @Test
  void aLostAttemptThatRunsIsInterruptedAndKeepsItsSlotUntilItEnds() {
    Held held = new Held(LONG);
    Attempt attempt = held.claim(1).get(0);
    attempt.begin();
    held.store.steal(attempt.execution().jobId());

    beat(held);

    assertThat(attempt.isLeaseLost()).isTrue();
    assertThat(held.running.size()).isEqualTo(1);
    assertThat(attempt.finish()).isEqualTo(Attempt.Stop.LOST);
    assertThat(held.events.all(Lost.class)).hasSize(1);
  }

  @Test
  void aBusyRowStaysDue() {
    Held held = new Held(LONG);
    Attempt attempt = held.claim(1).get(0);
    held.store.hold(attempt.execution().jobId(), true);
    long before = attempt.lease().renewedAt();

    beat(held);
    assertThat(attempt.lease().renewedAt()).isEqualTo(before);

    held.store.hold(attempt.execution().jobId(), false);
    held.heartbeat.run();
    assertThat(attempt.lease().renewedAt()).isGreaterThan(before);
  }

  @Test
  @SuppressWarnings("MustBeClosed") // a connection of the in-memory store need not be closed
  void aJobThatItsHandlerCompletedIsNotLost() throws Exception {
    Held held = new Held(LONG);
    Attempt attempt = held.claim(1).get(0);
    attempt.begin();
    Connection connection = held.store.begin();
    held.store.completeIn(connection, attempt.execution());
    attempt.completion().noteWritten();
    connection.commit();

    beat(held);

    assertThat(attempt.isLeaseLost()).isFalse();
    assertThat(attempt.finish()).isEqualTo(Attempt.Stop.NONE);
    assertThat(attempt.completion().isCommitted()).isTrue();
    assertThat(held.events.all(Lost.class)).isEmpty();
  }

  @Test
  void aJobThatStillExistsWasNotCompletedByItsHandler() {
    Held held = new Held(LONG);
    Attempt attempt = held.claim(1).get(0);
    attempt.begin();
    attempt.completion().noteWritten(); // the transaction was rolled back
    ExecutionId thief = held.store.steal(attempt.execution().jobId());

    beat(held);

    assertThat(held.events.all(Lost.class)).containsExactly(new Lost(attempt.info(), thief));
    assertThat(attempt.finish()).isEqualTo(Attempt.Stop.LOST);
  }

  /**
   * Waits until every lease is old enough to be renewed, ignoring interrupts, and runs the task.
   */
  private static void beat(Held held) {
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < Duration.ofMillis(12).toNanos()) {
      Thread.onSpinWait();
    }
    held.heartbeat.run();
  }
}
