package dev.skipjack.demo;

import java.util.Optional;
import java.util.UUID;

/**
 * Generates plausible deliveries if no input is given. The same run id always yields the same
 * deliveries.
 */
final class WebhookGenerator implements DeliverySource {

  private final UUID run;
  private final long count;
  private long made;

  /**
   * @param run the run id, which determines the ids and the content
   */
  WebhookGenerator(UUID run, long count) {
    this.run = run;
    this.count = count;
  }

  @Override
  public Optional<Arrival> next() {
    if (made == count) {
      return Optional.empty();
    }
    made++;
    UUID id = FreshDeliveries.id(run, made);
    return Optional.of(new Arrival(new WebhookContent(id).delivery(), "generated delivery", made));
  }
}
