package dev.skipjack.examples.demo;

import java.util.UUID;

/** Repeatable random numbers: the same delivery and salt always draw the same number. */
final class Draw {

  private Draw() {}

  /** Returns a number from 0 to {@code bound - 1}, each as likely as any other. */
  static int below(int bound, UUID delivery, long salt) {
    long mixed =
        mix(
            mix(mix(salt) ^ delivery.getMostSignificantBits())
                ^ delivery.getLeastSignificantBits());
    return (int) Long.remainderUnsigned(mixed, bound);
  }

  /** The finaliser of SplitMix64: every bit of the input changes half of the output's. */
  private static long mix(long bits) {
    long z = bits + 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
