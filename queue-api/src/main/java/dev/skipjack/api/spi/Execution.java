package dev.skipjack.api.spi;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;

/**
 * The right to end one attempt of a job: every write about the attempt names both.
 *
 * @param jobId the job
 * @param id the fence
 */
public record Execution(JobId jobId, ExecutionId id) {}
