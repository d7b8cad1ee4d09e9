package dev.skipjack.api.spi;

/**
 * A unique key, which at most one live job holds.
 *
 * @param key the text that is compared, scope and key, 1 to 512 bytes
 * @param label the key in readable form
 * @param until the event that frees it
 */
public record UniqueKey(String key, String label, UniqueUntil until) {}
