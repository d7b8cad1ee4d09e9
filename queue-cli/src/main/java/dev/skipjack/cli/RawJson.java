package dev.skipjack.cli;

import dev.skipjack.api.PayloadCodec;

/**
 * The codec of the command line, to which payloads are JSON texts, or lines of a file that contain
 * them. The queue checks them as it checks the texts of any codec.
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
