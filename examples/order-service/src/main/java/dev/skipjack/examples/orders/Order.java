package dev.skipjack.examples.orders;

/**
 * What a customer asks for.
 *
 * @param number chosen by whoever places it, so that placing it again places nothing
 * @param email of the customer
 * @param cents to be paid, more than 0
 */
public record Order(String number, String email, int cents) {}
