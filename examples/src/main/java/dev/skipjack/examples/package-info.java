/**
 * Programs to read and to run, one idea in each package, each with one thing that goes wrong.
 *
 * <p>{@code welcome}: a job is enqueued with the rows it belongs to, and retried. {@code
 * completein}: a handler's rows and the completion commit together. {@code unique}: many events
 * make one job. {@link dev.skipjack.examples.ExampleDatabase} gives each of them a database.
 */
@NullMarked
package dev.skipjack.examples;

import org.jspecify.annotations.NullMarked;
