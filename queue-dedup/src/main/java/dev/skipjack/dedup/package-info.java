/**
 * Unique jobs: at most one live job holds a key.
 *
 * <p>{@link dev.skipjack.dedup.Unique} says what the key is; {@link dev.skipjack.dedup.UniqueJobs}
 * enqueues and answers which job holds the key. The partial unique index on {@code jobs.unique_key}
 * decides, with ON CONFLICT, so a duplicate is an answer and never an error in the caller's
 * transaction. A key is freed by clearing it or by the end of the job and never taken a second
 * time, so no retry, rescue or release can meet a conflict.
 */
@NullMarked
package dev.skipjack.dedup;

import org.jspecify.annotations.NullMarked;
