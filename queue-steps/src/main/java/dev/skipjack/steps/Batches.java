package dev.skipjack.steps;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.QueueException;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.api.operations.RedriveSummary;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.store.jooq.JobQueue;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Batches of jobs with a common end. Each method runs in its own transaction. Use {@link #in} for a
 * caller's transaction. Immutable and safe for any number of threads.
 *
 * <pre>{@code
 * BatchId batch = batches.open("import-2026-11")
 *     .add(IMPORT_ROW, rows)
 *     .onFinish(REPORT, id -> new Report(id.value()))
 *     .seal();
 * }</pre>
 *
 * <p>A batch finishes when it is sealed and all of its jobs have ended: completed, cancelled or,
 * unless its {@link DeadPolicy} says otherwise, dead. For each sealed batch, the callback of its
 * finish is enqueued exactly once, in the transaction that records the finish. A worker with this
 * module on its class path does that within milliseconds of the last end, or within a second if the
 * worker that ended the last job was killed. Its jobs may run, and end, before it is sealed.
 *
 * <p>The jobs of a batch are archived even if their queue keeps no ended jobs, because the outcome
 * of the batch is read there. They have neither a unique key nor an idempotency key.
 */
public final class Batches {

  private static final Logger LOG = LoggerFactory.getLogger(Batches.class);

  /** The maximum number of bytes of a name. */
  private static final int LONGEST_NAME = 512;

  private static final int REDRIVEN_TOGETHER = 500;

  private final JobQueue queue;
  private final BatchWriter writer;
  private final BatchTransactions transactions;

  private Batches(JobQueue queue, BatchWriter writer, BatchTransactions transactions) {
    this.queue = queue;
    this.writer = writer;
    this.transactions = transactions;
  }

  /**
   * {@return an instance for batches of jobs of {@code queue}} Create one instance and share it.
   *
   * @param queue the queue
   */
  public static Batches on(JobQueue queue) {
    return new Batches(
        queue, new BatchWriter(queue.extension()), BatchTransactions.own(queue.extension()));
  }

  /**
   * {@return an instance that works in the transaction that is open on {@code transaction}} It
   * neither commits the transaction nor closes the connection. Transactions that add jobs to the
   * same batch wait for each other.
   *
   * @param transaction the caller's transaction, on a connection without auto-commit
   */
  public Batches in(Connection transaction) {
    return new Batches(queue, writer, BatchTransactions.in(writer.queue(), transaction));
  }

  /**
   * {@return an instance that works in the transaction that is open on {@code transaction}, as
   * {@link #in(Connection)} does} Database errors are thrown as jOOQ's exceptions.
   *
   * @param transaction the context of the caller's transaction
   */
  public Batches in(DSLContext transaction) {
    return new Batches(queue, writer, BatchTransactions.in(writer.queue(), transaction));
  }

  /**
   * Opens a batch, to which jobs are added until it is sealed. A batch that is never sealed never
   * finishes: {@link #resume} it, or {@link #cancel} it.
   *
   * @param name a name for operators, 1 to 512 bytes in UTF-8; several batches may have the same
   * @return the batch
   * @throws IllegalArgumentException if the name is empty or too long
   * @throws StoreException if the database rejected the statement or could not be reached
   */
  public Batch open(String name) {
    requireName(name);
    return batch(transactions.run(session -> writer.open(session, name, null)));
  }

  /**
   * Opens a batch in another batch, which does not finish before this one. The callbacks of this
   * batch become jobs of the outer batch. If the outer batch is cancelled, so is this one.
   *
   * @param name a name for operators
   * @param outer the batch that contains it
   * @return the batch
   * @throws QueueException if the outer batch has finished or was cancelled
   */
  public Batch openIn(BatchId outer, String name) {
    requireName(name);
    return batch(
        transactions.run(
            session -> {
              writer.grow(session, outer.value(), 1);
              return writer.open(session, name, outer.value());
            }));
  }

  private static void requireName(String name) {
    int length = name.getBytes(StandardCharsets.UTF_8).length;
    if (length < 1 || length > LONGEST_NAME || name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "Batch name of %d bytes is not allowed. Use 1 to %d bytes without U+0000."
              .formatted(length, LONGEST_NAME));
    }
  }

  /**
   * {@return a batch that was opened before and is not sealed yet, for instance by a process that
   * was killed} Set its callbacks again: they are stored when it is sealed.
   *
   * @param batch the id of the batch
   */
  public Batch resume(BatchId batch) {
    return batch(batch.value());
  }

  private Batch batch(long id) {
    return new Batch(this, new BatchId(id));
  }

  /**
   * Adds jobs to a batch that has not finished, even if it is sealed. A handler of one of its jobs
   * can thus add more: in the transaction of {@code completeIn}, the new jobs are visible at the
   * moment at which the job has ended, so the batch cannot finish in between. Any other caller
   * cannot rely on the batch being unfinished.
   *
   * @param <P> the type of the payloads
   * @param batch the batch
   * @param type the type of the jobs
   * @param payloads the payloads
   * @return the ids of the jobs, in the order of the payloads
   * @throws QueueException if the batch has finished or was cancelled
   * @throws PayloadException if a payload is rejected; nothing is added then
   */
  public <P> List<JobId> add(BatchId batch, JobType<P> type, List<P> payloads) {
    return add(batch, type, payloads, UnaryOperator.identity());
  }

  /**
   * Adds jobs like {@link #add(BatchId, JobType, List)}, with options.
   *
   * @param <P> the type of the payloads
   * @param batch the batch
   * @param type the type of the jobs
   * @param payloads the payloads
   * @param options sets what differs from the defaults of the type
   * @return the ids of the jobs, in the order of the payloads
   * @throws IllegalArgumentException if the options contain an idempotency key
   */
  public <P> List<JobId> add(
      BatchId batch, JobType<P> type, List<P> payloads, UnaryOperator<EnqueueOptions> options) {
    List<NewJob> jobs = writer.jobs(batch.value(), type, payloads, options);
    if (jobs.isEmpty()) {
      return List.of();
    }
    List<EnqueueResult> results =
        writer
            .queue()
            .interceptor()
            .enqueue(
                jobs,
                passed ->
                    transactions.write(
                        passed,
                        session -> {
                          writer.grow(session, batch.value(), passed.size());
                          return writer.write(session, passed);
                        }));
    return results.stream().map(EnqueueResult::jobId).toList();
  }

  <P> Callback callback(JobType<P> type, P payload) {
    return writer.callback(type, payload);
  }

  void seal(BatchId batch, DeadPolicy policy, Map<Callback.Event, Callback> callbacks) {
    transactions.run(
        session -> {
          writer.seal(session, batch.value(), policy, callbacks);
          return batch;
        });
    check(batch); // its jobs may all have ended
  }

  /**
   * Requests the cancellation of a batch: its pending and waiting jobs are cancelled, cancellation
   * of its running jobs is requested, and nothing can be added any more. If it is not sealed, it is
   * sealed without callbacks. It finishes, with its callback, when its last job has ended.
   *
   * <p>Workers cancel what is left when this method returns, for example because there are many
   * jobs, or because the caller's transaction is still open.
   *
   * @param batch the batch
   * @return whether it was cancelled; false if it has finished or does not exist
   */
  public boolean cancel(BatchId batch) {
    boolean cancelled = transactions.run(session -> writer.cancel(session, batch.value()));
    if (cancelled) {
      check(batch);
    }
    return cancelled;
  }

  /** Checks a batch after the commit. If that fails, the sweep of a worker checks it. */
  private void check(BatchId batch) {
    if (!transactions.commits()) {
      return;
    }
    try {
      queue.ownedJobs().ifPresent(checks -> checks.check(List.of(batch.value())));
    } catch (RuntimeException failure) {
      LOG.debug("Batch not checked, left to a worker batch={}", batch, failure);
    }
  }

  /**
   * Redrives the dead jobs of a batch, as {@code QueueAdmin.redrive} does. A batch that has
   * finished stays finished, and its callback is not enqueued again.
   *
   * @param batch the batch
   * @return the number of redriven jobs, and those that were not redriven
   * @throws IllegalStateException if this instance works in a caller's transaction
   */
  public RedriveSummary redrive(BatchId batch) {
    if (!transactions.commits()) {
      throw new IllegalStateException(
          "Batch %s cannot be redriven in a caller's transaction. Use the instance from Batches.on."
              .formatted(batch));
    }
    int redriven = 0;
    Map<JobId, RedriveResult> refused = new LinkedHashMap<>();
    long before = Long.MAX_VALUE;
    while (true) {
      long last = before;
      List<JobId> page =
          transactions.run(session -> writer.dead(session, batch.value(), last, REDRIVEN_TOGETHER));
      if (page.isEmpty()) {
        return new RedriveSummary(redriven, refused);
      }
      List<RedriveResult> results = queue.admin().redrive(page);
      for (int i = 0; i < page.size(); i++) {
        if (results.get(i) instanceof RedriveResult.Redriven) {
          redriven++;
        } else {
          refused.put(page.get(i), results.get(i));
        }
      }
      before = page.get(page.size() - 1).value();
    }
  }

  /**
   * {@return the state of a batch, or empty if there is no such batch} A batch is deleted 30 days
   * after it has finished.
   *
   * @param batch the batch
   */
  public Optional<BatchStatus> find(BatchId batch) {
    return transactions.run(session -> writer.find(session, batch.value()));
  }

  /**
   * {@return batches that have not finished, in the order of their ids}
   *
   * @param after the id after which the list begins, or null for its start
   * @param limit the maximum number, 1 to 1,000
   * @throws IllegalArgumentException if the limit is out of range
   */
  public List<BatchStatus> unfinished(@Nullable BatchId after, int limit) {
    if (limit < 1 || limit > 1_000) {
      throw new IllegalArgumentException("Limit %d is not in 1..1000.".formatted(limit));
    }
    long from = after == null ? 0 : after.value();
    return transactions.run(session -> writer.unfinished(session, from, limit));
  }
}
