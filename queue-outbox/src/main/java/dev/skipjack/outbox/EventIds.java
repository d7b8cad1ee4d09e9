package dev.skipjack.outbox;

import java.security.SecureRandom;
import java.util.UUID;

/** Creates ids of events: UUIDs of version 7, which begin with the time in milliseconds. */
final class EventIds {

  private static final long VERSION = 0x7000L;
  private static final long VARIANT = 0x8000_0000_0000_0000L;

  private final SecureRandom random = new SecureRandom();

  UUID next() {
    byte[] bits = new byte[10];
    random.nextBytes(bits);
    long low = 0;
    for (int i = 2; i < bits.length; i++) {
      low = low << 8 | (bits[i] & 0xff);
    }
    long twelve = (bits[0] & 0x0fL) << 8 | (bits[1] & 0xffL);
    return new UUID(
        System.currentTimeMillis() << 16 | VERSION | twelve,
        VARIANT | (low & 0x3fff_ffff_ffff_ffffL));
  }
}
