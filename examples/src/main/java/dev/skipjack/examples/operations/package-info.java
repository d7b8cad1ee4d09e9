/** A worker as production has it: events, metrics, health, an end in time. */
@NullMarked
package dev.skipjack.examples.operations;

import org.jspecify.annotations.NullMarked;
