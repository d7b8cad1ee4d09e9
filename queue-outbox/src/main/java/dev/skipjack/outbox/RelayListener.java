package dev.skipjack.outbox;

import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.api.spi.WakeUps;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Wakes the threads of a relay when events are committed, until the relay stops. */
final class RelayListener implements Runnable {

  /**
   * The wake-up that is sent when an event was recorded. Its lane names a queue that cannot exist.
   */
  static final WakeUp RECORDED = new WakeUp(new Lane("*", 0), "outbox");

  private static final Logger LOG = LoggerFactory.getLogger(RelayListener.class);

  private static final Duration LISTEN = Duration.ofMillis(250);

  private final String relay;
  private final WakeUps source;
  private final Stop stop;
  private final WakeUpSignal signal;

  RelayListener(String relay, WakeUps source, Stop stop, WakeUpSignal signal) {
    this.relay = relay;
    this.source = source;
    this.stop = stop;
    this.signal = signal;
  }

  @Override
  public void run() {
    long pause = RelayLoop.SHORTEST_PAUSE;
    while (true) {
      boolean unused = Thread.interrupted(); // clears an interrupt by a library
      if (stop.isRequested()) {
        return;
      }
      try (WakeUps.Subscription subscription = source.subscribe()) {
        signal.wake(); // for events that were recorded before the subscription
        while (!stop.isRequested()) {
          if (subscription.await(LISTEN).contains(RECORDED)) {
            signal.wake();
          }
          pause = RelayLoop.SHORTEST_PAUSE;
        }
      } catch (Throwable failure) { // otherwise this loop would end
        LOG.debug(
            "Relay cannot listen, polls instead relay={} error={}", relay, ErrorTexts.own(failure));
        signal.pause(pause);
        pause = Math.min(2 * pause, RelayLoop.LONGEST_PAUSE);
      }
    }
  }
}
