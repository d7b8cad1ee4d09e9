package dev.skipjack.dedup;

import dev.skipjack.api.HolderStatus;
import dev.skipjack.api.JobId;

/**
 * Who holds a unique key.
 *
 * @param jobId the job
 * @param status where it was when it was looked at
 */
public record KeyHolder(JobId jobId, HolderStatus status) {}
