package dev.skipjack.api.spi;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import java.time.Instant;

/**
 * The right to end one attempt of a job; every write about the attempt names job and execution id.
 *
 * @param jobId the job
 * @param id the fence
 * @param startedAt when it was claimed, by the database's clock, exactly as returned by the claim,
 *     to the microsecond: a store may search for the attempt's audit row at this instant only
 */
public record Execution(JobId jobId, ExecutionId id, Instant startedAt) {}
