package dev.skipjack.demo;

/** What the attempts of a delivery's job do. The producer plans it, and the handler obeys. */
enum Fate {
  /** Each attempt succeeds. */
  SUCCEEDS,
  /** The first attempt fails and later ones succeed. Planned for about 3 in 100 deliveries. */
  FAILS_ONCE,
  /**
   * Every attempt fails, and after the third the handler makes the job dead. Planned for 5 in 1,000
   * deliveries.
   */
  POISONED;

  private static final int LAST_OF_POISONED = 3;

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

  /** Returns whether a failed attempt is the last one, even if the job has attempts left. */
  boolean givesUp(int attempt) {
    return this == POISONED && attempt >= LAST_OF_POISONED;
  }
}
