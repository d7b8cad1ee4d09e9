package dev.skipjack.handlers;

/** The payload of the jobs of a handler with a schedule that takes no payload: {@code {}}. */
record NoPayload() {}
