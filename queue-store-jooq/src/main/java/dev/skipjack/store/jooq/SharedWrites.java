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
 * <p>A caller that finds no write in flight writes its job at once, alone. The others line up. When
 * a write ends, the first in line writes the jobs of all who wait, in one transaction. No caller
 * waits for others to arrive, and none returns before its job is committed.
 *
 * <p>Invariant: while anybody is in line, there is a writer, which is a caller that writes or has
 * been told to. A caller leaves the line only under the lock, and only once: as a writer, in the
 * batch of a writer, or to write alone. So each job is in at most one shared write, and every batch
 * gets an outcome, also if its writer dies.
 *
 * <p>After a shared write that certainly had no effect, each caller writes its own job again in its
 * own thread, so one rejected job fails alone and with its own error. After one whose outcome is
 * unknown nobody does, because the jobs may be committed.
 */
final class SharedWrites {

  /** The maximum number of jobs in one write, which bounds how long its callers wait for it. */
  static final int MOST_JOBS = 100;

  /** The maximum number of payload characters in one write. A larger job is written alone. */
  static final int LARGEST_PAYLOAD = 1024 * 1024;

  /**
   * The time after which a caller no longer waits for the write before its own: it may hang on a
   * broken connection.
   */
  private static final Duration PATIENCE = Duration.ofMillis(100);

  /** {@code Thread.isVirtual}, or null before Java 21. */
  private static final @Nullable MethodHandle IS_VIRTUAL = isVirtual();

  private final Function<List<NewJob>, List<EnqueueResult>> together;
  private final Function<NewJob, EnqueueResult> alone;
  private final long patience;

  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Caller> line = new ArrayDeque<>();
  private @Nullable Caller writer;

  /**
   * @param together writes all jobs and commits, or none of them
   * @param alone writes one job and commits
   */
  SharedWrites(
      Function<List<NewJob>, List<EnqueueResult>> together,
      Function<NewJob, EnqueueResult> alone,
      Duration patience) {
    this.together = together;
    this.alone = alone;
    this.patience = patience.toNanos();
  }

  /** Creates shared writes that use these transactions. */
  static SharedWrites of(OwnTransactions transactions, EnqueueWriter writer) {
    return new SharedWrites(
        jobs -> writer.writeTogether(transactions, jobs),
        job -> writer.writeAlone(transactions, job).get(0),
        PATIENCE);
  }

  /**
   * Returns whether a connection from {@code dataSource} is known to be the same whichever thread
   * borrows it. That is so for a HikariCP pool itself. Anything else may choose the database, the
   * role or the transaction by the calling thread.
   */
  static boolean suits(DataSource dataSource) {
    return dataSource.getClass().getName().equals("com.zaxxer.hikari.HikariDataSource");
  }

  /**
   * Returns whether the current thread may share the write of this job. A job with a key may wait
   * for another transaction, and everyone would wait with it. A virtual thread that is interrupted
   * while it writes loses its connection, and with it the jobs of the others.
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
   * <p>A caller that is interrupted while it is in line leaves the line and writes alone. Later,
   * the interrupt is only remembered, as during the write of a single job.
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

  /** Returns the batch of the caller, if nobody writes; otherwise lines up and returns no batch. */
  private List<Caller> startOrLineUp(Caller caller) {
    lock.lock();
    try {
      if (writer == null) {
        writer = caller;
        return List.of(caller);
      }
      line.add(caller);
      caller.isInLine = true;
      return List.of();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until the caller is the writer, and returns its batch; or until its job has an outcome or
   * the caller has left the line, and returns no batch.
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
          List<Caller> batch = takeInTurn(caller, left <= 0);
          if (!batch.isEmpty()) {
            return batch;
          }
          LockSupport.parkNanos(this, left);
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
      caller.isInLine = false;
      end(caller);
      return left;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Takes the writer and others out of the line, up to the limits. The writer is the first of its
   * batch. Returns no batch if the caller is not the writer.
   *
   * @param overdue whether the caller becomes the writer even if another one has not ended
   */
  private List<Caller> takeInTurn(Caller caller, boolean overdue) {
    lock.lock();
    try {
      if (!caller.isInLine || (writer != caller && !overdue)) {
        return List.of();
      }
      List<Caller> batch = new ArrayList<>(Math.min(line.size(), MOST_JOBS));
      writer = caller;
      line.remove(caller);
      caller.joins(batch);
      long size = caller.size();
      Iterator<Caller> others = line.iterator();
      while (others.hasNext() && batch.size() < MOST_JOBS) {
        Caller next = others.next();
        size += next.size();
        if (size > LARGEST_PAYLOAD) {
          break;
        }
        others.remove();
        next.joins(batch);
      }
      return batch;
    } finally {
      lock.unlock();
    }
  }

  /** Writes a batch and tells the others its outcome. */
  private EnqueueResult lead(Caller caller, List<Caller> batch) {
    if (batch.size() == 1) {
      try {
        return alone.apply(caller.job);
      } finally {
        end(caller);
      }
    }
    Outcome outcome = Outcome.UNKNOWN;
    try {
      List<NewJob> jobs = batch.stream().map(each -> each.job).toList();
      outcome = new Outcome(together.apply(jobs), null);
    } catch (StoreException failure) {
      if (!isRepeatable(failure)) {
        outcome = new Outcome(null, failure);
        throw failure;
      }
      outcome = Outcome.REPEATED;
    } finally {
      end(caller);
      for (Caller other : batch.subList(1, batch.size())) {
        other.tell(outcome);
      }
    }
    return resultOf(caller, outcome);
  }

  /**
   * Returns whether each caller should write its own job after this failure. Not if the jobs may be
   * committed; nor if no connection was available, because each caller would wait for one as long
   * again. But an interrupt ends only the wait of its own thread.
   */
  private static boolean isRepeatable(StoreException failure) {
    boolean unreachable = failure.sqlState().map(state -> state.startsWith("08")).orElse(true);
    return !failure.isOutcomeUnknown() && (!unreachable || Thread.currentThread().isInterrupted());
  }

  /** Makes the first in line the writer, unless another caller has become the writer already. */
  private void end(Caller caller) {
    lock.lock();
    try {
      if (writer == caller) {
        writer = line.peekFirst();
        if (writer != null) {
          LockSupport.unpark(writer.thread);
        }
      }
    } finally {
      lock.unlock();
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

  /** Returns an exception of the caller's own thread. */
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

  /** A call of {@link #write}. Its place and whether it is in line change under the lock. */
  private static final class Caller {

    private final NewJob job;
    private final Thread thread = Thread.currentThread();
    private int place;
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
   * @param failure the failure of every caller; if it is null too, each one writes again, alone
   */
  private record Outcome(@Nullable List<EnqueueResult> results, @Nullable StoreException failure) {

    private static final Outcome REPEATED = new Outcome(null, null);

    /** The writer died, perhaps after it had sent the jobs. */
    private static final Outcome UNKNOWN =
        new Outcome(
            null,
            new StoreException(
                "The thread that wrote this job together with its own failed; the job may or may not have been committed.",
                new SQLException("A shared write was abandoned"),
                true));
  }
}
