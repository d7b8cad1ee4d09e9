/**
 * Example programs to read and to run. Each package shows one idea, including one thing that goes
 * wrong.
 *
 * <p>{@code welcome}: a job is enqueued with the rows it belongs to, and retried. {@code
 * enqueueing}: repeats, rules and limits of an enqueue. {@code completein}: a handler's rows and
 * the completion commit together. {@code outcomes}: each way in which an attempt can end. {@code
 * longjobs}: progress, cancellation, asynchronous outcomes. {@code unique}: many events make one
 * job. {@code order}: the order of jobs. {@code schedules}: cron expressions and intervals. {@code
 * anytable}: claims of rows of the application's own tables. {@code upgrades}: payloads that
 * change. {@code secrets}: which text of an error is kept. {@code operations}: events, metrics,
 * handlers that hang. {@code service}: a process that runs until it is stopped. {@link
 * dev.skipjack.examples.ExampleDatabase} gives each of them a database; the service has its own.
 */
@NullMarked
package dev.skipjack.examples;

import org.jspecify.annotations.NullMarked;
