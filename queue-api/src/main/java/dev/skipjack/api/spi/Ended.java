package dev.skipjack.api.spi;

import dev.skipjack.api.JobStatus;
import org.jspecify.annotations.Nullable;

/**
 * The result of a write that ends an attempt.
 *
 * @param verdict whether it was written
 * @param status status of the job now: pending, dead, or cancelled if that was requested meanwhile;
 *     null unless written
 */
public record Ended(Verdict verdict, @Nullable JobStatus status) {}
