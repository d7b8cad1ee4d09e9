package dev.skipjack.store.jooq.internal;

import dev.skipjack.api.EnqueueInterceptor;
import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobType;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.sql.FollowUp;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Session;
import dev.skipjack.store.jooq.internal.history.DailyPartitions;
import dev.skipjack.store.jooq.internal.ordering.StrictOrdering;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a queue on which modules build other ways of enqueueing. Immutable and safe for any
 * number of threads.
 *
 * @param dialect renders statements for the queue's schema, without a connection
 * @param transactions runs each statement in its own transaction
 * @param jobFactory creates the jobs to insert
 * @param interceptor intercepts every enqueue; the innermost {@code next} inserts the jobs
 * @param writer inserts jobs as the queue itself does
 * @param strictOrdering takes the locks that strictly ordered jobs need, if {@code writer} does not
 *     insert them
 * @param waker wakes workers as the queue itself does
 * @param wakeUpAtCommit sends other wake-ups when the caller's transaction commits
 * @param dailyPartitions creates and removes the partitions of a module's own table
 */
public record QueueExtension(
    Lazy<DSLContext> dialect,
    OwnTransactions transactions,
    JobFactory jobFactory,
    EnqueueInterceptor interceptor,
    Writer writer,
    StrictOrdering strictOrdering,
    Waker waker,
    WakeUpAtCommit wakeUpAtCommit,
    DailyPartitionsOf dailyPartitions) {

  /** Creates the jobs to insert. */
  @FunctionalInterface
  public interface JobFactory {
    /**
     * Creates a job from its type, payload and options.
     *
     * @throws dev.skipjack.api.PayloadException if the payload is rejected
     */
    <T> NewJob create(JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options);
  }

  /** Writes jobs, with or without an idempotency key, in an open transaction. */
  @FunctionalInterface
  public interface Writer {
    /**
     * Inserts jobs.
     *
     * @param jobs jobs without a unique key
     * @return one result per job, in the order of the jobs
     * @throws SQLException if the database rejects the insert
     */
    List<EnqueueResult> write(Session session, List<NewJob> jobs) throws SQLException;
  }

  /** Wakes workers for those jobs that were created and are due immediately, if any. */
  public interface Waker {
    /**
     * Wakes workers after the queue's own transaction has committed. Never throws: if a wake-up is
     * lost, polling still finds the jobs.
     */
    void wakeCommitted(List<NewJob> jobs, List<EnqueueResult> results);

    /** Wakes workers like {@link #wakeCommitted(List, List)}, for jobs that have become due. */
    void wakeCommitted(List<WakeUp> due);

    /** Wakes workers when the caller's transaction commits. */
    void wakeWithin(Connection transaction, List<NewJob> jobs, List<EnqueueResult> results)
        throws SQLException;
  }

  /** Creates the query that sends a wake-up when the caller's transaction commits. */
  @FunctionalInterface
  public interface WakeUpAtCommit {
    /** Returns the query, or null if the queue sends no wake-ups. */
    @Nullable FollowUp of(WakeUp wakeUp);
  }

  /** Creates the {@link DailyPartitions} of a table. */
  @FunctionalInterface
  public interface DailyPartitionsOf {
    /** Returns the partitions of a table with one partition for each day in UTC. */
    DailyPartitions of(String table);
  }
}
