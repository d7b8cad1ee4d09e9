/** The order of jobs: priorities, weights of queues, and a paused queue. */
@NullMarked
package dev.skipjack.examples.order;

import org.jspecify.annotations.NullMarked;
