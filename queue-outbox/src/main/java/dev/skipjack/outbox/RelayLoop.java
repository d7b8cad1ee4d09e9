package dev.skipjack.outbox;

import dev.skipjack.api.StoreException;
import dev.skipjack.outbox.RelayBatch.Result;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The work of a relay's thread: batch after batch, until the relay stops. */
final class RelayLoop implements Runnable {

  static final long SHORTEST_WAIT = 5;
  static final long SHORTEST_PAUSE = 100;
  static final long LONGEST_PAUSE = 5_000;

  private static final Logger LOG = LoggerFactory.getLogger(RelayLoop.class);

  private final String relay;
  private final RelayBatch batch;
  private final Stop stop;
  private final WakeUpSignal signal;
  private final RelayVitals vitals;
  private final ErrorTexts texts;
  private final long pollMillis;

  RelayLoop(
      String relay,
      RelayBatch batch,
      Stop stop,
      WakeUpSignal signal,
      RelayVitals vitals,
      ErrorTexts texts,
      long pollMillis) {
    this.relay = relay;
    this.batch = batch;
    this.stop = stop;
    this.signal = signal;
    this.vitals = vitals;
    this.texts = texts;
    this.pollMillis = pollMillis;
  }

  @Override
  public void run() {
    long wait = SHORTEST_WAIT;
    long pause = SHORTEST_PAUSE;
    while (true) {
      boolean unused = Thread.interrupted(); // clears an interrupt by the publisher
      if (stop.isRequested()) {
        return;
      }
      long before = signal.seen();
      switch (batch(pause)) {
        case PROGRESS -> {
          wait = SHORTEST_WAIT;
          pause = SHORTEST_PAUSE;
        }
        case IDLE -> {
          pause = SHORTEST_PAUSE;
          wait = signal.await(before, wait) ? SHORTEST_WAIT : Math.min(2 * wait, pollMillis);
        }
        case OUTAGE -> {
          signal.pause(pause);
          pause = Math.min(2 * pause, LONGEST_PAUSE);
        }
      }
    }
  }

  private Result batch(long pause) {
    try {
      Result outcome = batch.run();
      if (outcome == Result.OUTAGE) {
        vitals.failed("The publisher did not publish any event.");
      } else {
        vitals.worked();
      }
      return outcome;
    } catch (StoreException | InterruptedException failure) {
      LOG.warn(
          "Relay failed, tries again relay={} pauseMs={} error={}",
          relay,
          pause,
          ErrorTexts.own(failure));
      vitals.failed(ErrorTexts.own(failure));
    } catch (Throwable failure) {
      LOG.error(
          "Relay failed, tries again relay={} pauseMs={} error={}",
          relay,
          pause,
          texts.trace(failure));
      vitals.failed(ErrorTexts.own(failure));
    }
    return Result.OUTAGE;
  }
}
