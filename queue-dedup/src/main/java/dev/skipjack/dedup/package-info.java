/**
 * Enqueues unique jobs: at most one job holds a given key at a time.
 *
 * <p>A {@link dev.skipjack.dedup.Unique} defines the key, and {@link dev.skipjack.dedup.UniqueJobs}
 * enqueues jobs and finds the job that holds a key. A partial unique index on {@code
 * jobs.unique_key} enforces uniqueness; keys that are held for a period are in {@code job_keys}. At
 * READ COMMITTED, a duplicate is a normal result and not an error. A key is released at the event
 * or after the period that its rule defines. Retries, rescues and releases do not take keys, so
 * they cannot cause conflicts.
 */
@NullMarked
package dev.skipjack.dedup;

import org.jspecify.annotations.NullMarked;
