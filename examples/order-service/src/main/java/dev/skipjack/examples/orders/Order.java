package dev.skipjack.examples.orders;

/**
 * A customer's order.
 *
 * @param number the order number, chosen by the client to prevent duplicate orders
 * @param email the customer's email address
 * @param cents the amount to pay, more than 0
 */
public record Order(String number, String email, int cents) {}
