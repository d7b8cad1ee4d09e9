package dev.skipjack.store.jooq;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Session;
import dev.skipjack.sql.ShrinkingLimit;
import dev.skipjack.store.jooq.internal.JobInsert.Accepted;
import dev.skipjack.store.jooq.internal.QueueExtension;
import dev.skipjack.store.jooq.internal.ordering.JooqOrderedJobs;
import dev.skipjack.store.jooq.internal.ordering.JooqOrderedJobs.Promoted;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Enqueues jobs in its own transactions or in callers' transactions, and wakes workers. Safe for
 * any number of threads.
 */
final class EnqueueTransactions implements QueueExtension.Waker {

  private final OwnTransactions transactions;
  private final EnqueueWriter writer;
  private final Supplier<JooqOrderedJobs> ordered;
  private final @Nullable WakeUpSender wakeUps;
  private final @Nullable DirectStart directStart;
  private final @Nullable SharedWrites shared;

  /**
   * @param ordered promotes jobs with an ordering key; called when there are any
   * @param wakeUps wakes workers, or null to wake none
   * @param directStart starts jobs in free slots of this process, or null to start none
   * @param shared writes the single jobs of concurrent callers, or null if each is written alone
   */
  EnqueueTransactions(
      OwnTransactions transactions,
      EnqueueWriter writer,
      Supplier<JooqOrderedJobs> ordered,
      @Nullable WakeUpSender wakeUps,
      @Nullable DirectStart directStart,
      @Nullable SharedWrites shared) {
    this.transactions = transactions;
    this.writer = writer;
    this.ordered = ordered;
    this.wakeUps = wakeUps;
    this.directStart = directStart;
    this.shared = shared;
  }

  /** Enqueues jobs as {@link dev.skipjack.api.spi.JobStore#enqueue(List)} does. */
  List<EnqueueResult> enqueue(List<NewJob> jobs) {
    if (jobs.isEmpty()) {
      return List.of();
    }
    DirectStart.Enqueued direct = startDirectly(jobs);
    if (direct != null && direct.started()) {
      return List.of(direct.result());
    }
    List<EnqueueResult> results =
        direct != null ? List.of(direct.result()) : writeInOwnTransaction(jobs);
    wakeCommitted(jobs, results);
    return results;
  }

  private DirectStart.@Nullable Enqueued startDirectly(List<NewJob> jobs) {
    return directStart != null && mayStartDirectly(jobs) ? directStart.enqueue(jobs.get(0)) : null;
  }

  private boolean mayStartDirectly(List<NewJob> jobs) {
    if (wakeUps == null || jobs.size() != 1) {
      return false;
    }
    NewJob job = jobs.get(0);
    boolean hasKey =
        job.idempotencyKey() != null
            || job.uniqueKey() != null
            || Accepted.of(job) != Accepted.UNORDERED;
    boolean isDue = job.scheduledAt() == null; // otherwise the database's clock decides
    return !hasKey && isDue && wakeUps.wakes(job);
  }

  private List<EnqueueResult> writeInOwnTransaction(List<NewJob> jobs) {
    return isAlone(jobs) && !jobs.get(0).hasStrictOrdering()
        ? writeOne(jobs.get(0))
        : new ShrinkingLimit(Math.min(jobs.size(), EnqueueStatement.LARGEST))
            .run(chunk -> writers(jobs).inOne(session -> writer.write(session, jobs, chunk)));
  }

  private static boolean isAlone(List<NewJob> jobs) {
    return jobs.size() == 1 && jobs.get(0).idempotencyKey() == null;
  }

  /** Writes one job, together with those of other callers if possible. */
  private List<EnqueueResult> writeOne(NewJob job) {
    return shared != null && SharedWrites.accepts(job)
        ? List.of(shared.write(job))
        : writer.writeAlone(transactions, job);
  }

  /**
   * Returns transactions with a bounded wait if a job has an idempotency key or strict ordering.
   * Only such an enqueue can wait.
   */
  private OwnTransactions writers(List<NewJob> jobs) {
    return jobs.stream().allMatch(job -> job.idempotencyKey() == null && !job.hasStrictOrdering())
        ? transactions
        : transactions.bounded();
  }

  /** Enqueues jobs as {@link dev.skipjack.api.spi.JobStore#enqueue(Connection, List)} does. */
  List<EnqueueResult> enqueue(Connection transaction, List<NewJob> jobs) {
    try {
      return insert(transaction, jobs);
    } catch (SQLException failure) {
      throw OwnTransactions.refused(failure);
    }
  }

  /**
   * Inserts jobs like {@link #enqueue(Connection, List)}, but throws the database's own exceptions.
   */
  List<EnqueueResult> insert(Connection connection, List<NewJob> jobs) throws SQLException {
    Session callers = Session.in(connection);
    if (isAlone(jobs)) {
      NewJob job = jobs.get(0);
      return writer.writeAlone(callers, job, wakeUps == null ? null : wakeUps.within(job));
    }
    List<EnqueueResult> results = write(callers, jobs);
    wakeWithin(connection, jobs, results);
    return results;
  }

  /** Inserts jobs in a caller's transaction. Wakes no workers until the wake-ups are sent. */
  List<EnqueueResult> enqueue(Connection transaction, List<NewJob> jobs, DeferredWakeUps deferred) {
    try {
      Session callers = Session.in(transaction);
      List<EnqueueResult> results =
          isAlone(jobs) ? writer.writeAlone(callers, jobs.get(0), null) : write(callers, jobs);
      deferred.add(jobs, results);
      return results;
    } catch (SQLException failure) {
      throw OwnTransactions.refused(failure);
    }
  }

  /**
   * Inserts jobs in a caller's transaction. A single job may start right after the commit, without
   * a claim.
   */
  List<EnqueueResult> enqueue(
      Connection transaction, List<NewJob> jobs, FollowedTransaction followed) {
    if (directStart != null && followed.mayStart() && mayStartDirectly(jobs)) {
      try {
        EnqueueResult result = directStart.enqueue(transaction, jobs.get(0), followed);
        if (result != null) {
          return List.of(result);
        }
      } catch (SQLException failure) {
        throw OwnTransactions.refused(failure);
      }
    }
    return enqueue(transaction, jobs, followed.wakeUps());
  }

  /** Inserts jobs in the session's transaction, without waking workers. */
  List<EnqueueResult> write(Session session, List<NewJob> jobs) throws SQLException {
    return writer.write(session, jobs, EnqueueStatement.LARGEST);
  }

  /** Wakes workers, and promotes those jobs whose ordering key has no head. */
  @Override
  public void wakeCommitted(List<NewJob> jobs, List<EnqueueResult> results) {
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < jobs.size(); i++) {
      String key = jobs.get(i).orderingKey();
      if (key != null && results.get(i) instanceof EnqueueResult.Enqueued) {
        keys.add(key);
      }
    }
    Promoted promoted = keys.isEmpty() ? Promoted.NOTHING : ordered.get().promoteCommitted(keys);
    if (wakeUps != null) {
      wakeUps.committed(jobs, results, promoted);
    }
  }

  @Override
  public void wakeCommitted(List<WakeUp> due) {
    if (wakeUps != null) {
      wakeUps.committed(List.of(), List.of(), new Promoted(due, Set.of(), null));
    }
  }

  @Override
  public void wakeWithin(Connection transaction, List<NewJob> jobs, List<EnqueueResult> results)
      throws SQLException {
    if (wakeUps != null) {
      wakeUps.within(transaction, jobs, results);
    }
  }
}
