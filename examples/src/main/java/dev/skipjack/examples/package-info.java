/**
 * Programs to read and to run, one idea in each package, each with one thing that goes wrong.
 *
 * <p>{@code welcome}: a job is enqueued with the rows it belongs to, and retried. {@code
 * enqueueing}: repeats, rules and limits of an enqueue. {@code completein}: a handler's rows and
 * the completion commit together. {@code outcomes}: each way in which an attempt can end. {@code
 * longjobs}: progress, cancellation, answers that come later. {@code unique}: many events make one
 * job. {@code order}: which job comes next. {@code upgrades}: payloads that change. {@code
 * secrets}: what is kept of an error. {@code operations}: events, metrics, handlers that hang.
 * {@code service}: a process that works until it is told to stop. {@link
 * dev.skipjack.examples.ExampleDatabase} gives each of them a database; the service has its own.
 */
@NullMarked
package dev.skipjack.examples;

import org.jspecify.annotations.NullMarked;
