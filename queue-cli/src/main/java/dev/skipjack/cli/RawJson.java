package dev.skipjack.cli;

import dev.skipjack.api.PayloadCodec;

/**
 * The codec of the command line, which represents payloads as JSON text, or as lines of a file that
 * contain such text. The queue checks this text as it does for any other codec.
 */
final class RawJson implements PayloadCodec {

  @Override
  public String encode(Object payload) {
    return payload instanceof JobLine line ? line.payload() : (String) payload;
  }

  @Override
  public <T> T decode(String json, Class<T> payloadClass) {
    return payloadClass.cast(json);
  }
}
