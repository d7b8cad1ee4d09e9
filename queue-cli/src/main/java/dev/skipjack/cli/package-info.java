/**
 * The {@code skipjack} command.
 *
 * <p>{@link dev.skipjack.cli.Skipjack} is the root. Each command is one class with its options,
 * listed as a subcommand of the root. The commands {@code demo}, {@code bench} and {@code torture}
 * are not among them. The module lab/program adds them in a program of its own, so that the program
 * for operators contains no database server.
 *
 * <p>The commands for operators use only the public API of the library. Their shared code is in
 * {@code QueueAction} (connection and options), {@code Fields} (tables and JSON) and {@code
 * Failures} (a message and an exit code for each exception).
 *
 * <p>Exit codes: 0 success, 1 failure or bad news, 2 wrong usage or bad input, 3 database
 * unreachable, 4 nothing matched. Progress and remarks go to standard error. Standard output
 * contains only results.
 */
@NullMarked
package dev.skipjack.cli;

import org.jspecify.annotations.NullMarked;
