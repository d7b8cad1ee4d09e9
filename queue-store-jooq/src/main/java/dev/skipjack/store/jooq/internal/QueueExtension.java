package dev.skipjack.store.jooq.internal;

import dev.skipjack.api.EnqueueInterceptor;
import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.store.jooq.internal.sql.OwnTransactions;
import dev.skipjack.store.jooq.internal.sql.Session;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jooq.DSLContext;

/**
 * The parts of a queue that a module with another way of enqueueing builds on. Immutable and safe
 * for any number of threads.
 *
 * @param dialect renders statements for the queue's schema; has no connection
 * @param transactions runs them in transactions of their own
 * @param jobFactory makes the jobs to insert
 * @param interceptor is called around every enqueue; its last {@code next} inserts
 * @param writer inserts jobs as the queue itself does
 * @param waker wakes workers as the queue itself does
 */
public record QueueExtension(
    DSLContext dialect,
    OwnTransactions transactions,
    JobFactory jobFactory,
    EnqueueInterceptor interceptor,
    Writer writer,
    Waker waker) {

  /** Makes a job to insert from its type, payload and options. */
  @FunctionalInterface
  public interface JobFactory {
    /**
     * Returns the job to insert.
     *
     * @throws dev.skipjack.api.PayloadException if the payload is refused
     */
    <T> NewJob create(JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options);
  }

  /** Writes jobs, with or without an idempotency key, in an open transaction. */
  @FunctionalInterface
  public interface Writer {
    /**
     * Inserts jobs; returns a result for each, in their order.
     *
     * @param jobs none with a unique key
     */
    List<EnqueueResult> write(Session session, List<NewJob> jobs) throws SQLException;
  }

  /** Wakes workers for those jobs that were created and are due at once, if any. */
  public interface Waker {
    /** After the commit of a transaction of our own. Never fails: polling finds every job. */
    void wakeCommitted(List<NewJob> jobs, List<EnqueueResult> results);

    /** In a caller's transaction, for when that commits. */
    void wakeWithin(Connection transaction, List<NewJob> jobs, List<EnqueueResult> results)
        throws SQLException;
  }
}
