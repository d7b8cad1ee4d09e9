package dev.skipjack.api.spi;

import org.jspecify.annotations.Nullable;

/**
 * The result of a {@link HandOver}.
 *
 * @param verdict the result of the completion
 * @param next the next job of the ordering key, claimed for the worker; null if the job was not
 *     completed, if no job waits or if the next job must be claimed as usual
 */
public record HandedOver(Verdict verdict, @Nullable ClaimedJob next) {}
