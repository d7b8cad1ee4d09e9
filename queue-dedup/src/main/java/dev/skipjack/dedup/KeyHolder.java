package dev.skipjack.dedup;

import dev.skipjack.api.HolderStatus;
import dev.skipjack.api.JobId;

/**
 * The job that holds a unique key.
 *
 * @param jobId the id of the job
 * @param status the status of the job when it was read
 */
public record KeyHolder(JobId jobId, HolderStatus status) {}
