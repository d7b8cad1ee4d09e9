package dev.skipjack.dashboard;

import dev.skipjack.api.operations.JobDetails;

/**
 * A job as a visitor may see it.
 *
 * @param details the job, without what is hidden from the visitor
 * @param isPayloadComplete whether the payload is shown, and nothing of it is masked or cut off
 */
record SeenJob(JobDetails details, boolean isPayloadComplete) {}
