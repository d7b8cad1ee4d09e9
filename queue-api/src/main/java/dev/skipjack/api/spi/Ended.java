package dev.skipjack.api.spi;

import dev.skipjack.api.JobStatus;
import org.jspecify.annotations.Nullable;

/**
 * What became of a write that ends an attempt.
 *
 * @param verdict whether it was written
 * @param status where the job is now: pending, dead, or cancelled if somebody had asked for that
 *     meanwhile; null unless written
 */
public record Ended(Verdict verdict, @Nullable JobStatus status) {}
