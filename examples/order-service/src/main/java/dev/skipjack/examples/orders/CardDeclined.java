package dev.skipjack.examples.orders;

/** The bank declined the card, and would do so again. */
public final class CardDeclined extends Exception {

  private static final long serialVersionUID = 1L;

  /** Creates the exception for the order with this number. */
  public CardDeclined(String number) {
    super("Card declined for order %s".formatted(number));
  }
}
