/** What is kept of an error that quotes what nobody should read. */
@NullMarked
package dev.skipjack.examples.secrets;

import org.jspecify.annotations.NullMarked;
