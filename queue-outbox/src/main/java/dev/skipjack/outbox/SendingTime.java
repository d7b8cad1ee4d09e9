package dev.skipjack.outbox;

import java.time.Duration;

/** The time in which the events of a batch may be sent. Thread-safe. */
interface SendingTime {

  /** Returns whether another event may be sent. */
  boolean isOpen();

  /** Returns how long sending may take from now on; zero or negative if it must have ended. */
  Duration left();
}
