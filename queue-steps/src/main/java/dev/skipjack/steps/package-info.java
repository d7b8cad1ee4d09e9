/**
 * Durable steps, signals and batches: work that takes days or needs a decision, as ordinary jobs.
 *
 * <p>A handler gets its {@link dev.skipjack.steps.Steps} from its context. Each step is recorded
 * under a name, and a later attempt of the job continues after the steps that are recorded. While a
 * job sleeps, or waits for a {@linkplain dev.skipjack.steps.Signals signal} or for other jobs, it
 * holds no thread, no lease and no connection. A step can be stored with a job that undoes it,
 * which is enqueued if the job becomes dead or is cancelled. {@link dev.skipjack.steps.Batches}
 * groups jobs that have a common end.
 */
@NullMarked
package dev.skipjack.steps;

import org.jspecify.annotations.NullMarked;
