package dev.skipjack.dedup;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.EnqueueResult.AlreadyQueued;
import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.EnqueueResult.Replaced;
import dev.skipjack.api.HolderStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.store.jooq.internal.JobInsert;
import dev.skipjack.store.jooq.internal.QueueExtension;
import dev.skipjack.store.jooq.internal.sql.Session;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes unique jobs in an open transaction. Those of one key make one job. Immutable and safe for
 * any number of threads.
 */
final class UniqueWriter {

  static final int LARGEST_CHUNK = 1_000;

  private final QueueExtension queue;
  private final UniqueStatements statements;

  UniqueWriter(QueueExtension queue, UniqueStatements statements) {
    this.queue = queue;
    this.statements = statements;
  }

  /**
   * What became of each job, in their order, in a transaction of our own. It is over before anybody
   * could miss what it commits, so it need not hold what it leaves as it is.
   *
   * @param chunk most rows a statement
   * @param jobs each with a key
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
                session ->
                    write(
                        new UniqueCall(queue, statements, session, chunk, unique, false),
                        jobs,
                        unique));
  }

  /** In one flight, where one statement is enough; null if it is not, and nothing was done. */
  private @Nullable EnqueueResult writeAlone(NewJob job) {
    if (job.uniqueKey() == null) {
      return null; // held for a period
    }
    List<UniqueInsert.Answer> answers =
        queue
            .transactions()
            .bounded()
            .runInOneFlight(
                statements.insertOne, JobInsert.argumentsOfOne(job), UniqueInsert::read);
    JobId id = answers.isEmpty() ? null : answers.get(0).id();
    return id == null ? null : answers.get(0).result(id);
  }

  /** As {@link #write(int, List, Unique)}, in a caller's transaction, which may stay open. */
  List<EnqueueResult> writeWithin(Session session, List<NewJob> jobs, Unique<?> unique)
      throws SQLException {
    boolean holds = unique.hold().equals(Hold.UNTIL_STARTED);
    return write(
        new UniqueCall(queue, statements, session, LARGEST_CHUNK, unique, holds), jobs, unique);
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
