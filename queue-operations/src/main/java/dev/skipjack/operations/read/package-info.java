/**
 * Reads jobs for dashboards and tools. {@link dev.skipjack.operations.read.JooqJobReader}
 * implements {@link dev.skipjack.api.operations.JobReader}, with one or two statements for each
 * query. {@code PageQuery} is the query that all lists share, and {@code JobSummaries} has the
 * columns that lists show.
 *
 * <p>Lists and counts read a limited number of rows, regardless of the size of the tables. {@code
 * ReadBounds} defines the limits. No statement locks a row or writes.
 *
 * <p>The package is public only so that the store can use it. It is not part of the API.
 */
@NullMarked
package dev.skipjack.operations.read;

import org.jspecify.annotations.NullMarked;
