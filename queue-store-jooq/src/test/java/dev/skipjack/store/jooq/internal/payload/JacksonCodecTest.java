package dev.skipjack.store.jooq.internal.payload;

import dev.skipjack.api.PayloadCodec;
import dev.skipjack.testkit.PayloadCodecContract;

class JacksonCodecTest extends PayloadCodecContract {

  @Override
  protected PayloadCodec codec() {
    return new JacksonCodec();
  }
}
