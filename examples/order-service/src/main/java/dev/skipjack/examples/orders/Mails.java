package dev.skipjack.examples.orders;

/** The mail server. */
@FunctionalInterface
public interface Mails {

  /** Sends one mail. */
  void send(String email, String text);
}
