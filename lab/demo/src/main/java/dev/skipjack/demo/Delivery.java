package dev.skipjack.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A webhook delivery, as received from its sender.
 *
 * @param id the id of the delivery, which is the same if the delivery is sent twice
 * @param event the type of event, for example {@code push}
 * @param action what happened, for events with several possible actions
 * @param repository where it happened; null for events that concern a whole organisation
 * @param payload the body
 */
record Delivery(
    UUID id, String event, @Nullable String action, @Nullable String repository, JsonNode payload) {

  private static final Set<String> URGENT_EVENTS =
      Set.of("security_advisory", "secret_scanning_alert_location");

  /**
   * Returns whether the delivery must be handled before ordinary ones. True for security advisories
   * and alerts.
   */
  boolean isUrgent() {
    return URGENT_EVENTS.contains(event) || event.endsWith("_alert");
  }

  /** Returns a delivery with the same content and another id. */
  Delivery withId(UUID fresh) {
    return new Delivery(fresh, event, action, repository, payload);
  }
}
