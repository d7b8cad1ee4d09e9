/** Publishes the metrics of workers and of the outbox to a Micrometer registry. */
@NullMarked
package dev.skipjack.micrometer;

import org.jspecify.annotations.NullMarked;
