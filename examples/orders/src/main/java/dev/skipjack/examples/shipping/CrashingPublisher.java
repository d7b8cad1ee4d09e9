package dev.skipjack.examples.shipping;

import dev.skipjack.outbox.EventBatch;
import dev.skipjack.outbox.PublishResult;
import dev.skipjack.outbox.Publisher;
import java.util.List;

/**
 * Stops its relay at the worst moment: after a batch was published and before this is recorded.
 * Like a killed process, the relay then does nothing, and its leases expire.
 */
final class CrashingPublisher implements Publisher {

  private final Publisher publisher;
  private volatile boolean hasCrashed;
  private int eventsLeft;

  /**
   * @param events the number of events after which the relay stops
   */
  CrashingPublisher(Publisher publisher, int events) {
    this.publisher = publisher;
    this.eventsLeft = events;
  }

  @Override
  public synchronized List<PublishResult> publish(EventBatch batch) throws Exception {
    List<PublishResult> results = publisher.publish(batch);
    eventsLeft -= batch.events().size();
    if (eventsLeft <= 0) {
      hasCrashed = true;
      throw new InterruptedException("The relay crashes.");
    }
    return results;
  }

  boolean hasCrashed() {
    return hasCrashed;
  }
}
