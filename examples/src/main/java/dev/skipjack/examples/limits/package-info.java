/** Limits of running jobs, rates, and tenants that take turns. */
@NullMarked
package dev.skipjack.examples.limits;

import org.jspecify.annotations.NullMarked;
