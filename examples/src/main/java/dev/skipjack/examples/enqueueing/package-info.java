/** What can stand between a caller and the queue: repeats, rules, limits, and no wake-up. */
@NullMarked
package dev.skipjack.examples.enqueueing;

import org.jspecify.annotations.NullMarked;
