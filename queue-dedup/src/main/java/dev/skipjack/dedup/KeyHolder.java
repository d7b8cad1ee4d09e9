package dev.skipjack.dedup;

import dev.skipjack.api.HolderStatus;
import dev.skipjack.api.JobId;

/**
 * The job that holds a unique key.
 *
 * @param jobId the job's id
 * @param status the job's status when it was read
 */
public record KeyHolder(JobId jobId, HolderStatus status) {}
