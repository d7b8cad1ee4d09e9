/**
 * Reads jobs for dashboards and tools. {@link dev.skipjack.operations.read.JooqJobReader}
 * implements {@link dev.skipjack.api.operations.JobReader}, with one statement for each query.
 * {@code PageQuery} is the query that all lists share, and {@code JobSummaries} has the columns
 * that lists show.
 *
 * <p>Every statement is bounded, regardless of the size of the tables: it reads a limited range of
 * an index, and its result shows where the range ended or that a count is an estimate. {@code
 * ReadBounds} defines the limits. No statement locks a row or writes.
 *
 * <p>Public only so that the store can use it; not part of the API.
 */
@NullMarked
package dev.skipjack.operations.read;

import org.jspecify.annotations.NullMarked;
