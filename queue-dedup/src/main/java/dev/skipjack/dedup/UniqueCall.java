package dev.skipjack.dedup;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.EnqueueResult.AlreadyQueued;
import dev.skipjack.api.EnqueueResult.Enqueued;
import dev.skipjack.api.EnqueueResult.Replaced;
import dev.skipjack.api.HolderStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.QueueException;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.dedup.ResolveConflictStatement.HolderAction;
import dev.skipjack.dedup.ResolveConflictStatement.KeyConflict;
import dev.skipjack.dedup.ResolveConflictStatement.Request;
import dev.skipjack.sql.Chunks;
import dev.skipjack.sql.Session;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.QueueExtension;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One call that writes unique jobs in an open transaction. It first takes all free keys, and then
 * applies the policy to the jobs that hold the other keys. Both phases run in key order. Not
 * thread-safe.
 *
 * <p>A call in its second phase does not wait for a call in its first phase, so two calls cannot
 * wait for each other. The exception is a key that is released in the meantime. The call then takes
 * that key while it holds later keys or jobs, and can deadlock with another call (40P01).
 *
 * <p>If a holder hands over, its request repeats both phases with the next key, while the call
 * keeps its locks. This adds no deadlocks: a call locks only overdue jobs exclusively, no other
 * {@code untilStarted} request waits for an overdue job, and the keys of a handover come after all
 * earlier keys.
 */
final class UniqueCall {

  /**
   * The maximum number of tries. Apart from handovers, each retry means that the key was taken or
   * released during one statement.
   */
  private static final int MOST_TRIES = 50;

  private final QueueExtension.Writer writer;
  private final Session session;
  private final Statement<List<NewJob>, UniqueInsert.Result> insert;
  private final Statement<Request, ResolveConflictStatement.Result> resolve;
  private final int chunk;
  private final Unique<?> unique;
  private final boolean holds;
  private final HolderAction action;
  private final Map<String, EnqueueResult> results = new TreeMap<>();

  /**
   * @param resolve the statement for each action on holders
   * @param chunk the maximum number of rows per statement
   * @param holds whether a pending holder must not start before the transaction ends
   */
  UniqueCall(
      QueueExtension.Writer writer,
      Session session,
      Statement<List<NewJob>, UniqueInsert.Result> insert,
      Function<HolderAction, Statement<Request, ResolveConflictStatement.Result>> resolve,
      int chunk,
      Unique<?> unique,
      boolean holds) {
    this.writer = writer;
    this.session = session;
    this.insert = insert;
    this.chunk = chunk;
    this.unique = unique;
    this.holds = holds;
    this.action = action(unique.conflict(), holds);
    this.resolve = resolve.apply(action);
  }

  private static HolderAction action(Conflict conflict, boolean holds) {
    if (!conflict.changesNothing()) {
      return HolderAction.REPLACE;
    }
    return holds ? HolderAction.HOLD : HolderAction.NONE;
  }

  /**
   * Writes the jobs and returns the results by key.
   *
   * @param jobs one job per key, in key order
   */
  Map<String, EnqueueResult> write(List<NewJob> jobs) throws SQLException {
    List<NewJob> open = jobs;
    for (int i = 0; !open.isEmpty(); i++) {
      requireProgress(i, open);
      open = resolve(unique.hold() instanceof Hold.ForPeriod ? takeForPeriod(open) : take(open));
      open.sort(Comparator.comparing(UniqueKeys::of));
    }
    return results;
  }

  private static void requireProgress(int tries, List<NewJob> open) {
    if (tries == MOST_TRIES) {
      throw new QueueException(
          "A unique job of kind '%s' was not enqueued: its key was taken or released %d times in a row. Try again."
              .formatted(open.get(0).kind(), MOST_TRIES),
          null);
    }
  }

  /** Inserts jobs and records their results. Returns the conflicts, which must be resolved. */
  private List<KeyConflict> take(List<NewJob> jobs) throws SQLException {
    List<KeyConflict> conflicts = new ArrayList<>();
    List<NewJob> open = jobs;
    for (int i = 0; !open.isEmpty(); i++) {
      requireProgress(i, open);
      List<NewJob> again = new ArrayList<>();
      for (List<NewJob> some : Chunks.of(open, chunk, job -> job.payload().length())) {
        List<UniqueInsert.Result> inserted = session.run(insert, some);
        for (int j = 0; j < some.size(); j++) {
          NewJob job = some.get(j);
          JobId id = inserted.get(j).id();
          if (id == null) {
            again.add(job);
          } else if (mayBeUnused(inserted.get(j).holder()) && action != HolderAction.NONE) {
            conflicts.add(new KeyConflict(job, id));
          } else {
            results.put(UniqueKeys.of(UniqueKeys.asked(job)), inserted.get(j).withoutChange(id));
          }
        }
      }
      open = again;
    }
    return conflicts;
  }

  private static boolean mayBeUnused(@Nullable HolderStatus holder) {
    return holder == HolderStatus.PENDING || holder == HolderStatus.WAITING;
  }

  private List<KeyConflict> takeForPeriod(List<NewJob> jobs) throws SQLException {
    List<KeyConflict> conflicts = new ArrayList<>();
    for (List<NewJob> some : Chunks.of(jobs, chunk, job -> job.payload().length())) {
      List<EnqueueResult> written = writer.write(session, some);
      for (int i = 0; i < some.size(); i++) {
        if (written.get(i) instanceof Enqueued enqueued) {
          results.put(UniqueKeys.of(some.get(i)), enqueued);
        } else {
          conflicts.add(new KeyConflict(some.get(i), written.get(i).jobId()));
        }
      }
    }
    return conflicts;
  }

  /**
   * Resolves conflicts and records the results. Returns the jobs whose holders have changed in the
   * meantime, and, with their next keys, those whose holders hand over.
   */
  private List<NewJob> resolve(List<KeyConflict> conflicts) throws SQLException {
    List<KeyConflict> inKeyOrder = new ArrayList<>(conflicts);
    inKeyOrder.sort(Comparator.comparing(conflict -> UniqueKeys.of(conflict.job())));
    List<NewJob> again = new ArrayList<>();
    for (List<KeyConflict> some :
        Chunks.of(inKeyOrder, chunk, conflict -> conflict.job().payload().length())) {
      List<ResolveConflictStatement.Result> resolved =
          session.run(resolve, new Request(some, holds, unique.conflict()));
      for (int i = 0; i < some.size(); i++) {
        NewJob asked = UniqueKeys.asked(some.get(i).job());
        EnqueueResult result = result(some.get(i), resolved.get(i));
        if (result != null) {
          results.put(UniqueKeys.of(asked), result);
        } else {
          NewJob next = UniqueKeys.next(some.get(i).job());
          again.add(resolved.get(i).handsOver() && next != null ? next : asked);
        }
      }
    }
    return again;
  }

  private static @Nullable EnqueueResult result(
      KeyConflict conflict, ResolveConflictStatement.Result resolved) {
    HolderStatus status = resolved.status();
    if (resolved.done() == HolderAction.REPLACE) {
      return new Replaced(conflict.holder());
    }
    if (status == null) {
      boolean isForPeriod = conflict.job().uniqueKey() == null;
      return isForPeriod ? new AlreadyQueued(conflict.holder(), HolderStatus.ENDED) : null;
    }
    return resolved.done() == HolderAction.HOLD || !resolved.isEligible()
        ? new AlreadyQueued(conflict.holder(), status)
        : null;
  }
}
