package dev.skipjack.demo;

/**
 * The planned results of the attempts of a delivery's job. The producer sets them, and the handler
 * follows them.
 */
enum Fate {
  SUCCEEDS,
  /** The first attempt fails and later ones succeed. Planned for about 3 in 100 deliveries. */
  FAILS_ONCE,
  /** Every attempt fails, until the handler gives up. Planned for 5 in 1,000 deliveries. */
  POISONED;

  /** The attempt that makes a job dead if it fails, even if the job has attempts left. */
  static final int LAST_ATTEMPT = 3;

  /** Returns the fate of the n-th delivery of a run, counted from 1. */
  static Fate of(long number) {
    if (number % 200 == 7) {
      return POISONED;
    }
    return number % 33 == 5 ? FAILS_ONCE : SUCCEEDS;
  }

  /** Returns whether an attempt, counted from 1, fails. */
  boolean fails(int attempt) {
    return this == POISONED || (this == FAILS_ONCE && attempt == 1);
  }
}
