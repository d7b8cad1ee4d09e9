package dev.skipjack.steps;

import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.Suspension;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Session;
import dev.skipjack.worker.AttemptExtension;
import dev.skipjack.worker.JobContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The memos of one job in one attempt: reads them once, records new ones, and suspends the attempt.
 * Safe for any number of threads.
 */
final class StepLog {

  /** The maximum size of all memos of a job, in characters of JSON. */
  private static final long MOST_CHARACTERS = 16L * 1024 * 1024;

  private final AttemptExtension attempt;
  private final StepStatements statements;

  /** What is recorded, by name: all that earlier attempts recorded, once it is read. */
  private final Map<String, Memo> memos = new HashMap<>();

  /** The names that this attempt has used. */
  private final Set<String> used = new HashSet<>();

  /** Whether earlier attempts may have recorded something that is not in {@code memos}. */
  private boolean unread;

  private int latest;
  private long characters;
  private Instant readAt = Instant.EPOCH;
  private long readAtNanos;
  private @Nullable Error suspended;

  /** The number of steps that run now, in any thread. */
  private final AtomicInteger running = new AtomicInteger();

  /** A first attempt has nothing to read. All earlier attempts are counted or uncounted. */
  StepLog(JobContext job, AttemptExtension attempt) {
    this.attempt = attempt;
    this.statements = StepStatements.of(attempt.queueAccess());
    this.unread = job.attempt() > 1 || job.uncountedAttempts() > 0;
  }

  StepStatements statements() {
    return statements;
  }

  Execution execution() {
    return attempt.execution();
  }

  /** Returns the address at which the job itself gets signals. */
  String address() {
    return "job/" + execution().jobId();
  }

  /**
   * Begins to use a name in this attempt.
   *
   * @return what is recorded under the name; null if nothing is
   * @throws IllegalStateException if the name was used before in this attempt, is recorded as
   *     something else, or the job has too many memos for another one
   */
  synchronized @Nullable Memo begin(String name, Memo.Type type) {
    requireNotSuspended();
    StepNames.require("Step name", name);
    readOnce();
    if (!used.add(name)) {
      throw usedTwice(name);
    }
    Memo memo = memos.get(name);
    if (memo == null) {
      requireRoom(name);
    } else {
      requireType(name, memo, type);
    }
    return memo;
  }

  /**
   * Begins to use a name in a caller's transaction. The name may be used again if the memo is not
   * recorded, because the first transaction was rolled back then.
   */
  synchronized @Nullable Memo beginIn(Connection transaction, String name) {
    if (used.contains(name)) {
      readIn(transaction, name);
      if (isOwn(memos.get(name))) {
        throw usedTwice(name);
      }
      used.remove(name);
    }
    return begin(name, Memo.Type.RUN);
  }

  /** Reads the memos again in a caller's transaction, which sees its own rows. */
  private void readIn(Connection transaction, String name) {
    memos.remove(name);
    try {
      Session.requireTransaction(transaction);
      add(statements.readMemos().run(transaction, execution().jobId().value()));
    } catch (SQLException failure) {
      throw OwnTransactions.refused(failure);
    }
  }

  private boolean isOwn(@Nullable Memo memo) {
    return memo != null && memo.execution() == execution().id().value();
  }

  private IllegalStateException usedTwice(String name) {
    return new IllegalStateException(
        "Step '%s' of job %s was already used in this attempt. Give each step its own name; for the steps of a loop, use map."
            .formatted(name, execution().jobId()));
  }

  private void requireNotSuspended() {
    if (suspended != null) {
      throw suspended; // the handler caught it
    }
  }

  private void requireRoom(String name) {
    long recorded = memos.values().stream().filter(memo -> memo.endsAt() == null).count();
    if (recorded >= Steps.MOST_MEMOS) {
      throw new IllegalStateException(
          "Job %s has %d memos, so step '%s' cannot be recorded. Use jobs of their own for further steps: enqueueAll and join, or a batch."
              .formatted(execution().jobId(), recorded, name));
    }
  }

  private void requireType(String name, Memo memo, Memo.Type type) {
    boolean runsAgain = memo.type() == Memo.Type.UNDONE && type == Memo.Type.RUN;
    if (memo.type() != type && !runsAgain) {
      throw new IllegalStateException(
          "Step '%s' of job %s is recorded as '%s', but the code uses the name for '%s'. Use another name for the new step."
              .formatted(name, execution().jobId(), memo.type().literal(), type.literal()));
    }
  }

  private void readOnce() {
    if (unread) {
      read();
      unread = false;
    }
  }

