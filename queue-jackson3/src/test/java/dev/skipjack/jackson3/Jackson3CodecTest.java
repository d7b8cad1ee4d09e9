package dev.skipjack.jackson3;

import dev.skipjack.api.PayloadCodec;
import dev.skipjack.testkit.PayloadCodecContract;

class Jackson3CodecTest extends PayloadCodecContract {

  @Override
  protected PayloadCodec codec() {
    return new Jackson3Codec();
  }
}
