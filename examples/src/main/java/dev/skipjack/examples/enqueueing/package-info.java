/**
 * Enqueueing: idempotent requests, interceptors, payload limits, and enqueues that send no wake-up.
 */
@NullMarked
package dev.skipjack.examples.enqueueing;

import org.jspecify.annotations.NullMarked;
