/**
 * The API of the queue, for producers, handlers and extensions.
 *
 * <p>A {@link dev.skipjack.api.JobType} names a kind of job and the class of its payload. A {@link
 * dev.skipjack.api.JobEnqueuer} puts jobs into a queue; a handler ends each attempt with an {@link
 * dev.skipjack.api.Outcome}. A {@link dev.skipjack.api.Backoff} determines how long a failed job
 * waits, a {@link dev.skipjack.api.PayloadCodec} converts payloads to JSON, and a {@link
 * dev.skipjack.api.JobReader} shows jobs and their history.
 *
 * <p>This module uses neither SQL nor jOOQ: a module that only declares job types depends on
 * nothing else. The interfaces that a store implements and a worker calls are in {@link
 * dev.skipjack.api.spi}.
 */
@NullMarked
package dev.skipjack.api;

import org.jspecify.annotations.NullMarked;
