package dev.skipjack.api.spi;

/**
 * A unique key, which at most one live job holds at a time.
 *
 * @param key the text that is compared, consisting of scope and key, 1 to 512 bytes
 * @param label the key in readable form
 * @param until the event that releases the key
 */
public record UniqueKey(String key, String label, UniqueUntil until) {}
