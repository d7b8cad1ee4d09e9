/**
 * Unique jobs: at most one live job holds a key.
 *
 * <p>{@link dev.skipjack.dedup.Unique} defines the key; {@link dev.skipjack.dedup.UniqueJobs}
 * enqueues jobs and returns the job that holds the key. The partial unique index on {@code
 * jobs.unique_key} decides, with ON CONFLICT, so a duplicate is a normal result and never an error
 * in the caller's transaction. A key is freed when it is cleared or its job ends, and a job never
 * takes its key a second time, so no retry, rescue or release can cause a conflict.
 */
@NullMarked
package dev.skipjack.dedup;

import org.jspecify.annotations.NullMarked;
