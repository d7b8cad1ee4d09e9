package dev.skipjack.dedup;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.EnqueueResult.Replaced;
import dev.skipjack.api.JobType;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Session;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.store.jooq.internal.QueueExtension;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jooq.DSLContext;

/**
 * Enqueues, finds and cancels unique jobs of a queue. Each enqueue runs in its own transaction. Use
 * {@link #in} to enqueue in a caller's transaction. Instances are immutable and thread-safe.
 *
 * <p>At READ COMMITTED, enqueueing a duplicate is not an error and returns the holder's id. In a
 * caller's REPEATABLE READ or SERIALIZABLE transaction, PostgreSQL reports a serialization failure
 * (40001) if the transaction that enqueued the holder committed after the caller's snapshot. The
 * exception is propagated to the caller unchanged. Callers' transactions with common keys can
 * deadlock (40P01), as {@link UniqueEnqueuer#enqueueAll} explains. The queue repeats its own
 * transactions in that case.
 */
public final class UniqueJobs implements UniqueEnqueuer {

  /**
   * The maximum number of tries of a cancel. Each retry means that the holder ended between the
   * lookup and the cancel.
   */
  private static final int MOST_CANCELS = 50;

  private final QueueExtension queue;
  private final QueueAdmin admin;
  private final Statement<String, KeyHolder> findByJob;
  private final Statement<String, KeyHolder> findByPeriod;
  private final UniqueWriter writer;
  private final UniqueEnqueuer own;

  private UniqueJobs(QueueExtension queue, QueueAdmin admin) {
    this.queue = queue;
    this.admin = admin;
    this.findByJob = Statement.lazily(() -> FindHolderStatement.byJob(queue.dialect().get()));
    this.findByPeriod = Statement.lazily(() -> FindHolderStatement.byPeriod(queue.dialect().get()));
    this.writer = new UniqueWriter(queue);
    this.own =
        bound(
            (jobs, unique) -> {
              List<EnqueueResult> results =
                  OwnCalls.run(
                      Math.min(jobs.size(), UniqueWriter.LARGEST_CHUNK),
                      chunk -> writer.write(chunk, jobs, unique));
              queue.waker().wakeCommitted(jobs, madeDue(results, unique));
              return results;
            });
  }

  /**
   * {@return an instance for the unique jobs of {@code queue}} Create one instance and share it.
   *
   * @param queue the queue through which the jobs are enqueued
   */
  public static UniqueJobs on(JobQueue queue) {
    return new UniqueJobs(queue.extension(), queue.admin());
  }

  /**
   * {@return an enqueuer that takes part in the transaction that is open on {@code transaction}}
   * Database errors are thrown as jOOQ's exceptions.
   *
   * @param transaction the context of the caller's transaction
   */
  public UniqueEnqueuer in(DSLContext transaction) {
    return bound(
        (jobs, unique) ->
            transaction.connectionResult(connection -> write(connection, jobs, unique)));
  }

  /**
   * {@return an enqueuer that takes part in the transaction that is open on {@code transaction}} It
   * neither commits the transaction nor closes the connection.
   *
   * @param transaction the caller's transaction, on a connection without auto-commit
   */
  public UniqueEnqueuer in(Connection transaction) {
    return bound(
        (jobs, unique) -> {
          try {
            return write(transaction, jobs, unique);
          } catch (SQLException failure) {
            throw OwnTransactions.refused(failure);
          }
        });
  }

  /** Returns an enqueuer that writes the jobs that the queue's interceptors pass on. */
  private UniqueEnqueuer bound(BoundUniqueEnqueuer.Insertion write) {
    return new BoundUniqueEnqueuer(
        queue.jobFactory(),
        (jobs, unique) -> queue.interceptor().enqueue(jobs, passed -> write.write(passed, unique)));
  }

  private List<EnqueueResult> write(Connection connection, List<NewJob> jobs, Unique<?> unique)
      throws SQLException {
    List<EnqueueResult> results = writer.writeWithin(Session.in(connection), jobs, unique);
    queue.waker().wakeWithin(connection, jobs, madeDue(results, unique));
    return results;
  }

  /**
   * Returns the results, in which replaced jobs count as created if their due time was replaced,
   * because workers must then be woken.
   */
  private static List<EnqueueResult> madeDue(List<EnqueueResult> results, Unique<?> unique) {
    Conflict conflict = unique.conflict();
    return conflict.changes(JobPart.SCHEDULE) && conflict.quiet() == null
        ? results.stream().map(UniqueJobs::madeDue).toList()
        : results;
  }

  private static EnqueueResult madeDue(EnqueueResult result) {
    return result instanceof Replaced ? new Enqueued(result.jobId()) : result;
  }

  @Override
  public <T> EnqueueResult enqueue(
      JobType<T> type, T payload, Unique<T> unique, UnaryOperator<EnqueueOptions> options) {
    return own.enqueue(type, payload, unique, options);
  }

