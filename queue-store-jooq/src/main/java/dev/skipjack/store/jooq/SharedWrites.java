package dev.skipjack.store.jooq;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.sql.OwnTransactions;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Writes the single jobs of concurrent callers in shared transactions. Safe for any number of
 * threads.
 *
 * <p>If fewer than {@link #MOST_WRITES} writes are in progress and no caller waits, a caller writes
 * its job at once, alone. The other callers wait in line. When a write ends, the first in line
 * writes the jobs of all callers in line, in one transaction. No caller returns before its job is
 * committed.
 *
 * <p>The callers of a shared write return together, and in a {@link #CROWD} they usually enqueue
 * again soon. The first one to come back would write alone, and the others would wait for that
 * write. So it waits briefly for the others, and the last one to come back writes.
 *
 * <p>While callers are in line, one of three things is true: one of them has been chosen to write,
 * or a write is in progress that will choose the first in line when it ends, or the first in line
 * waits for a crowd. A caller leaves the line only under the lock and only once, so each job is in
 * at most one shared write. Every batch gets an outcome, even if its writer fails.
 *
 * <p>If a shared write certainly had no effect, each caller writes its own job again, so that one
 * rejected job fails alone. If the outcome is unknown, no caller writes again, because the jobs may
 * be committed.
 */
final class SharedWrites {

  /**
   * The number of writes in progress at which callers begin to wait in line. A few producers thus
   * need not take turns.
   */
  static final int MOST_WRITES = 4;

  /**
   * The number of callers at which only one write at a time is in progress, so that it takes many
   * jobs. A shared write of only two or three jobs saves nothing.
   */
  static final int CROWD = 6;

  /** The maximum number of jobs in one write, which bounds how long its callers wait for it. */
  static final int MOST_JOBS = 100;

  /** The maximum number of payload characters in one write. A larger job is written alone. */
  static final int LARGEST_PAYLOAD = 1024 * 1024;

  /**
   * The time after which a caller no longer waits for another write, which may hang. If each write
   * takes longer than this, many concurrent writes are faster than few.
   */
  private static final Duration PATIENCE = Duration.ofMillis(2);

  /** How long after a write the first of a crowd waits for the others to come back. */
  private static final Duration GATHER = Duration.ofNanos(150_000);

  /** {@code Thread.isVirtual}, or null before Java 21. */
  private static final @Nullable MethodHandle IS_VIRTUAL = isVirtual();

  private final Function<List<NewJob>, List<EnqueueResult>> together;
  private final Function<NewJob, EnqueueResult> alone;
  private final int mostWrites;
  private final long patience;
  private final long gather;

  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Caller> line = new ArrayDeque<>();
  private int writes;

  /** The number of jobs in line and in progress. */
  private int jobs;

  private boolean crowded;

  /** The number of callers when the last batch was taken, at most the size of a batch. */
  private int crowd;

  private long endedAt; // nanoTime of the last end of a write in a crowd

  /** The caller in line that has been chosen to write. */
  private @Nullable Caller next;

  /**
   * @param together writes all jobs and commits, or none of them
   * @param alone writes one job and commits
   */
  SharedWrites(
      Function<List<NewJob>, List<EnqueueResult>> together,
      Function<NewJob, EnqueueResult> alone,
      int mostWrites,
      Duration patience,
      Duration gather) {
    this.together = together;
    this.alone = alone;
    this.mostWrites = mostWrites;
    this.patience = patience.toNanos();
    this.gather = gather.toNanos();
  }

  /** Creates shared writes that use these transactions. */
  static SharedWrites of(OwnTransactions transactions, EnqueueWriter writer) {
    return new SharedWrites(
        jobs -> writer.writeTogether(transactions, jobs),
        job -> writer.writeAlone(transactions, job).get(0),
        MOST_WRITES,
        PATIENCE,
        GATHER);
  }

  /**
   * Returns whether {@code dataSource} is known to give every thread an equivalent connection. True
   * only for a HikariCP pool that is not wrapped: any other data source may choose the connection
   * by the calling thread.
   */
  static boolean suits(DataSource dataSource) {
    return dataSource.getClass().getName().equals("com.zaxxer.hikari.HikariDataSource");
  }

  /**
   * Returns whether the current thread may share the write of this job. A job with a key could make
   * all callers wait for another transaction. An interrupt of a virtual thread that writes closes
   * its connection, so the write of all jobs would fail.
   */
  static boolean accepts(NewJob job) {
    return job.idempotencyKey() == null
        && job.uniqueKey() == null
        && !job.hasStrictOrdering()
        && job.payload().length() <= LARGEST_PAYLOAD
        && !isVirtual(Thread.currentThread());
  }

  /**
   * Writes one job and returns after its commit.
   *
   * <p>A caller that is interrupted while it is in line leaves the line and writes alone. A later
   * interrupt has no effect on the write and is preserved.
   */
  EnqueueResult write(NewJob job) {
    Caller caller = new Caller(job);
    List<Caller> batch = startOrLineUp(caller);
    if (batch.isEmpty()) {
      batch = awaitTurn(caller);
    }
    if (!batch.isEmpty()) {
      return lead(caller, batch);
    }
    Outcome outcome = caller.outcome;
    return outcome == null ? alone.apply(job) : resultOf(caller, outcome);
  }

  /** Returns the batch of a caller that may write now. Any other caller waits in line. */
  private List<Caller> startOrLineUp(Caller caller) {
    lock.lock();
    try {
      jobs++;
      if (mayWrite() && line.isEmpty() && !othersComeBack()) {
        writes++;
        return List.of(caller);
      }
      line.add(caller);
      caller.isInLine = true;
      boolean isComplete = crowded && line.size() >= crowd;
      return isComplete && next == null && mayWrite() ? take(caller) : List.of();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits in line. Returns the batch of the caller when it may write. Returns no batch if its job
   * has an outcome or the caller has left the line.
   */
  private List<Caller> awaitTurn(Caller caller) {
    long since = System.nanoTime();
    boolean interrupted = false;
    try {
      while (caller.outcome == null) {
        interrupted |= Thread.interrupted();
        if (!caller.isInLine) {
          LockSupport.park(this);
        } else if (interrupted) {
          if (leave(caller)) {
            break;
          }
        } else {
          long left = patience - (System.nanoTime() - since);
          List<Caller> batch = takeInTurn(caller, left);
          if (!batch.isEmpty()) {
            return batch;
          }
          LockSupport.parkNanos(this, caller.pause);
        }
      }
      return List.of();
    } catch (Throwable failure) {
      boolean unused = leave(caller);
      throw failure;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Leaves the line. Returns false if another caller has taken the job. */
  private boolean leave(Caller caller) {
    lock.lock();
    try {
      boolean left = line.remove(caller);
      if (left) {
        jobs--;
      }
      caller.isInLine = false;
      if (next == caller) {
        next = null;
      }
      tellNext();
      return left;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes a batch, or returns none and sets the caller's pause if it may not write yet.
   *
   * @param patience for how many more nanoseconds the caller waits to be chosen
   */
  private List<Caller> takeInTurn(Caller caller, long patience) {
    lock.lock();
    try {
      if (!caller.isInLine) {
        return List.of();
      }
      if (next != caller && patience > 0) {
        boolean leads = next == null && mayWrite() && line.peekFirst() == caller;
        long others = leads && isIncomplete() ? endedAt + gather - System.nanoTime() : 0;
        if (!leads || others > 0) {
          caller.pause = leads ? Math.min(others, patience) : patience;
          return List.of();
        }
      }
      return take(caller);
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether other callers of a crowd will probably enqueue again soon. */
  private boolean othersComeBack() {
    crowded = crowded && endedAt + gather - System.nanoTime() > 0;
    return crowded;
  }

  private boolean isIncomplete() {
    return crowded && line.size() < crowd;
  }

  /**
   * Takes the caller and others out of the line, up to the limits. The caller is the first of its
   * batch.
   */
  private List<Caller> take(Caller caller) {
    List<Caller> batch = new ArrayList<>(Math.min(line.size(), MOST_JOBS));
    crowded = jobs >= CROWD;
    crowd = Math.min(jobs, MOST_JOBS);
    writes++;
    line.remove(caller);
    caller.joins(batch);
    long size = caller.size();
    Iterator<Caller> others = line.iterator();
    while (others.hasNext() && batch.size() < MOST_JOBS) {
      Caller other = others.next();
      size += other.size();
      if (size > LARGEST_PAYLOAD) {
        break;
      }
      others.remove();
      other.joins(batch);
    }
    if (next != null && !next.isInLine) {
      next = null;
    }
    tellNext();
    return batch;
  }

  /** Writes a batch and passes its outcome to the others. */
  private EnqueueResult lead(Caller caller, List<Caller> batch) {
    if (batch.size() == 1) {
      try {
        return alone.apply(caller.job);
      } finally {
        end(1);
      }
    }
    Outcome outcome = Outcome.UNKNOWN;
    try {
      outcome = new Outcome(together.apply(batch.stream().map(each -> each.job).toList()), null);
    } catch (StoreException failure) {
      if (!isRepeatable(failure)) {
        outcome = new Outcome(null, failure);
        throw failure;
      }
      outcome = Outcome.REPEATED;
    } catch (IllegalStateException nothingSent) {
      outcome = Outcome.REPEATED; // the leader's connection was unusable
      throw nothingSent;
    } finally {
      end(batch.size());
      for (Caller other : batch.subList(1, batch.size())) {
        other.tell(outcome);
      }
    }
    return resultOf(caller, outcome);
  }

  /**
   * Returns whether each caller should write its own job after this failure. Returns false if the
   * jobs may be committed. Also returns false if no connection was available, unless an interrupt
   * of the writer ended the wait for it.
   */
  private static boolean isRepeatable(StoreException failure) {
    boolean unreachable = failure.sqlState().map(state -> state.startsWith("08")).orElse(true);
    return !failure.isOutcomeUnknown() && (!unreachable || Thread.currentThread().isInterrupted());
  }

  /** Ends a write of {@code count} jobs. */
  private void end(int count) {
    lock.lock();
    try {
      writes--;
      jobs -= count;
      endedAt = crowded ? System.nanoTime() : endedAt;
      tellNext();
    } finally {
      lock.unlock();
    }
  }

  private boolean mayWrite() {
    return writes < (crowded ? 1 : mostWrites);
  }

  /** Wakes the first in line, to write or to wait for a crowd. */
  private void tellNext() {
    if (next == null && mayWrite()) {
      Caller first = line.peekFirst();
      next = isIncomplete() ? null : first;
      if (first != null) {
        LockSupport.unpark(first.thread);
      }
    }
  }

  private EnqueueResult resultOf(Caller caller, Outcome outcome) {
    if (outcome.results != null) {
      return outcome.results.get(caller.place);
    }
    if (outcome.failure != null) {
      throw copyOf(outcome.failure);
    }
    return alone.apply(caller.job);
  }

  /** Returns a copy of the failure with the stack trace of the caller's thread. */
  private static StoreException copyOf(StoreException failure) {
    String message = Optional.ofNullable(failure.getMessage()).orElse("");
    return failure.getCause() instanceof SQLException cause
        ? new StoreException(message, cause, failure.isOutcomeUnknown())
        : new StoreException(
            message, new SQLException(message, failure), failure.isOutcomeUnknown());
  }

  private static boolean isVirtual(Thread thread) {
    if (IS_VIRTUAL == null) {
      return false;
    }
    try {
      return (boolean) IS_VIRTUAL.invokeExact(thread);
    } catch (Throwable impossible) {
      throw new IllegalStateException("Thread.isVirtual failed", impossible);
    }
  }

  private static @Nullable MethodHandle isVirtual() {
    try {
      return MethodHandles.publicLookup()
          .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
    } catch (NoSuchMethodException | IllegalAccessException beforeJava21) {
      return null;
    }
  }

  /** A call of {@link #write}. {@code place} and {@code isInLine} change only under the lock. */
  private static final class Caller {

    private final NewJob job;
    private final Thread thread = Thread.currentThread();
    private int place;
    private long pause; // in nanoseconds; only the caller uses it
    private volatile boolean isInLine;
    private volatile @Nullable Outcome outcome;

    Caller(NewJob job) {
      this.job = job;
    }

    int size() {
      return job.payload().length();
    }

    void joins(List<Caller> batch) {
      place = batch.size();
      isInLine = false;
      batch.add(this);
    }

    void tell(Outcome outcome) {
      this.outcome = outcome;
      LockSupport.unpark(thread);
    }
  }

  /**
   * The end of a shared write.
   *
   * @param results the results in the order of the batch, or null if it failed
   * @param failure the failure of every caller. If {@code results} is null too, each caller writes
   *     its own job again
   */
  private record Outcome(@Nullable List<EnqueueResult> results, @Nullable StoreException failure) {

    private static final Outcome REPEATED = new Outcome(null, null);

    /** The writer's thread failed, perhaps after it had sent the jobs. */
    private static final Outcome UNKNOWN =
        new Outcome(
            null,
            new StoreException(
                "The thread that wrote this job together with its own failed; the job may or may"
                    + " not have been committed.",
                new SQLException("A shared write was abandoned"),
                true));
  }
}
