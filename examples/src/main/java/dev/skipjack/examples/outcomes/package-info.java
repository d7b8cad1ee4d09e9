/** Each way in which an attempt can end, and what becomes of the job. */
@NullMarked
package dev.skipjack.examples.outcomes;

import org.jspecify.annotations.NullMarked;
