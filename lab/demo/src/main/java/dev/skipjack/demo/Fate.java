package dev.skipjack.demo;

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
  /** The first attempt fails and later ones succeed. Applies to 3 in 100 jobs. */
  FAILS_ONCE,
  /**
   * Every attempt fails, and after the third the handler makes the job dead. Applies to 5 in 1,000
   * jobs.
   */
  POISONED;

  /** The last attempt of a poisoned job. */
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

  /** Returns whether an attempt, counted from 1, fails. */
  boolean fails(int attempt) {
    return this == POISONED || (this == FAILS_ONCE && attempt == 1);
  }

  /** Returns whether a failed attempt is the last one, even if the job has attempts left. */
  boolean givesUp(int attempt) {
    return this == POISONED && attempt >= LAST_OF_POISONED;
  }

  /**
   * Returns the lowest salt with which every fate occurs among the first {@value #REPRESENTATIVE}
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
