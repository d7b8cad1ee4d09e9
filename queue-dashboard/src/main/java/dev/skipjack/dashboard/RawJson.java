package dev.skipjack.dashboard;

import dev.skipjack.api.PayloadCodec;

/**
 * The codec of the dashboard, which knows no payload classes and represents payloads as JSON text.
 * The queue checks the text as it does for any other codec.
 */
final class RawJson implements PayloadCodec {

  @Override
  public String encode(Object payload) {
    return (String) payload;
  }

  @Override
  public <T> T decode(String json, Class<T> payloadClass) {
    return payloadClass.cast(json);
  }
}
