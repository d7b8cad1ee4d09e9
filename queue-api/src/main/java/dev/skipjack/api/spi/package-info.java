/**
 * The interfaces between workers and stores. A store implements {@link
 * dev.skipjack.api.spi.JobStore} for jobs and {@link dev.skipjack.api.spi.Maintenance} for their
 * history. Workers call these interfaces and depend on neither tables nor SQL. Application code
 * does not need this package.
 */
@NullMarked
package dev.skipjack.api.spi;

import org.jspecify.annotations.NullMarked;