  @Override
  public <T> List<EnqueueResult> enqueueAll(
      JobType<T> type, List<T> payloads, Unique<T> unique, UnaryOperator<EnqueueOptions> options) {
    return own.enqueueAll(type, payloads, unique, options);
  }

  /**
   * Returns the job that currently holds the key of {@code payload}. If the key is held for a
   * period, the job may have ended. If other jobs have been created because the job is overdue, the
   * overdue job is returned until it has started.
   *
   * @param <T> the type of the payload
   * @param type the jobs' type
   * @param payload the payload, from which the key is computed
   * @param unique how jobs are unique
   * @param options the same options as for the enqueue; the queue that they set is part of a key
   *     that is compared within its queue
   * @return the holder, or empty if no job holds the key
   */
  public <T> Optional<KeyHolder> find(
      JobType<T> type, T payload, Unique<T> unique, UnaryOperator<EnqueueOptions> options) {
    return find(
        BoundUniqueEnqueuer.job(queue.jobFactory(), type, payload, unique, options), unique);
  }

  /**
   * {@return the job that currently holds the key of {@code payload}, or empty if no job holds it}
   * The job must have been enqueued with the default options of its type; see {@link #find(JobType,
   * Object, Unique, UnaryOperator)}.
   *
   * @param <T> the type of the payload
   * @param type the jobs' type
   * @param payload the payload, from which the key is computed
   * @param unique how jobs are unique
   */
  public <T> Optional<KeyHolder> find(JobType<T> type, T payload, Unique<T> unique) {
    return find(type, payload, unique, UnaryOperator.identity());
  }

  private Optional<KeyHolder> find(NewJob job, Unique<?> unique) {
    return keys(job, unique).stream().flatMap(key -> holder(key, unique).stream()).findFirst();
  }

  /** Returns a copy of the job for each key that it may have been enqueued with. */
  private static List<NewJob> keys(NewJob job, Unique<?> unique) {
    return unique.hold().equals(Hold.UNTIL_STARTED) ? UniqueKeys.all(job) : List.of(job);
  }

  private Optional<KeyHolder> holder(NewJob job, Unique<?> unique) {
    Statement<String, KeyHolder> find =
        unique.hold() instanceof Hold.ForPeriod ? findByPeriod : findByJob;
    return queue.transactions().run(find, UniqueKeys.of(job)).stream().findFirst();
  }

  /**
   * Cancels the job that holds the key of {@code payload}, as {@link QueueAdmin#cancel} does, in
   * its own transactions. If the job starts in the meantime, its cancellation is requested, even if
   * its start has released the key. A key that is held for a period remains held. Other jobs that
   * have been created because the job is overdue are cancelled too, and the result is {@link
   * CancelResult#BUSY} if any of these jobs was locked.
   *
   * @param <T> the type of the payload
   * @param type the jobs' type
   * @param payload the payload, from which the key is computed
   * @param unique how jobs are unique
   * @param options the same options as for the enqueue; the queue that they set is part of a key
   *     that is compared within its queue
   * @return the result of {@link QueueAdmin#cancel}; {@link CancelResult#GONE} if no live job holds
   *     the key
   */
  public <T> CancelResult cancel(
      JobType<T> type, T payload, Unique<T> unique, UnaryOperator<EnqueueOptions> options) {
    NewJob job = BoundUniqueEnqueuer.job(queue.jobFactory(), type, payload, unique, options);
    CancelResult result = CancelResult.GONE;
    for (NewJob key : keys(job, unique)) {
      CancelResult next = cancelHolder(key, unique);
      result = result == CancelResult.GONE || next == CancelResult.BUSY ? next : result;
    }
    return result;
  }

  private CancelResult cancelHolder(NewJob job, Unique<?> unique) {
    CancelResult result = CancelResult.GONE;
    for (int i = 0; i < MOST_CANCELS && result == CancelResult.GONE; i++) {
      Optional<KeyHolder> holder = holder(job, unique);
      if (holder.isEmpty() || (i > 0 && unique.hold() instanceof Hold.ForPeriod)) {
        return CancelResult.GONE;
      }
      // The result is GONE if the job has just ended; the key may have another holder by now.
      result = admin.cancel(List.of(holder.get().jobId())).get(0);
    }
    return result;
  }

  /**
   * Cancels the job that holds the key of {@code payload}. The job must have been enqueued with the
   * default options of its type; see {@link #cancel(JobType, Object, Unique, UnaryOperator)}.
   *
   * @param <T> the type of the payload
   * @param type the jobs' type
   * @param payload the payload, from which the key is computed
   * @param unique how jobs are unique
   * @return the result; {@link CancelResult#GONE} if no live job holds the key
   */
  public <T> CancelResult cancel(JobType<T> type, T payload, Unique<T> unique) {
    return cancel(type, payload, unique, UnaryOperator.identity());
  }
}
