package dev.skipjack.dedup;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.EnqueueResult.AlreadyQueued;
import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.EnqueueResult.Replaced;
import dev.skipjack.api.HolderStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.QueueException;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.dedup.TwinStatement.Found;
import dev.skipjack.dedup.TwinStatement.Grip;
import dev.skipjack.store.jooq.internal.JobInsert;
import dev.skipjack.store.jooq.internal.QueueExtension;
import dev.skipjack.store.jooq.internal.sql.Chunks;
import dev.skipjack.store.jooq.internal.sql.Session;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One call that writes unique jobs in an open transaction: first takes all keys that are free, then
 * does to the jobs that hold the others what the policy says, both in key order. Belongs to one
 * thread.
 *
 * <p>A call that is in its second phase waits for none that is in its first, so two calls cannot
 * wait for each other. Unless a key changes hands meanwhile: that one is taken after all, while
 * later ones or jobs are held, and two calls of which one does so can deadlock (40P01).
 *
 * <p>Requests whose jobs hand over repeat both phases with the next keys, while jobs are held.
 * Those that a call holds alone are overdue, and no other request {@code untilStarted} waits for an
 * overdue job; the keys of one handover come after all keys of the one before. So calls of such
 * requests make no circle either.
 */
final class UniqueCall {

  /**
   * Each repeat means that the key changed hands within one statement; so often in a row is no race
   * any more.
   */
  private static final int MOST_TRIES = 50;

  private final QueueExtension queue;
  private final UniqueStatements statements;
  private final Session session;
  private final int chunk;
  private final Unique<?> unique;
  private final boolean holds;
  private final Grip grip;
  private final Map<String, EnqueueResult> results = new TreeMap<>();

  /**
   * @param chunk most rows a statement
   * @param holds whether a pending job that answers must not start before the transaction ends
   */
  UniqueCall(
      QueueExtension queue,
      UniqueStatements statements,
      Session session,
      int chunk,
      Unique<?> unique,
      boolean holds) {
    this.queue = queue;
    this.statements = statements;
    this.session = session;
    this.chunk = chunk;
    this.unique = unique;
    this.holds = holds;
    this.grip = grip(unique.conflict(), holds);
  }

  private static Grip grip(Conflict conflict, boolean holds) {
    if (!conflict.changesNothing()) {
      return Grip.REPLACE;
    }
    return holds ? Grip.HOLD : Grip.NONE;
  }

  /**
   * What became of each key.
   *
   * @param jobs one a key, in key order
   */
  Map<String, EnqueueResult> write(List<NewJob> jobs) throws SQLException {
    List<NewJob> open = jobs;
    for (int i = 0; !open.isEmpty(); i++) {
      requireProgress(i, open);
      open = grip(unique.hold() instanceof Hold.ForPeriod ? takeForPeriod(open) : take(open));
      open.sort(Comparator.comparing(UniqueKeys::of));
    }
    return results;
  }

  private static void requireProgress(int tries, List<NewJob> open) {
    if (tries == MOST_TRIES) {
      throw new QueueException(
          "A unique job of kind '%s' was not enqueued: its key changed hands %d times in a row. Try again."
              .formatted(open.get(0).kind(), MOST_TRIES),
          null);
    }
  }

  /** Answers the twins that are to be gripped; all other results are there. */
  private List<Twin> take(List<NewJob> jobs) throws SQLException {
    List<Twin> twins = new ArrayList<>();
    List<NewJob> open = jobs;
    for (int i = 0; !open.isEmpty(); i++) {
      requireProgress(i, open);
      List<NewJob> again = new ArrayList<>();
      for (List<NewJob> some : Chunks.of(open, chunk, job -> job.payload().length())) {
        List<UniqueInsert.Answer> answers =
            session.run(statements.insert, JobInsert.arguments(some), UniqueInsert::read);
        for (int j = 0; j < some.size(); j++) {
          NewJob job = some.get(j);
          JobId id = answers.get(j).id();
          if (id == null) {
            again.add(job);
          } else if (answers.get(j).twin() == HolderStatus.PENDING && grip != Grip.NONE) {
            twins.add(new Twin(id, job));
          } else {
            results.put(UniqueKeys.of(UniqueKeys.asked(job)), answers.get(j).result(id));
          }
        }
      }
      open = again;
    }
    return twins;
  }

  private List<Twin> takeForPeriod(List<NewJob> jobs) throws SQLException {
    List<Twin> twins = new ArrayList<>();
    for (List<NewJob> some : Chunks.of(jobs, chunk, job -> job.payload().length())) {
      List<EnqueueResult> answers = queue.writer().write(session, some);
      for (int i = 0; i < some.size(); i++) {
        if (answers.get(i) instanceof Enqueued enqueued) {
          results.put(UniqueKeys.of(some.get(i)), enqueued);
        } else {
          twins.add(new Twin(answers.get(i).jobId(), some.get(i)));
        }
      }
    }
    return twins;
  }

  /**
   * Answers the jobs whose twins changed meanwhile, and with their next key those whose twins hand
   * over; all other results are there.
   */
  private List<NewJob> grip(List<Twin> twins) throws SQLException {
    List<Twin> inKeyOrder = new ArrayList<>(twins);
    inKeyOrder.sort(Comparator.comparing(twin -> UniqueKeys.of(twin.job())));
    List<NewJob> again = new ArrayList<>();
    for (List<Twin> some : Chunks.of(inKeyOrder, chunk, twin -> twin.job().payload().length())) {
      List<Found> found =
          session.run(
              statements.twin(grip),
              TwinStatement.arguments(
                  grip,
                  some.stream().map(Twin::job).toList(),
                  some.stream().map(Twin::id).toList(),
                  holds,
                  unique.conflict()),
              TwinStatement::read);
      for (int i = 0; i < some.size(); i++) {
        NewJob asked = UniqueKeys.asked(some.get(i).job());
        EnqueueResult result = result(some.get(i), found.get(i));
        if (result != null) {
          results.put(UniqueKeys.of(asked), result);
        } else {
          NewJob next = UniqueKeys.next(some.get(i).job());
          again.add(found.get(i).handsOver() && next != null ? next : asked);
        }
      }
    }
    return again;
  }

  private static @Nullable EnqueueResult result(Twin twin, Found found) {
    HolderStatus status = found.status();
    if (found.done() == Grip.REPLACE) {
      return new Replaced(twin.id());
    }
    if (status == null) {
      boolean isForPeriod = twin.job().uniqueKey() == null;
      return isForPeriod ? new AlreadyQueued(twin.id(), HolderStatus.ENDED) : null;
    }
    return found.done() == Grip.HOLD || !found.isGrippable()
        ? new AlreadyQueued(twin.id(), status)
        : null;
  }

  /** A job that was asked for, and the one that holds its key. */
  private record Twin(JobId id, NewJob job) {}
}
