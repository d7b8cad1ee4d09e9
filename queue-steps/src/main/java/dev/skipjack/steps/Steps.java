package dev.skipjack.steps;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.QueueAccess;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.Suspension;
import dev.skipjack.worker.AttemptExtension;
import dev.skipjack.worker.JobContext;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The durable steps of a job. What a step returned is recorded as its memo, and a later attempt of
 * the job gets the memo instead of running the step again.
 *
 * <p>A step is found again by its name, which must therefore be the same in every version of the
 * code and may be used once per attempt. Code between steps runs in every attempt. Steps may be
 * reordered, added and removed between two attempts; use {@link #version} where old runs must keep
 * their old behaviour.
 *
 * <p>What is promised: the function of a step runs at least once, and its memo is recorded once.
 * With {@link #runIn}, it runs exactly once as far as the rows of its transaction are concerned. A
 * result that one attempt has seen is seen by all later ones. An attempt that has lost its lease
 * records nothing.
 *
 * <p>{@link #sleep}, {@link #await} and {@link #join} suspend the job: they throw an {@link Error}
 * that the worker expects, and the attempt is not counted. Do not catch it, and let it pass through
 * {@code finally} blocks quickly. The job continues in a new attempt, possibly in another process.
 *
 * <p>A job has at most 1,000 memos. A memo has at most 256 KiB as JSON, and all memos of a job have
 * at most 16 MiB. Use jobs of their own for more.
 *
 * <p>Safe for any number of threads, but a job cannot be suspended while one of its steps runs.
 */
public final class Steps {

  /** The maximum number of memos of a job. */
  public static final int MOST_MEMOS = 1_000;

  /** The maximum size of a memo as JSON, in bytes of UTF-8. */
  private static final int LARGEST_MEMO = 256 * 1024;

  /** The maximum number of jobs of a join. */
  private static final int MOST_CHILDREN = 10_000;

  /** The result of a job without one. */
  private static final String NO_RESULT = "null";

  /** How long a join sleeps at most. The end of its last job resumes it earlier. */
  private static final Duration LONGEST_JOIN = Duration.ofDays(1);

  private static final Duration LONGEST_WAIT = Duration.ofDays(36_500);

  /** A shorter wait blocks the thread, because that is cheaper than another attempt. */
  private static final Duration SHORTEST_SUSPENSION = Duration.ofSeconds(1);

  private final StepLog log;
  private final QueueAccess queue;
  private final String kind;

  private Steps(JobContext job, AttemptExtension attempt) {
    this.log = new StepLog(job, attempt);
    this.queue = attempt.queueAccess();
    this.kind = job.kind();
  }

  /**
   * {@return the steps of the job that {@code job} describes} All calls for an attempt return the
   * same object. Nothing is sent to the database.
   *
   * @param job the context of a handler, run by a worker of a {@code JobQueue}
   * @throws IllegalStateException if the queue of the worker is not a {@code JobQueue}
   * @throws UnsupportedOperationException if {@code job} does not come from a worker
   */
  public static Steps of(JobContext job) {
    AttemptExtension attempt = job.extension();
    return attempt.part(Steps.class, () -> new Steps(job, attempt));
  }

  /**
   * Runs a step, unless its memo is recorded.
   *
   * @param <T> the type of the result
   * @param name the name of the step, 1 to 512 bytes in UTF-8, unique among the steps of the job
   * @param type the class of the result, as for a payload
   * @param step the step. If it throws an exception, nothing is recorded, the exception is
   *     propagated, and the retries of the job repeat the step
   * @return the result of the step, or the recorded one
   * @throws IllegalStateException if the name was used before in this attempt, unless the step
   *     failed; if the step returned null; or if the job has too many memos
   * @throws PayloadException if the result cannot be encoded, or the recorded one cannot be decoded
   * @throws LeaseLostException if this attempt no longer holds the job; let the exception propagate
   * @throws StoreException if the database rejected the memo or could not be reached
   * @throws Exception the exception of the step
   */
  public <T> T run(String name, Class<T> type, Step<T> step) throws Exception {
    return run(name, type, step, StepOptions.none());
  }

  /**
   * Runs a step as {@link #run(String, Class, Step)} does, with options.
   *
   * @param <T> the type of the result
   * @param name the name of the step
   * @param type the class of the result
   * @param step the step
   * @param options how the step is retried and undone
   * @return the result of the step, or the recorded one
   * @throws Exception as for {@link #run(String, Class, Step)}
   */
  public <T> T run(String name, Class<T> type, Step<T> step, StepOptions<T> options)
      throws Exception {
    Memo memo = log.begin(name, Memo.Type.RUN);
    if (memo != null && memo.isDone()) {
      return decode(name, memo.result(), type);
    }
    T result = log.running(name, key -> options.call(step, key), keyOf(name, memo));
    Memo earlier =
        log.record(
            name,
            Memo.Type.RUN,
            encode(name, result),
            options.undoOf(log.statements().jobFactory(), result));
    return earlier == null ? result : decode(name, earlier.result(), type);
  }

  /**
   * Runs a step without a result, unless its memo is recorded.
   *
   * @param name the name of the step
   * @param step the step
   * @throws Exception as for {@link #run(String, Class, Step)}
   */
  public void run(String name, Action step) throws Exception {
    Memo memo = log.begin(name, Memo.Type.RUN);
    if (memo == null || !memo.isDone()) {
      log.running(name, withoutResult(step), keyOf(name, memo));
      Memo unused = log.record(name, Memo.Type.RUN, null, null);
    }
  }

  /**
   * Runs a step in the caller's transaction, unless its memo is recorded. The rows that the step
   * writes and the memo commit together, so the step takes effect exactly once in this database. If
   * the transaction is rolled back, the step has not run. This attempt may then run it again in
   * another transaction, or let the exception that caused the rollback propagate.
   *
   * @param <T> the type of the result
   * @param transaction a connection with an open transaction to the queue's database, which this
   *     method neither commits nor rolls back
   * @param name the name of the step
   * @param type the class of the result
   * @param step the step, which uses the transaction
   * @return the result of the step, or the recorded one
   * @throws IllegalArgumentException if the connection is in auto-commit mode
   * @throws IllegalStateException also if another attempt recorded the step in the meantime; let
   *     the exception propagate, so that the transaction is rolled back
   * @throws Exception as for {@link #run(String, Class, Step)}
   */
  public <T> T runIn(Connection transaction, String name, Class<T> type, Step<T> step)
      throws Exception {
    Memo memo = log.beginIn(transaction, name);
    if (memo != null && memo.isDone()) {
      return decode(name, memo.result(), type);
    }
    T result = log.running(name, step, keyOf(name, memo));
    log.recordIn(transaction, name, encode(name, result));
    return result;
  }

  /**
   * Runs a step without a result in the caller's transaction, as {@link #runIn(Connection, String,
   * Class, Step)} does.
   *
   * @param transaction a connection with an open transaction
   * @param name the name of the step
   * @param step the step, which uses the transaction
   * @throws Exception as for {@link #runIn(Connection, String, Class, Step)}
   */
  public void runIn(Connection transaction, String name, Action step) throws Exception {
    Memo memo = log.beginIn(transaction, name);
    if (memo == null || !memo.isDone()) {
      log.running(name, withoutResult(step), keyOf(name, memo));
      log.recordIn(transaction, name, null);
    }
  }

  /**
   * Runs one step for each item, in the order of the items. The step of an item is named {@code
   * name/<key>}, so items may be added, removed and reordered between two attempts.
   *
   * @param <I> the type of the items
   * @param <T> the type of the results
   * @param name the first part of the names of the steps
   * @param items the items
   * @param key returns the key of an item, whose text must be unique among the items
   * @param type the class of the results
   * @param step the step of an item
   * @return the results in the order of the items
   * @throws Exception as for {@link #run(String, Class, Step)}
   */
  public <I, T> List<T> map(
      String name,
      Collection<I> items,
      Function<? super I, ?> key,
      Class<T> type,
      ItemStep<? super I, T> step)
      throws Exception {
    List<T> results = new ArrayList<>(items.size());
    for (I item : items) {
      results.add(run(name + "/" + key.apply(item), type, stepKey -> step.run(item, stepKey)));
    }
    return results;
  }

  /**
   * Enqueues one job for each payload, once, for a later {@link #join}.
   *
   * @param <P> the type of the payloads
   * @param name the name of the step
   * @param type the type of the jobs
   * @param payloads the payloads, at most 10,000
   * @return the jobs
   * @throws IllegalArgumentException if there are more payloads; use {@link Batches} then
   * @throws PayloadException if a payload is rejected
   */
  public <P> Children enqueueAll(String name, JobType<P> type, List<P> payloads) {
    return enqueueAll(name, type, payloads, UnaryOperator.identity());
  }

  /**
   * Enqueues jobs as {@link #enqueueAll(String, JobType, List)} does, with options.
   *
   * @param <P> the type of the payloads
   * @param name the name of the step
   * @param type the type of the jobs
   * @param payloads the payloads
   * @param options sets what differs from the defaults of the type
   * @return the jobs
   * @throws IllegalArgumentException also if the options contain an idempotency key
   */
  public <P> Children enqueueAll(
      String name, JobType<P> type, List<P> payloads, UnaryOperator<EnqueueOptions> options) {
    if (payloads.size() > MOST_CHILDREN) {
      throw new IllegalArgumentException(
          "Step '%s' enqueues %d jobs; at most %d are allowed. Use a batch for more."
              .formatted(name, payloads.size(), MOST_CHILDREN));
    }
    Memo memo = log.begin(name, Memo.Type.CHILDREN);
    if (memo == null || !memo.isDone()) {
      List<NewJob> jobs =
          payloads.stream()
              .map(payload -> log.statements().jobFactory().create(type, payload, options))
              .toList();
      memo =
          log.recordWith(name, Memo.Type.CHILDREN, transaction -> insert(transaction, name, jobs));
    }
    return children(name, memo.result());
  }

  /** Inserts jobs with their batch, and returns the ids of the batch and of the jobs. */
  private String insert(Connection transaction, String name, List<NewJob> jobs)
      throws SQLException {
    BatchId batch =
        log.statements().joins().open(transaction, name, log.execution().jobId(), jobs.size());
    List<String> ids = new ArrayList<>();
    ids.add(batch.toString());
    queue
        .store()
        .enqueue(transaction, jobs.stream().map(job -> job.ownedBy(batch.value())).toList())
        .forEach(result -> ids.add(Long.toString(result.jobId().value())));
    return JsonElements.join(ids);
  }

  private Children children(String name, @Nullable String memo) {
    try {
      List<Long> ids =
          JsonElements.split(String.valueOf(memo)).stream().map(Long::parseLong).toList();
      return new Children(
          name, new BatchId(ids.get(0)), ids.stream().skip(1).map(JobId::new).toList());
    } catch (RuntimeException unreadable) {
      throw new PayloadException(
          "The jobs that step '%s' of job %s recorded cannot be read: %s"
              .formatted(name, log.execution().jobId(), unreadable.getMessage()),
          unreadable);
    }
  }

  /**
   * Waits until jobs have ended, and returns their results. Suspends the job meanwhile.
   *
   * <p>If a job is dead or was cancelled, the exception fails the attempt, unless the handler
   * catches it. Later attempts join again, so redrive the dead job before the retries are used up,
   * or redrive both. If the results together fit into a memo, they are recorded. Otherwise they are
   * read again by later attempts, as long as the archive keeps the jobs.
   *
   * @param <R> the type of the results
   * @param children the jobs
   * @param type the class of the results
   * @return the results in the order of the payloads
   * @throws JoinFailedException if a job is dead, was cancelled or was removed
   * @throws IllegalStateException if the job cannot be suspended here, or the jobs were joined
   *     before in this attempt
   * @throws PayloadException if a job completed without a result, or the results have more than 16
   *     MiB
   */
  public <R> List<R> join(Children children, Class<R> type) {
    return results(children).stream()
        .map(result -> decode(children.name(), result.equals(NO_RESULT) ? null : result, type))
        .toList();
  }

  /**
   * Waits until jobs have ended, as {@link #join(Children, Class)} does, and ignores their results.
   *
   * @param children the jobs
   * @throws JoinFailedException if a job is dead, was cancelled or was removed
   */
  public void join(Children children) {
    List<String> unused = results(children);
  }

  private List<String> results(Children children) {
    String name = children.name() + "/join";
    Memo memo = log.begin(name, Memo.Type.JOIN);
    if (memo != null && memo.isDone()) {
      return JsonElements.split(String.valueOf(memo.result()));
    }
    if (!children.jobs().isEmpty()) {
      log.requireSuspendable();
      JoinStatement.Look look = log.look(children);
      if (!look.isFinished()) {
        throw log.suspend(
            new Suspension(
                children.name(), false, look.signals(), Instant.now().plus(LONGEST_JOIN)));
      }
    }
    List<String> results = log.statements().joins().results(children);
    String recorded = JsonElements.join(results);
    if (recorded.getBytes(StandardCharsets.UTF_8).length <= LARGEST_MEMO) {
      Memo unused = log.record(name, Memo.Type.JOIN, recorded, null);
    }
    return results;
  }

  /**
   * Suspends the job for a duration, which begins when an attempt of the job first calls this
   * method. If less than a second remains, this method blocks the thread instead.
   *
   * @param name the name of the sleep, unique among the steps of the job
   * @param duration how long; at most 36,500 days
   * @throws IllegalStateException if the job cannot be suspended here, because the handler is
   *     transactional or a step is running
   */
  public void sleep(String name, Duration duration) {
    requireWait(name, duration);
    Memo memo = log.begin(name, Memo.Type.SLEEP);
    Duration left = duration;
    Instant end = Instant.EPOCH;
    if (memo != null) {
      end = SleepEnd.parse(memo.result());
      left = log.until(end);
    } else if (duration.compareTo(SHORTEST_SUSPENSION) >= 0) {
      log.requireSuspendable();
      end = log.recordSleep(name, duration);
    }
    if (left.compareTo(SHORTEST_SUSPENSION) >= 0) {
      log.requireSuspendable();
      throw log.suspend(new Suspension(name, true, null, end));
    }
    if (!left.isNegative()) {
      log.block(name, left);
    }
  }

  /**
   * Waits for a signal that is sent to this job, and suspends the job meanwhile. A signal that was
   * sent before is taken at once. A signal is taken by one job, once.
   *
   * @param <T> the type of the payload
   * @param name the name of the signal, unique among the steps of the job
   * @param type the class of the payload
   * @param atMost how long to wait, from the first attempt that calls this method; at most 36,500
   *     days
   * @return the payload of the signal, or empty if none was sent in time
   * @throws IllegalStateException if the job cannot be suspended here, because the handler is
   *     transactional or a step is running
   */
  public <T> Optional<T> await(String name, Class<T> type, Duration atMost) {
    return awaitAt(log.address(), name, type, atMost);
  }

  /**
   * Waits for a signal that is sent to a key, as {@link #await} does for one that is sent to the
   * job. If several jobs wait for the same key and name, one of them gets the signal.
   *
   * @param <T> the type of the payload
   * @param key the key, 1 to 512 bytes in UTF-8
   * @param name the name of the signal, unique among the steps of the job
   * @param type the class of the payload
   * @param atMost how long to wait
   * @return the payload of the signal, or empty if none was sent in time
   */
  public <T> Optional<T> awaitKey(String key, String name, Class<T> type, Duration atMost) {
    return awaitAt("key/" + StepNames.require("Key", key), name, type, atMost);
  }

  /**
   * {@return the version of the code that this run of the job follows} The version is recorded when
   * a run first gets here: {@code current}, or 1 if an earlier attempt of the run had already
   * recorded steps that follow this line, because it then followed code without this line.
   *
   * @param name the name of the change
   * @param current the current version, at least 2
   */
  public int version(String name, int current) {
    if (current < 2) {
      throw new IllegalArgumentException(
          "Version %d of '%s' must be at least 2, because code without this line is version 1."
              .formatted(current, name));
    }
    boolean behind = log.isBehind(name);
    Memo memo = log.begin(name, Memo.Type.VERSION);
    if (memo == null) {
      int version = behind ? 1 : current;
      memo = log.record(name, Memo.Type.VERSION, Integer.toString(version), null);
      if (memo == null) {
        return version;
      }
    }
    return number(name, memo.result());
  }

  /**
   * {@return an outcome that makes the job dead and enqueues the undos of its steps, newest first}
   * The undos are also enqueued if the job becomes dead in another way, or is cancelled.
   *
   * @param reason the reason, stored in the audit and with the job
   */
  public Outcome compensate(String reason) {
    return Outcome.dead(reason);
  }

  private static int number(String name, @Nullable String json) {
    try {
      return Integer.parseInt(String.valueOf(json));
    } catch (NumberFormatException invalid) {
      throw new IllegalStateException(
          "The recorded version of '%s' is not a number. Correct its result in job_steps."
              .formatted(name),
          invalid);
    }
  }

  private static Step<Boolean> withoutResult(Action step) {
    return key -> {
      step.run();
      return true;
    };
  }

  private <T> Optional<T> awaitAt(String address, String name, Class<T> type, Duration atMost) {
    requireWait(name, atMost);
    Memo memo = log.begin(name, Memo.Type.AWAIT);
    if (memo != null && memo.isDone()) {
      return decodeSignal(name, memo.result(), type);
    }
    log.requireSuspendable();
    TakeStatement.Look look = memo == null ? null : log.take(address, name);
    if (look == null || look.endsAt() == null) {
      log.openWait(address, name, atMost); // also if the code now uses another key
      look = log.take(address, name);
    }
    if (look.isDone()) {
      return decodeSignal(name, look.payload(), type);
    }
    Instant endsAt = look.endsAt();
    if (endsAt == null || look.payload() != null) {
      return decodeSignal(name, log.takenEarlier(name).result(), type);
    }
    throw log.suspend(new Suspension(name, false, look.signals(), endsAt));
  }

  private <T> Optional<T> decodeSignal(String name, @Nullable String json, Class<T> type) {
    return json == null ? Optional.empty() : Optional.of(decode(name, json, type));
  }

  private static void requireWait(String name, Duration wait) {
    if (wait.isNegative() || wait.compareTo(LONGEST_WAIT) > 0) {
      throw new IllegalArgumentException(
          "Wait %s of '%s' must be 0 to 36500 days.".formatted(wait, name));
    }
  }

  /** Returns the key of a step, which changes only if the step was undone. */
  private String keyOf(String name, @Nullable Memo undone) {
    String key = log.execution().jobId() + "/" + name;
    return undone == null ? key : key + "#" + undone.execution();
  }

  private String encode(String name, @Nullable Object result) {
    if (result == null) {
      throw new IllegalStateException(
          "Step '%s' returned null. Return a result, or use run(name, action) for a step without one."
              .formatted(name));
    }
    String json = queue.encodeResult(kind, result);
    if (json.length() > LARGEST_MEMO / 3
        && json.getBytes(StandardCharsets.UTF_8).length > LARGEST_MEMO) {
      throw new PayloadException(
          "The result of step '%s' has more than %d bytes as JSON. Store it elsewhere, and return its id."
              .formatted(name, LARGEST_MEMO),
          null);
    }
    return json;
  }

  private <T> T decode(String name, @Nullable String json, Class<T> type) {
    if (json == null) {
      throw new PayloadException(
          "Step '%s' of job %s was recorded without a result, but the code expects %s. Use another name for the new step."
              .formatted(name, log.execution().jobId(), type.getName()),
          null);
    }
    try {
      return queue.codec().decode(json, type);
    } catch (PayloadException unreadable) {
      throw new PayloadException(
          "What step '%s' of job %s recorded cannot be read as %s: %s"
              .formatted(name, log.execution().jobId(), type.getName(), unreadable.getMessage()),
          unreadable);
    }
  }

  /** A step with a result. */
  @FunctionalInterface
  public interface Step<T> {
    /**
     * Runs the step.
     *
     * @param key identifies the step, the same in each attempt, for instance as the idempotency key
     *     of a request to another system
     * @return the result; not null
     * @throws Exception if the step failed
     */
    T run(String key) throws Exception;
  }

  /** A step without a result. */
  @FunctionalInterface
  public interface Action {
    /**
     * Runs the step.
     *
     * @throws Exception if the step failed
     */
    void run() throws Exception;
  }

  /** The step of an item. */
  @FunctionalInterface
  public interface ItemStep<I, T> {
    /**
     * Runs the step.
     *
     * @param item the item
     * @param key identifies the step, as for {@link Step#run}
     * @return the result; not null
     * @throws Exception if the step failed
     */
    T run(I item, String key) throws Exception;
  }
}
