/**
 * The {@code skipjack} command.
 *
 * <p>{@link dev.skipjack.cli.Skipjack} is the root. Each command is one class with its options, and
 * the root's list names it. The work behind {@code demo}, {@code bench} and {@code torture} is in
 * modules of their own, which know no command line.
 *
 * <p>Exit codes: 0 done, 1 tried and failed, 2 wrong usage or bad input. What people read goes to
 * standard error while a command works; standard output carries results only.
 */
@NullMarked
package dev.skipjack.cli;

import org.jspecify.annotations.NullMarked;