  private void read() {
    add(
        statements
            .transactions()
            .runInOneRoundTrip(statements.readMemos(), execution().jobId().value()));
  }

  private void add(List<ReadMemosStatement.Found> found) {
    for (ReadMemosStatement.Found each : found) {
      Memo memo = each.memo();
      Memo known = memo.endsAt() == null ? memos.put(each.name(), memo) : null;
      if (memo.endsAt() != null) {
        memos.putIfAbsent(each.name(), memo);
      }
      characters += memo.size() - (known == null ? 0 : known.size());
      latest = Math.max(latest, memo.position());
      readAt = each.readAt();
      readAtNanos = System.nanoTime();
    }
    if (!found.isEmpty()) {
      markSteps();
    }
  }

  /**
   * Returns whether earlier attempts recorded something that this attempt has not used yet.
   *
   * @param version a name that does not count
   */
  synchronized boolean isBehind(String version) {
    readOnce();
    return memos.entrySet().stream()
        .anyMatch(
            each ->
                each.getValue().type() != Memo.Type.UNDONE
                    && !used.contains(each.getKey())
                    && !each.getKey().equals(version));
  }

  /**
   * Returns the time until {@code instant} by the database's clock, as estimated from the time at
   * which the memos were read.
   */
  synchronized Duration until(Instant instant) {
    return Duration.between(readAt, instant)
        .minus(Duration.ofNanos(System.nanoTime() - readAtNanos));
  }

  /**
   * Runs a step, during which the job cannot be suspended. If it fails, the handler may run it
   * again under the same name.
   */
  <T> T running(String name, Steps.Step<T> step, String key) throws Exception {
    running.incrementAndGet();
    boolean done = false;
    try {
      T result = step.run(key);
      done = true;
      return result;
    } finally {
      running.decrementAndGet();
      if (!done) {
        forget(name);
      }
    }
  }

  private synchronized void forget(String name) {
    used.remove(name);
  }

  /**
   * Records a memo in its own transaction.
   *
   * @param result the result as JSON; null for none
   * @param undo the job that undoes the step; null for none
   * @return null, or the memo of an earlier execution that was recorded after this attempt had read
   *     the memos. That one counts
   * @throws LeaseLostException if this attempt no longer holds the job
   */
  @Nullable Memo record(
      String name, Memo.Type type, @Nullable String result, @Nullable NewJob undo) {
    MemoStatement.Request request = request(name, type, result, null, undo);
    boolean recorded =
        !statements.transactions().runInOneRoundTrip(statements.memo(), request).isEmpty();
    return recorded ? null : earlier(name);
  }

  /**
   * Records a memo in the caller's transaction, as {@link #record} does.
   *
   * @throws IllegalStateException if an earlier execution recorded it after this attempt had read
   *     the memos, so that the transaction must be rolled back
   */
  void recordIn(Connection transaction, String name, @Nullable String result) {
    MemoStatement.Request request = request(name, Memo.Type.RUN, result, null, null);
    try {
      Session.requireTransaction(transaction);
      if (statements.memo().run(transaction, request).isEmpty()) {
        throw notRecordedIn(transaction, name);
      }
    } catch (SQLException failure) {
      throw OwnTransactions.refused(failure);
    }
  }

  /** Returns why a memo was not recorded in a caller's transaction. */
  private synchronized RuntimeException notRecordedIn(Connection transaction, String name) {
    readIn(transaction, name);
    return isEarlier(memos.get(name))
        ? new IllegalStateException(
            "Step '%s' of job %s was recorded by another attempt while this one ran it. Roll back: the next attempt uses the recorded result."
                .formatted(name, execution().jobId()))
        : lost();
  }

  /**
   * Records a memo in the transaction in which {@code work} writes, or rolls it back.
   *
   * @param work returns the result of the memo as JSON
   * @return the memo, which an earlier execution may have recorded
   * @throws LeaseLostException if this attempt no longer holds the job
   */
  Memo recordWith(String name, Memo.Type type, OwnTransactions.ConnectionWork<String> work) {
    try {
      return statements
          .transactions()
          .onConnection(
              connection -> {
                String result = work.run(connection);
                MemoStatement.Request request = request(name, type, result, null, null);
                if (statements.memo().run(connection, request).isEmpty()) {
                  throw new NotRecorded();
                }
                return new Memo(type, request.position(), result, null, execution().id().value());
              });
    } catch (NotRecorded rolledBack) {
      return earlier(name);
    }
  }

  /** Rolls back a transaction whose memo was not recorded. */
  private static final class NotRecorded extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** Returns whether the jobs of a join have ended. */
  JoinStatement.Look look(Children children) {
    return statements.joins().look(execution(), children).orElseThrow(this::lost);
  }

