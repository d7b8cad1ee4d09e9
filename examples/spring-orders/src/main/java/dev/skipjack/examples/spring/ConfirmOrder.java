package dev.skipjack.examples.spring;

import java.util.UUID;

/** The payload of the job that sends the confirmation of an order. */
record ConfirmOrder(UUID orderId) {}
