package dev.skipjack.examples.welcome;

import java.io.IOException;

/** Sends mail; stands for whatever the outside world is. */
@FunctionalInterface
interface Mailer {

  /**
   * Sends a welcome.
   *
   * @throws IOException if the mail server does not take it
   */
  void welcome(String address, String locale) throws IOException;
}
