/** Long jobs: progress, cancellation, and asynchronous outcomes. */
@NullMarked
package dev.skipjack.examples.longjobs;

import org.jspecify.annotations.NullMarked;
