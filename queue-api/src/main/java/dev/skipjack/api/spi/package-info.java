/**
 * The ports between workers and stores. A store implements {@link dev.skipjack.api.spi.JobStore}
 * for the jobs and {@link dev.skipjack.api.spi.Maintenance} for their history; a worker calls them
 * without knowing tables or SQL. Application code does not need this package.
 */
@NullMarked
package dev.skipjack.api.spi;

import org.jspecify.annotations.NullMarked;
