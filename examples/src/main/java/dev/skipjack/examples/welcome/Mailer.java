package dev.skipjack.examples.welcome;

import java.io.IOException;

/** Sends emails. It stands for any external system. */
@FunctionalInterface
interface Mailer {

  /**
   * Sends a welcome email.
   *
   * @throws IOException if the mail server does not accept it
   */
  void welcome(String address, String locale) throws IOException;
}
