package dev.skipjack.examples.orders;

/** Thrown if the bank declined the card and would decline it again. */
public final class CardDeclined extends Exception {

  private static final long serialVersionUID = 1L;

  /** Creates an exception for the order with the given number. */
  public CardDeclined(String number) {
    super("Card declined for order %s".formatted(number));
  }
}
