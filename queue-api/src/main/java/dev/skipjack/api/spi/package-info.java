/**
 * The port between workers and stores. A store implements {@link dev.skipjack.api.spi.JobStore}; a
 * worker calls it and knows neither tables nor SQL. Application code has no business here.
 */
@NullMarked
package dev.skipjack.api.spi;

import org.jspecify.annotations.NullMarked;
