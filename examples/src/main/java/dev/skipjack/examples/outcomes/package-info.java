/** Each way in which an attempt can end, and its effect on the job. */
@NullMarked
package dev.skipjack.examples.outcomes;

import org.jspecify.annotations.NullMarked;
