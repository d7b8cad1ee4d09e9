package dev.skipjack.examples.orders;

import java.io.IOException;

/** The bank. */
@FunctionalInterface
public interface Payments {

  /**
   * Charges the customer. Does nothing if the order with this number has already been charged.
   *
   * @throws CardDeclined if the bank declines the card permanently
   * @throws IOException if the bank cannot be reached
   */
  void charge(String number, int cents) throws CardDeclined, IOException;
}
