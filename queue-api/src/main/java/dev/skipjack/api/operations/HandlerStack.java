package dev.skipjack.api.operations;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Where the handler of a running attempt is. Its worker samples the stack of an attempt that has
 * run for longer than a minute, and again every half minute, so it may have moved on since.
 *
 * @param since when the handler was first seen there, by the database clock; samples since then
 *     were the same
 * @param stack the frames of the handler's thread, innermost first, one a line as in a stack trace;
 *     null if the worker could not sample them
 * @param problem why there is no stack; null if there is one
 */
public record HandlerStack(Instant since, @Nullable String stack, @Nullable String problem) {}
