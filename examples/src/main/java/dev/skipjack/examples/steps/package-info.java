/** Jobs with durable steps, approvals and undo, and batches of jobs. */
@NullMarked
package dev.skipjack.examples.steps;

import org.jspecify.annotations.NullMarked;