  /**
   * Records a sleep.
   *
   * @return when it ends
   */
  Instant recordSleep(String name, Duration duration) {
    MemoStatement.Request request =
        request(name, Memo.Type.SLEEP, null, DatabaseClock.micros(duration), null);
    List<MemoStatement.Recorded> recorded =
        statements.transactions().runInOneRoundTrip(statements.sleep(), request);
    return SleepEnd.parse(recorded.isEmpty() ? earlier(name).result() : recorded.get(0).result());
  }

  private synchronized MemoStatement.Request request(
      String name,
      Memo.Type type,
      @Nullable String result,
      @Nullable Long micros,
      @Nullable NewJob undo) {
    requireNotSuspended();
    long size = result == null ? 0 : result.length();
    if (characters + size > MOST_CHARACTERS) {
      throw new PayloadException(
          "The memos of job %s have more than %d characters with the one of step '%s' (%d). Store large results elsewhere, and return their ids."
              .formatted(execution().jobId(), MOST_CHARACTERS, name, size),
          null);
    }
    // Before the statement, because its outcome may remain unknown.
    markSteps();
    characters += size;
    next();
    memos.put(name, new Memo(type, latest, null, null, execution().id().value()));
    return new MemoStatement.Request(execution(), latest, type, name, result, micros, undo);
  }

  /** Returns the position of the next memo. A stored position may be any number. */
  private int next() {
    latest = Math.min(latest, Integer.MAX_VALUE - 1) + 1;
    return latest;
  }

  /**
   * Returns the memo that an earlier execution recorded after this attempt had read the memos.
   *
   * @throws LeaseLostException if there is none, so that the memo was not recorded because this
   *     attempt has lost the job
   */
  private synchronized Memo earlier(String name) {
    memos.remove(name);
    read();
    Memo memo = memos.get(name);
    if (memo == null || !isEarlier(memo)) {
      throw lost();
    }
    return memo;
  }

  private boolean isEarlier(@Nullable Memo memo) {
    return memo != null && memo.isDone() && memo.execution() <= execution().id().value();
  }

  private void markSteps() {
    attempt.markSteps();
    statements.use().note();
  }

  private LeaseLostException lost() {
    attempt.lose();
    return new LeaseLostException(execution().jobId(), execution().id(), null);
  }

  /** Opens a wait, or keeps the open one. */
  void openWait(String address, String name, Duration atMost) {
    markSteps();
    List<Long> opened =
        statements
            .transactions()
            .runInOneRoundTrip(
                statements.openWait(),
                new WaitStatement.Request(
                    execution(), address, name, DatabaseClock.micros(atMost)));
    if (opened.isEmpty()) {
      throw lost();
    }
  }

  /** Looks for a signal, and takes it if there is one. */
  TakeStatement.Look take(String address, String name) {
    int position;
    synchronized (this) {
      position = next();
    }
    List<TakeStatement.Look> looks =
        statements
            .transactions()
            .runInOneRoundTrip(
                statements.take(), new TakeStatement.Request(execution(), address, name, position));
    if (looks.isEmpty()) {
      throw lost();
    }
    TakeStatement.Look look = looks.get(0);
    if (look.isDone()) {
      taken(name, position, look.payload());
    }
    return look;
  }

  private synchronized void taken(String name, int position, @Nullable String payload) {
    memos.put(name, new Memo(Memo.Type.AWAIT, position, null, null, execution().id().value()));
    characters += payload == null ? 0 : payload.length();
  }

  /** Returns the memo of a wait that another execution recorded during a {@link #take}. */
  Memo takenEarlier(String name) {
    return earlier(name);
  }

  /**
   * Checks whether the job can be suspended now.
   *
   * @throws IllegalStateException if the handler is transactional or a step is running
   */
  void requireSuspendable() {
    attempt.requireSuspendable();
    if (running.get() > 0) {
      throw new IllegalStateException(
          "Job %s cannot be suspended while one of its steps runs. Call sleep, await and join outside of run, runIn and map."
              .formatted(execution().jobId()));
    }
  }

  /** Suspends the job, and returns the error to throw. */
  synchronized Error suspend(Suspension suspension) {
    requireNotSuspended();
    suspended = attempt.suspend(suspension);
    return suspended;
  }

  /** Blocks the thread. */
  void block(String name, Duration duration) {
    try {
      TimeUnit.NANOSECONDS.sleep(duration.toNanos());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Sleep '%s' was interrupted.".formatted(name), interrupted);
    }
  }
}
