/**
 * The words of the queue: what a producer, a handler's author and an extender share.
 *
 * <p>A {@link dev.skipjack.api.JobType} names a kind of job and the class of its payload. A {@link
 * dev.skipjack.api.JobEnqueuer} puts jobs into a queue; a handler answers each attempt with an
 * {@link dev.skipjack.api.Outcome}. How long a failed job waits is a {@link
 * dev.skipjack.api.Backoff}, how its payload becomes JSON a {@link dev.skipjack.api.PayloadCodec}.
 * What became of jobs is asked of a {@link dev.skipjack.api.JobReader}.
 *
 * <p>Nothing here knows SQL or jOOQ: a module that only declares job types depends on this one
 * alone. What a store implements and a worker calls lies in {@link dev.skipjack.api.spi}.
 */
@NullMarked
package dev.skipjack.api;

import org.jspecify.annotations.NullMarked;
