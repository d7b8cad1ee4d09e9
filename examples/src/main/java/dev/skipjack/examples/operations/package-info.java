/** A worker as in production: events, metrics, health, and timeouts. */
@NullMarked
package dev.skipjack.examples.operations;

import org.jspecify.annotations.NullMarked;
