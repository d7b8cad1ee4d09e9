package dev.skipjack.dedup;

import dev.skipjack.api.JobId;
import dev.skipjack.api.TwinStatus;

/**
 * Who holds a unique key.
 *
 * @param jobId the job
 * @param status where it was when it was looked at
 */
public record KeyHolder(JobId jobId, TwinStatus status) {}
