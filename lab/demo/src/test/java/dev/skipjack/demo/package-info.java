/** Tests of the demo, most of them by running it. */
@NullMarked
package dev.skipjack.demo;

import org.jspecify.annotations.NullMarked;
