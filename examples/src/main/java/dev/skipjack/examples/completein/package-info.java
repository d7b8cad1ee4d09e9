/** A handler whose effects happen once, because they commit together with the completion. */
@NullMarked
package dev.skipjack.examples.completein;

import org.jspecify.annotations.NullMarked;
