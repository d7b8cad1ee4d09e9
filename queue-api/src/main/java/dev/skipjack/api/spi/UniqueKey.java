package dev.skipjack.api.spi;

/**
 * A key that at most one live job holds.
 *
 * @param key what is compared: scope and key, 1 to 512 bytes
 * @param label what people read
 * @param until what frees it
 */
public record UniqueKey(String key, String label, UniqueUntil until) {}
