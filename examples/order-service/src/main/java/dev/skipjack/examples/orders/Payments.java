package dev.skipjack.examples.orders;

import java.io.IOException;

/** The bank. */
@FunctionalInterface
public interface Payments {

  /**
   * Charges the customer. Called again for a number that was charged, it does nothing.
   *
   * @throws CardDeclined if the bank declines the card for good
   * @throws IOException if the bank cannot be reached now
   */
  void charge(String number, int cents) throws CardDeclined, IOException;
}
