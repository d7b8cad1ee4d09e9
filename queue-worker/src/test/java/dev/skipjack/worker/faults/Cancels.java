package dev.skipjack.worker.faults;

import static java.util.concurrent.TimeUnit.MICROSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.worker.Handler;
import dev.skipjack.worker.JobContext;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** Handles and cancels jobs according to their plans, and records the results. */
final class Cancels implements Handler<Cancels.Plan>, AutoCloseable {

  /** The behaviour of a handler. */
  enum Deed {
    COMPLETE,
    /** Completes the job in the transaction that writes the job's effect. */
    COMPLETE_IN,
    /** Works for a moment and completes the job, even if it was cancelled. */
    IGNORE,
    /** Waits until the job is cancelled. */
    OBEY,
    /** Fails in every attempt. */
    FAIL,
    /** Snoozes once, then completes the job. */
    SNOOZE
  }

  /** The moment after which the job is cancelled, with a delay of a few milliseconds. */
  enum Moment {
    NEVER,
    WAITING,
    BEGUN,
    ENDING
  }

  record Plan(int number, Deed deed, Moment moment) {}

  /**
   * The result of a cancellation.
   *
   * @param at the database's time after the result arrived, in microseconds
   */
  record Answer(CancelResult result, long at, long nanoTime) {}

  static final JobType<Plan> TYPE = JobType.of("plan", Plan.class).maxAttempts(3);

  /** The number of seconds after which a handler that was not interrupted fails the test. */
  private static final long NEVER_TOLD = 20;

  private static final int LATEST_MICROS = 4_000;

  final Map<JobId, Answer> answers = new ConcurrentHashMap<>();

  /** The executions whose handler completed the job. */
  final Set<Long> completing = ConcurrentHashMap.newKeySet();

  private final DataSource effects;
  private final QueueAdmin admin;
  private final SplittableRandom random;
  private final ScheduledThreadPoolExecutor people = new ScheduledThreadPoolExecutor(3);
  private final Set<JobId> begun = ConcurrentHashMap.newKeySet();
  private final AtomicInteger unanswered = new AtomicInteger();
  private final Map<JobId, long[]> told = new ConcurrentHashMap<>();
  private final List<Throwable> broken = new CopyOnWriteArrayList<>();

  Cancels(DataSource effects, QueueAdmin admin, long seed) {
    this.effects = effects;
    this.admin = admin;
    this.random = new SplittableRandom(seed + 1);
  }

  void enqueued(JobId job, Plan plan) {
    if (plan.moment() == Moment.WAITING) {
      cancel(job);
    }
  }

  @Override
  public Outcome handle(Plan plan, JobContext context) throws Exception {
    boolean first = begun.add(context.jobId()); // a snooze does not count
    long begunAt = System.nanoTime();
    if (first && plan.moment() == Moment.BEGUN) {
      cancel(context.jobId());
    }
    Outcome outcome =
        switch (plan.deed()) {
          case COMPLETE -> Outcome.completed();
          case COMPLETE_IN -> completeIn(plan, context);
          case IGNORE -> ignore();
          case OBEY -> obey(context, begunAt);
          case FAIL -> Outcome.retry(Duration.ofMillis(5), "it always fails");
          case SNOOZE -> first ? Outcome.snooze(Duration.ofMillis(10)) : Outcome.completed();
        };
    if (outcome instanceof Outcome.Completed) {
      completing.add(context.executionId().value());
    }
    if (first && plan.moment() == Moment.ENDING) {
      cancel(context.jobId());
    }
    return outcome;
  }

  private Outcome completeIn(Plan plan, JobContext context) throws SQLException {
    try (Connection connection = effects.getConnection()) {
      connection.setAutoCommit(false);
      try (PreparedStatement insert =
          connection.prepareStatement("INSERT INTO effects VALUES (?, ?)")) {
        insert.setInt(1, plan.number());
        insert.setLong(2, context.executionId().value());
        insert.execute();
        context.completeIn(connection);
        completing.add(context.executionId().value()); // before the completion is visible
        connection.commit();
      } finally {
        connection.rollback();
        connection.setAutoCommit(true);
      }
    }
    return Outcome.completed();
  }

  private static Outcome ignore() {
    long end = System.nanoTime() + Duration.ofMillis(3).toNanos();
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    return Outcome.completed();
  }

  private Outcome obey(JobContext context, long begunAt) {
    try {
      new CountDownLatch(1).await(NEVER_TOLD, SECONDS);
      throw new AssertionError(
          "The handler of job %s was not interrupted.".formatted(context.jobId()));
    } catch (InterruptedException cancelled) {
      if (!context.isCancelled()) {
        throw new AssertionError("The handler was interrupted without a cancellation.", cancelled);
      }
      told.put(context.jobId(), new long[] {begunAt, System.nanoTime()});
      return Outcome.cancelled("cancelled as requested");
    }
  }

  private void cancel(JobId job) {
    unanswered.incrementAndGet();
    long delay;
    synchronized (random) {
      delay = random.nextLong(LATEST_MICROS);
    }
    ScheduledFuture<?> unused = people.schedule(() -> cancelNow(job), delay, MICROSECONDS);
  }

  private void cancelNow(JobId job) {
    try {
      CancelResult result;
      do {
        result = admin.cancel(List.of(job)).get(0);
      } while (result == CancelResult.BUSY);
      long nanoTime = System.nanoTime();
      answers.put(job, new Answer(result, databaseTime(), nanoTime));
      unanswered.decrementAndGet();
    } catch (Throwable thrown) {
      broken.add(thrown);
    }
  }

  private long databaseTime() throws SQLException {
    try (Connection connection = effects.getConnection();
        Statement statement = connection.createStatement();
        ResultSet clock =
            statement.executeQuery(
                "SELECT (extract(epoch FROM clock_timestamp()) * 1e6)::bigint")) {
      clock.next();
      return clock.getLong(1);
    }
  }

  boolean areAnswered() {
    if (!broken.isEmpty()) {
      throw new AssertionError("A cancellation failed.", broken.get(0));
    }
    return unanswered.get() == 0;
  }

  /** Returns the longest time from the result of a cancellation to the interrupt of the handler. */
  Duration longestUntold() {
    long[] all = untold();
    return Duration.ofNanos(all.length == 0 ? 0 : all[all.length - 1]);
  }

  private long[] untold() {
    return told.entrySet().stream()
        .mapToLong(
            entry -> {
              Answer answer = answers.get(entry.getKey());
              long asked = answer == null ? entry.getValue()[0] : answer.nanoTime();
              return Math.max(0, entry.getValue()[1] - Math.max(asked, entry.getValue()[0]));
            })
        .sorted()
        .toArray();
  }

  String figures() {
    Map<CancelResult, Integer> results = new TreeMap<>();
    answers.values().forEach(answer -> results.merge(answer.result(), 1, Integer::sum));
    long[] all = untold();
    return "results %s; %d handlers were interrupted after (ms) p50 %d, p99 %d, at most %d"
        .formatted(
            results,
            all.length,
            Arrays.stream(all).skip(all.length / 2).findFirst().orElse(0) / 1_000_000,
            Arrays.stream(all).skip(all.length * 99L / 100).findFirst().orElse(0) / 1_000_000,
            longestUntold().toMillis());
  }

  @Override
  public void close() {
    people.shutdownNow();
  }
}
