package dev.skipjack.spring;

import dev.skipjack.outbox.Relay;

/**
 * Changes the relay before it is started, for settings without a property. All beans of this type
 * are called, in their order.
 */
@FunctionalInterface
public interface RelayCustomizer {

  /**
   * Changes the builder, which already has the settings of the properties.
   *
   * @param relay the builder of the relay
   */
  void customize(Relay.Builder relay);
}
