package dev.skipjack.api.spi;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import java.time.Instant;

/**
 * The right to end one attempt of a job: every write about the attempt names both.
 *
 * @param jobId the job
 * @param id the fence
 * @param startedAt when it was claimed, by the database's clock, to the microsecond as the claim
 *     answered it: a store may look for the attempt's audit row around this instant and nowhere
 *     else
 */
public record Execution(JobId jobId, ExecutionId id, Instant startedAt) {}
