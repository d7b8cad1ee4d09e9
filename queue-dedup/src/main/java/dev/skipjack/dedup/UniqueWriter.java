package dev.skipjack.dedup;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.EnqueueResult.AlreadyQueued;
import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.EnqueueResult.Replaced;
import dev.skipjack.api.JobId;
import dev.skipjack.api.QueueException;
import dev.skipjack.api.TwinStatus;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.UniqueUntil;
import dev.skipjack.dedup.TwinStatement.Found;
import dev.skipjack.dedup.TwinStatement.Grip;
import dev.skipjack.store.jooq.spi.JobInsert;
import dev.skipjack.store.jooq.spi.QueueExtension;
import dev.skipjack.store.jooq.spi.Session;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Writes unique jobs in an open transaction: first takes all keys that are free, in key order, then
 * does to the jobs that hold the others what the policy says, in id order. A call that is in its
 * second phase waits for none that is in its first, so two calls cannot wait for each other.
 */
final class UniqueWriter {

  /**
   * Each repeat means that the key changed hands within one statement; so often in a row is no race
   * any more.
   */
  private static final int MOST_TRIES = 50;

  private static final int LARGEST_CHUNK = 1_000;

  private final QueueExtension queue;
  private final UniqueStatements statements;

  UniqueWriter(QueueExtension queue, UniqueStatements statements) {
    this.queue = queue;
    this.statements = statements;
  }

  /**
   * What became of each job, in their order.
   *
   * @param jobs each with a key
   * @param isCallers whether the transaction is a caller's and may stay open
   */
  List<EnqueueResult> write(
      Session session, boolean isCallers, List<NewJob> jobs, Hold hold, Conflict conflict)
      throws SQLException {
    Map<String, NewJob> jobOfKey = new TreeMap<>();
    for (NewJob job : jobs) {
      jobOfKey.merge(
          UniqueKeys.of(job),
          job,
          (first, later) -> conflict.changes(JobPart.PAYLOAD) ? later : first);
    }
    Map<String, EnqueueResult> results = new TreeMap<>();
    Grip grip = grip(isCallers, hold, conflict);
    List<NewJob> open = List.copyOf(jobOfKey.values());
    for (int i = 0; !open.isEmpty(); i++) {
      requireProgress(i, open);
      List<Twin> twins =
          hold instanceof Hold.ForPeriod
              ? takeForPeriod(session, open, results)
              : take(session, open, grip, results);
      open = grip(session, twins, grip, conflict, results);
    }
    return inOrder(jobs, results, conflict);
  }

  private static void requireProgress(int tries, List<NewJob> open) {
    if (tries == MOST_TRIES) {
      throw new QueueException(
          "A unique job of kind '%s' was not enqueued: its key changed hands %d times in a row. Try again."
              .formatted(open.get(0).kind(), MOST_TRIES),
          null);
    }
  }

  private static Grip grip(boolean isCallers, Hold hold, Conflict conflict) {
    if (!conflict.changesNothing()) {
      return Grip.REPLACE;
    }
    // Of our own, the transaction is over before anybody could miss what it committed.
    return isCallers && hold.equals(new Hold.ByJob(UniqueUntil.STARTED)) ? Grip.HOLD : Grip.NONE;
  }

  /** Answers the twins that are to be gripped; all other results are there. */
  private List<Twin> take(
      Session session, List<NewJob> jobs, Grip grip, Map<String, EnqueueResult> results)
      throws SQLException {
    List<Twin> twins = new ArrayList<>();
    List<NewJob> open = jobs;
    for (int i = 0; !open.isEmpty(); i++) {
      requireProgress(i, open);
      List<NewJob> again = new ArrayList<>();
      for (List<NewJob> chunk : chunks(open)) {
        List<UniqueInsert.Answer> answers =
            session.run(statements.insert, JobInsert.arguments(chunk), UniqueInsert::read);
        for (int j = 0; j < chunk.size(); j++) {
          NewJob job = chunk.get(j);
          JobId id = answers.get(j).id();
          TwinStatus twin = answers.get(j).twin();
          if (id == null) {
            again.add(job);
          } else if (twin == null) {
            results.put(UniqueKeys.of(job), new Enqueued(id));
          } else if (twin == TwinStatus.PENDING && grip != Grip.NONE) {
            twins.add(new Twin(id, job));
          } else {
            results.put(UniqueKeys.of(job), new AlreadyQueued(id, twin));
          }
        }
      }
      open = again;
    }
    return twins;
  }

  private List<Twin> takeForPeriod(
      Session session, List<NewJob> jobs, Map<String, EnqueueResult> results) throws SQLException {
    List<Twin> twins = new ArrayList<>();
    List<EnqueueResult> answers = queue.writer().write(session, jobs);
    for (int i = 0; i < jobs.size(); i++) {
      if (answers.get(i) instanceof Enqueued enqueued) {
        results.put(UniqueKeys.of(jobs.get(i)), enqueued);
      } else {
        twins.add(new Twin(answers.get(i).jobId(), jobs.get(i)));
      }
    }
    return twins;
  }

  /** Answers the jobs whose twins changed meanwhile; all other results are there. */
  private List<NewJob> grip(
      Session session,
      List<Twin> twins,
      Grip grip,
      Conflict conflict,
      Map<String, EnqueueResult> results)
      throws SQLException {
    List<Twin> inIdOrder = new ArrayList<>(twins);
    inIdOrder.sort(Comparator.comparingLong(twin -> twin.id().value()));
    Map<String, NewJob> again = new TreeMap<>();
    for (List<Twin> chunk : chunks(inIdOrder)) {
      List<Found> found =
          session.run(
              statements.twin(grip),
              TwinStatement.arguments(
                  chunk.stream().map(Twin::job).toList(),
                  chunk.stream().map(Twin::id).toList(),
                  conflict),
              TwinStatement::read);
      for (int i = 0; i < chunk.size(); i++) {
        String key = UniqueKeys.of(chunk.get(i).job());
        EnqueueResult result = result(chunk.get(i), found.get(i), grip);
        if (result == null) {
          again.put(key, chunk.get(i).job());
        } else {
          results.put(key, result);
        }
      }
    }
    return List.copyOf(again.values());
  }

  private static @Nullable EnqueueResult result(Twin twin, Found found, Grip grip) {
    TwinStatus status = found.status();
    if (found.gripped() && grip == Grip.REPLACE) {
      return new Replaced(twin.id());
    }
    if (status == null) {
      boolean isForPeriod = twin.job().uniqueKey() == null;
      return isForPeriod ? new AlreadyQueued(twin.id(), TwinStatus.ENDED) : null;
    }
    boolean couldBeGripped =
        status == TwinStatus.PENDING && (grip != Grip.REPLACE || found.isOfKind());
    return found.gripped() || grip == Grip.NONE || !couldBeGripped
        ? new AlreadyQueued(twin.id(), status)
        : null;
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
                ? new AlreadyQueued(enqueued.jobId(), TwinStatus.PENDING)
                : new Replaced(enqueued.jobId()));
      }
    }
    return ordered;
  }

  private static <E> List<List<E>> chunks(List<E> all) {
    List<List<E>> chunks = new ArrayList<>();
    for (int from = 0; from < all.size(); from += LARGEST_CHUNK) {
      chunks.add(all.subList(from, Math.min(from + LARGEST_CHUNK, all.size())));
    }
    return chunks;
  }

  /** A job that was asked for, and the one that holds its key. */
  private record Twin(JobId id, NewJob job) {}
}
