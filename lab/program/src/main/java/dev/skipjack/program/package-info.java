/**
 * The {@code skipjack} command with the commands that measure, test and show the queue.
 *
 * <p>{@link dev.skipjack.program.LabProgram} adds {@code demo}, {@code bench} and {@code torture}
 * to the command line of operators. Each is one class with its options; the code that they run is
 * in the other modules of the lab. They start an embedded PostgreSQL server unless {@code --url}
 * names a database, so they are not part of the operator's program.
 */
@NullMarked
package dev.skipjack.program;

import org.jspecify.annotations.NullMarked;
