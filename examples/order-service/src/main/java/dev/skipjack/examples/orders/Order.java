package dev.skipjack.examples.orders;

/**
 * An order of a customer.
 *
 * @param number chosen by the client, so that a repeated order has no effect
 * @param email of the customer
 * @param cents to be paid, more than 0
 */
public record Order(String number, String email, int cents) {}
