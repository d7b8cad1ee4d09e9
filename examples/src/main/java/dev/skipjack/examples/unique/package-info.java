/** Unique jobs: many events about one thing create one job, and no event is lost. */
@NullMarked
package dev.skipjack.examples.unique;

import org.jspecify.annotations.NullMarked;
