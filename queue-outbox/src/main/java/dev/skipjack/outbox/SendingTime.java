package dev.skipjack.outbox;

import java.time.Duration;

/** The time in which the events of a batch may be sent. Thread-safe. */
interface SendingTime {

  /** Returns whether another event may be sent. */
  boolean isOpen();

  /** Returns how long sending may still take; zero or negative if the time has passed. */
  Duration left();
}
