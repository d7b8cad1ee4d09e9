package dev.skipjack.handlers;

/** The payload of the jobs for scheduled handlers without a payload parameter: {@code {}}. */
record NoPayload() {}
