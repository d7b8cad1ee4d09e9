/**
 * Declares handlers by annotating methods, without a framework.
 *
 * <p>A method with {@link dev.skipjack.handlers.JobHandler} runs the jobs of one kind, and {@link
 * dev.skipjack.handlers.JobSchedule} enqueues such jobs at planned times. {@link
 * dev.skipjack.handlers.JobHandlers} finds such methods in objects, checks every declaration, and
 * adds the handlers to a {@link dev.skipjack.worker.Worker}. The modules for frameworks build on
 * this class, so that the same declarations are valid everywhere.
 */
@NullMarked
package dev.skipjack.handlers;

import org.jspecify.annotations.NullMarked;
