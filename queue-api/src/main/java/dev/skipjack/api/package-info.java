/**
 * The public API of the job queue, for producers, handlers and extensions.
 *
 * <p>A {@link dev.skipjack.api.JobType} names a kind of job and the class of its payload. A {@link
 * dev.skipjack.api.JobEnqueuer} adds jobs to a queue, and a handler returns an {@link
 * dev.skipjack.api.Outcome} for each attempt. A {@link dev.skipjack.api.Backoff} determines how
 * long a failed job waits before it is retried. A {@link dev.skipjack.api.PayloadCodec} converts
 * payloads to and from JSON.
 *
 * <p>This module depends on neither SQL nor jOOQ, and a module that only declares job types needs
 * no other module. The types for operators and their tools are in {@link
 * dev.skipjack.api.operations}. The interfaces that stores implement and workers call are in {@link
 * dev.skipjack.api.spi}.
 */
@NullMarked
package dev.skipjack.api;

import org.jspecify.annotations.NullMarked;
