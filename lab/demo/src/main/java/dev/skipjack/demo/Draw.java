package dev.skipjack.demo;

import java.util.UUID;

/** Repeatable random numbers: the same delivery and salt always draw the same number. */
final class Draw {

  private Draw() {}

  /** Returns a number from 0 to {@code bound - 1}; all are equally likely. */
  static int below(int bound, UUID delivery, long salt) {
    long mixed =
        mix(
            mix(mix(salt) ^ delivery.getMostSignificantBits())
                ^ delivery.getLeastSignificantBits());
    return (int) Long.remainderUnsigned(mixed, bound);
  }

  /**
   * The finaliser of SplitMix64: a change of any input bit changes about half of the output bits.
   */
  private static long mix(long bits) {
    long z = bits + 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
