/** The test of the example, which runs it. */
@NullMarked
package dev.skipjack.examples.shipping;

import org.jspecify.annotations.NullMarked;
