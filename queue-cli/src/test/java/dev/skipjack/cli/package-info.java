/** Tests of the command line and its launcher. */
@NullMarked
package dev.skipjack.cli;

import org.jspecify.annotations.NullMarked;
