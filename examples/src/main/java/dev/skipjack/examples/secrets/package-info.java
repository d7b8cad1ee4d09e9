/** Keeping secrets out of the errors that are stored, reported and logged. */
@NullMarked
package dev.skipjack.examples.secrets;

import org.jspecify.annotations.NullMarked;
