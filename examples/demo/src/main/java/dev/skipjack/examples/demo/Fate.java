package dev.skipjack.examples.demo;

import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;

/**
 * The fate of a delivery's job. It depends only on the id of the delivery and the salt of its run.
 */
enum Fate {
  /** Each attempt succeeds. */
  SUCCEEDS,
  /** The first attempt fails, later ones succeed: 3 in 100. */
  FAILS_ONCE,
  /**
   * Every attempt fails, and the handler gives up at the third, so the job becomes dead: 5 in
   * 1,000.
   */
  POISONED;

  /** The attempt at which a poisoned job gives up. */
  private static final int LAST_OF_POISONED = 3;

  /** If there are at least this many deliveries, each fate occurs among the first ones. */
  static final int REPRESENTATIVE = 200;

  /** Returns the fate of a delivery. */
  static Fate of(UUID delivery, long salt) {
    int drawn = Draw.below(1_000, delivery, salt);
    if (drawn < 5) {
      return POISONED;
    }
    return drawn < 35 ? FAILS_ONCE : SUCCEEDS;
  }

  /** Whether an attempt fails, counted from 1. */
  boolean fails(int attempt) {
    return this == POISONED || (this == FAILS_ONCE && attempt == 1);
  }

  /** Whether an attempt that fails is the last, however many the job may have. */
  boolean givesUp(int attempt) {
    return this == POISONED && attempt >= LAST_OF_POISONED;
  }

  /**
   * Returns the first salt with which every fate occurs among the first {@value #REPRESENTATIVE}
   * deliveries; 0 if there are fewer deliveries.
   */
  static long saltFor(Collection<UUID> first) {
    if (first.size() < REPRESENTATIVE) {
      return 0;
    }
    for (long salt = 0; ; salt++) {
      Set<Fate> met = EnumSet.noneOf(Fate.class);
      for (UUID delivery : first) {
        met.add(of(delivery, salt));
      }
      if (met.size() == values().length) {
        return salt;
      }
    }
  }
}
