/**
 * The types for operators and their tools: lists and counts of jobs, explanations, checks, and
 * changes of single jobs, of many jobs and of queues.
 *
 * <p>{@link dev.skipjack.api.operations.JobReader} reads jobs, {@link
 * dev.skipjack.api.operations.QueueAdmin} changes jobs and queues, {@link
 * dev.skipjack.api.operations.JobOperations} changes all jobs that match a filter, and {@link
 * dev.skipjack.api.operations.Doctor} finds problems. Producers and handlers need none of these
 * types.
 */
@NullMarked
package dev.skipjack.api.operations;

import org.jspecify.annotations.NullMarked;
