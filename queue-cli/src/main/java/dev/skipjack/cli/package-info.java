/**
 * The {@code skipjack} command.
 *
 * <p>{@link dev.skipjack.cli.Skipjack} is the root; each command is one class, alone or in a
 * package of its own when it needs helpers, and is named in the root's list. What is public here is
 * public only for those packages: this module is a program, not a library.
 *
 * <p>Exit codes: 0 done, 1 tried and failed, 2 wrong usage or bad input. What people read goes to
 * standard error while a command works; standard output carries results only.
 */
@NullMarked
package dev.skipjack.cli;

import org.jspecify.annotations.NullMarked;
