package dev.skipjack.examples.orders;

/** The mail server. */
@FunctionalInterface
public interface Mails {

  /** Sends an email. */
  void send(String email, String text);
}
