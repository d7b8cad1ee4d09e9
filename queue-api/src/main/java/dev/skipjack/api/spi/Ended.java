package dev.skipjack.api.spi;

import dev.skipjack.api.JobStatus;
import org.jspecify.annotations.Nullable;

/**
 * The result of recording the end of an attempt.
 *
 * @param verdict whether the end was recorded
 * @param status the new status of the job: pending, dead, or cancelled if that had been requested;
 *     null if the end was not recorded
 */
public record Ended(Verdict verdict, @Nullable JobStatus status) {}
