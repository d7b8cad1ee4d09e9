/** Tests of the command line. */
@NullMarked
package dev.skipjack.cli;

import org.jspecify.annotations.NullMarked;
