/** Publishes the metrics of workers to a Micrometer registry. */
@NullMarked
package dev.skipjack.micrometer;

import org.jspecify.annotations.NullMarked;
