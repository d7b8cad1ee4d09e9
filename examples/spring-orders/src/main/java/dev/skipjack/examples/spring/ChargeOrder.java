package dev.skipjack.examples.spring;

import java.util.UUID;

/** The payload of the job that charges an order. */
record ChargeOrder(UUID orderId) {}
