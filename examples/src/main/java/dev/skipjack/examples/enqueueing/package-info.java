/** Features of enqueueing: repeated requests, rules, limits, and no wake-up. */
@NullMarked
package dev.skipjack.examples.enqueueing;

import org.jspecify.annotations.NullMarked;
