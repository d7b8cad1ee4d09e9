/** Tests of the lab's commands, the launcher, and the rules about all modules. */
@NullMarked
package dev.skipjack.program;

import org.jspecify.annotations.NullMarked;
