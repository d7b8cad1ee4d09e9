/** Tests of the demo, most of them by running it. */
@NullMarked
package dev.skipjack.examples.demo;

import org.jspecify.annotations.NullMarked;
