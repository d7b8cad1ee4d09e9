package dev.skipjack.cli;

import dev.skipjack.api.PayloadCodec;

/**
 * The codec of the command line, to which payloads are JSON texts. The queue checks them as it
 * checks the texts of any codec.
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
