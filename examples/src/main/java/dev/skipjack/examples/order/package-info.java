/** Which job comes next: priorities, parts between queues, and a queue that is paused. */
@NullMarked
package dev.skipjack.examples.order;

import org.jspecify.annotations.NullMarked;
