package dev.skipjack.examples.orders;

/** The bank says no, and would say so again. */
public final class CardDeclined extends Exception {

  private static final long serialVersionUID = 1L;

  /** With the number of the order. */
  public CardDeclined(String number) {
    super("Card declined for order %s".formatted(number));
  }
}
