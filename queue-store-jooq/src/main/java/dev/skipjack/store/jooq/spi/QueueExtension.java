package dev.skipjack.store.jooq.spi;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.NewJob;
import java.util.function.UnaryOperator;
import org.jooq.DSLContext;

/**
 * What a queue lends to a module that adds a way of enqueueing. Immutable and safe for any number
 * of threads.
 *
 * @param dialect renders statements for the queue's schema; has no connection
 * @param transactions runs them in transactions of their own
 * @param drafts makes the job to be written
 */
public record QueueExtension(DSLContext dialect, OwnTransactions transactions, Drafts drafts) {

  /** Makes the job to be written out of type, payload and options. */
  @FunctionalInterface
  public interface Drafts {
    /**
     * The job to be written.
     *
     * @throws dev.skipjack.api.PayloadException if the payload is refused
     */
    <T> NewJob draft(JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options);
  }
}
