package dev.skipjack.spring;

/** Determines what happens to the queue's tables when the application starts. */
public enum Migrate {
  /** Creates the tables or brings them up to date. */
  TRUE,

  /** Fails the start if the tables are missing or older than this version of Skipjack needs. */
  VALIDATE,

  /** Does nothing. */
  OFF
}
