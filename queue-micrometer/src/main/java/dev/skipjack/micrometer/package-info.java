/** Publishes a worker's measurements in a Micrometer registry. */
@NullMarked
package dev.skipjack.micrometer;

import org.jspecify.annotations.NullMarked;
