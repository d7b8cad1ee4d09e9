/** Jobs that take long: progress, cancellation, answers that come later. */
@NullMarked
package dev.skipjack.examples.longjobs;

import org.jspecify.annotations.NullMarked;
