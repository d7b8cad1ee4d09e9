package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.worker.Attempt.Stop;
import java.time.Duration;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class AttemptTest {

  private static final Duration LONG = Duration.ofMinutes(1);

  @Test
  void anEndedAttemptIsNeitherLostNorReleasedNorTimedOut() {
    Attempt attempt = Attempts.claimed(LONG);
    attempt.begin();

    assertThat(attempt.finish()).isEqualTo(Stop.NONE);
    assertThat(attempt.lose()).isFalse();
    assertThat(attempt.timeOut()).isFalse();
    assertThat(attempt.release()).isNull();
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void anAttemptLostWhileBufferedDoesNotBegin() {
    Attempt attempt = Attempts.claimed(LONG);

    assertThat(attempt.lose()).isTrue();
    assertThat(attempt.lose()).isFalse();
    assertThat(attempt.begin()).isFalse();
  }

  @Test
  void lossTakesPrecedenceOverATimeout() {
    Attempt attempt = Attempts.claimed(LONG);
    attempt.begin();
    inAnotherThread(
        () -> {
          attempt.timeOut();
          attempt.lose();
        });

    assertThat(Thread.currentThread().isInterrupted()).isTrue();
    assertThat(attempt.finish()).isEqualTo(Stop.LOST);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  /** An interrupt at the end of an attempt does not interrupt a later attempt. */
  @Test
  void anInterruptAffectsNoLaterAttempt() throws Exception {
    ExecutorService other = Executors.newSingleThreadExecutor();
    try {
      CyclicBarrier start = new CyclicBarrier(2);
      for (int i = 0; i < 10_000; i++) {
        Attempt attempt = Attempts.claimed(LONG);
        attempt.begin();
        Future<Boolean> timeout =
            other.submit(
                () -> {
                  start.await();
                  return attempt.timeOut();
                });
        await(start);
        Stop stop = attempt.finish();
        boolean timedOut = timeout.get(10, TimeUnit.SECONDS);

        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(stop).isEqualTo(timedOut ? Stop.TIMED_OUT : Stop.NONE);
      }
    } finally {
      other.shutdownNow();
    }
  }

  @Test
  void aJobThatIsGoneWithinTheLeaseWasCompletedByItsHandler() {
    Attempt attempt = Attempts.claimed(LONG);
    assertThat(attempt.completion().isCommitted()).isFalse();
    attempt.completion().noteWritten();
    assertThat(attempt.completion().isCommitted()).isTrue();
  }

  @Test
  void aJobThatIsGoneAfterTheLeaseMayHaveAnotherHolder() {
    Attempt attempt = Attempts.claimed(Duration.ofNanos(1));
    attempt.completion().noteWritten();
    attempt.completion().noteJobGone();

    assertThat(attempt.completion().isCommitted()).isFalse();
    assertThat(attempt.lease().isRenewable()).isFalse();
  }

  private static void await(CyclicBarrier start) throws Exception {
    try {
      start.await();
    } catch (InterruptedException timedOutAlready) {
      // The timeout interrupted this thread while it was still waiting, before the attempt ended.
      Thread.currentThread().interrupt();
    }
  }

  /** Runs the body in another thread, and keeps an interrupt that it sends to this thread. */
  private static void inAnotherThread(Runnable body) {
    Thread other = new Thread(body);
    other.start();
    boolean interrupted = false;
    while (other.isAlive()) {
      try {
        other.join();
      } catch (InterruptedException meant) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** The server may have executed the usual renewal last. */
  @Test
  void aLongLeaseThatCoincidedWithAUsualRenewalIsNotTrusted() {
    Attempt attempt = Attempts.claimed(Duration.ofMinutes(1));
    int before = attempt.lease().renewals();
    attempt.lease().beginRenewal();
    assertThat(attempt.lease().spare(Duration.ofHours(1), System.nanoTime(), before)).isFalse();
    assertThat(
            attempt
                .lease()
                .spare(Duration.ofHours(1), System.nanoTime(), attempt.lease().renewals()))
        .isFalse();
    attempt.lease().endRenewal();
    assertThat(attempt.lease().spare(Duration.ofHours(1), System.nanoTime(), before)).isFalse();
    assertThat(attempt.lease().length()).isEqualTo(Duration.ofMinutes(1));

    assertThat(
            attempt
                .lease()
                .spare(Duration.ofHours(1), System.nanoTime(), attempt.lease().renewals()))
        .isTrue();
    assertThat(attempt.lease().length()).isEqualTo(Duration.ofHours(1));
    assertThat(attempt.lease().beginRenewal()).isFalse();
  }
}
