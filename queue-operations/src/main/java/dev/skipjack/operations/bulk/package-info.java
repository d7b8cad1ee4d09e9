/**
 * Changes many jobs by filter. {@link dev.skipjack.operations.bulk.JooqJobOperations} lists the
 * jobs with the reader, changes them with the administrative operations, and keeps the progress in
 * {@code job_operations}.
 *
 * <p>The package is public only so that the store can use it. It is not part of the API.
 */
@NullMarked
package dev.skipjack.operations.bulk;

import org.jspecify.annotations.NullMarked;
