/** Tests of the demo. */
@NullMarked
package dev.skipjack.demo;

import org.jspecify.annotations.NullMarked;
