package dev.skipjack.dedup;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.EnqueueResult.AlreadyQueued;
import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.EnqueueResult.Replaced;
import dev.skipjack.api.HolderStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.dedup.ResolveConflictStatement.HolderAction;
import dev.skipjack.dedup.ResolveConflictStatement.Request;
import dev.skipjack.sql.Session;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.QueueExtension;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes unique jobs, in one of the queue's own transactions or in a caller's. Jobs with equal keys
 * become one job. Instances are immutable and thread-safe.
 */
final class UniqueWriter {

  static final int LARGEST_CHUNK = 1_000;

  private final QueueExtension queue;
  private final Statement<List<NewJob>, UniqueInsert.Result> insert;
  private final Statement<NewJob, UniqueInsert.Result> insertOne;
  private final Map<HolderAction, Statement<Request, ResolveConflictStatement.Result>> resolve =
      new EnumMap<>(HolderAction.class);

  UniqueWriter(QueueExtension queue) {
    this.queue = queue;
    this.insert = Statement.lazily(() -> UniqueInsert.of(queue.dialect().get()));
    this.insertOne = Statement.lazily(() -> UniqueInsert.ofOne(queue.dialect().get()));
    for (HolderAction action : HolderAction.values()) {
      resolve.put(
          action,
          Statement.lazily(() -> ResolveConflictStatement.of(queue.dialect().get(), action)));
    }
  }

  /**
   * Writes jobs in one of the queue's own transactions and returns a result for each, in the order
   * of the jobs. The transaction ends immediately, so it does not hold jobs that it does not
   * change.
   *
   * @param chunk the maximum number of rows per statement
   * @param jobs the jobs, each of which has a key
   */
  List<EnqueueResult> write(int chunk, List<NewJob> jobs, Unique<?> unique) {
    EnqueueResult alone =
        jobs.size() == 1 && unique.conflict().changesNothing() ? writeAlone(jobs.get(0)) : null;
    return alone != null
        ? List.of(alone)
        : queue
            .transactions()
            .bounded()
            .inOne(
                session -> {
                  queue.strictOrdering().lock(session, jobs);
                  return write(call(session, chunk, unique, false), jobs, unique);
                });
  }

  /**
   * Writes the job in one round trip. If that is impossible, this method has no effect and returns
   * null.
   */
  private @Nullable EnqueueResult writeAlone(NewJob job) {
    if (job.uniqueKey() == null || job.hasStrictOrdering()) {
      return null; // the key is held for a period, or a lock must be taken first
    }
    List<UniqueInsert.Result> inserted =
        queue.transactions().bounded().runInOneRoundTrip(insertOne, job);
    JobId id = inserted.isEmpty() ? null : inserted.get(0).id();
    return id == null ? null : inserted.get(0).withoutChange(id);
  }

  /**
   * Writes jobs as {@link #write(int, List, Unique)} does, but in a caller's transaction, which may
   * remain open.
   */
  List<EnqueueResult> writeWithin(Session session, List<NewJob> jobs, Unique<?> unique)
      throws SQLException {
    queue.strictOrdering().lock(session, jobs);
    boolean holds = unique.hold().equals(Hold.UNTIL_STARTED);
    return write(call(session, LARGEST_CHUNK, unique, holds), jobs, unique);
  }

  private UniqueCall call(Session session, int chunk, Unique<?> unique, boolean holds) {
    return new UniqueCall(
        queue.writer(),
        session,
        insert,
        action -> Objects.requireNonNull(resolve.get(action)),
        chunk,
        unique,
        holds);
  }

  private static List<EnqueueResult> write(UniqueCall call, List<NewJob> jobs, Unique<?> unique)
      throws SQLException {
    Conflict conflict = unique.conflict();
    Map<String, NewJob> jobOfKey = new TreeMap<>();
    for (NewJob job : jobs) {
      jobOfKey.merge(
          UniqueKeys.of(job),
          job,
          (first, later) -> conflict.changes(JobPart.PAYLOAD) ? later : first);
    }
    return inOrder(jobs, call.write(List.copyOf(jobOfKey.values())), conflict);
  }

  private static List<EnqueueResult> inOrder(
      List<NewJob> jobs, Map<String, EnqueueResult> results, Conflict conflict) {
    Map<String, EnqueueResult> repeated = new TreeMap<>();
    List<EnqueueResult> ordered = new ArrayList<>(jobs.size());
    for (NewJob job : jobs) {
      String key = UniqueKeys.of(job);
      EnqueueResult result = Objects.requireNonNull(results.get(key));
      ordered.add(repeated.getOrDefault(key, result));
      if (result instanceof Enqueued enqueued) {
        repeated.put(
            key,
            conflict.changesNothing()
                ? new AlreadyQueued(enqueued.jobId(), HolderStatus.PENDING)
                : new Replaced(enqueued.jobId()));
      }
    }
    return ordered;
  }
}
