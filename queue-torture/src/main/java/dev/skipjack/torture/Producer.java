package dev.skipjack.torture;

import dev.skipjack.api.CancelResult;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobId;
import dev.skipjack.api.StoreException;
import dev.skipjack.dedup.Unique;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * Enqueues jobs in every way that the API offers, cancels some of them, and records the results.
 *
 * <p>The n-th job depends only on the seed, the producer's name and n, so another process can
 * continue the work of one that was killed. Used by one thread.
 */
final class Producer {

  private static final Unique<Work> WHILE_LIVE = Unique.<Work>by(Work::unique).whileLive();

  /** The detail of an acknowledgement for a new job. */
  static final String CREATED = "created";

  /** The detail of an acknowledgement for a job that already existed. */
  static final String EXISTING = "existing";

  private static final int UNIQUE_KEYS = 5;
  private static final int BULK = 5;

  /** One in this number of bulk calls enqueues jobs with an ordering key. */
  private static final int ORDERED_BULK = 4;

  /**
   * One in this number of jobs becomes dead, among those with an ordering key that may become dead.
   */
  private static final int DOOMED = 8;

  /** One in this number of jobs with an ordering key is cancelled. */
  private static final int CANCELLED = 8;

  /** An operator acts before one in this number of calls. */
  private static final int OPERATED = 30;

  /** One in this number of cancels is delayed until a later request. */
  private static final int CANCEL_LAG = 4;

  private static final Duration ENQUEUE_TIMEOUT = Duration.ofSeconds(90);

  private final ProducerAccess queue;
  private final HistoryFile history;
  private final String name;
  private final long seed;
  private final Pace pace;
  private final Function<RandomGenerator, Workload> mix;
  private final Operator operator;
  private long created;
  private final Deque<JobId> toCancel = new ArrayDeque<>();

  /**
   * @param mix chooses the workload of a job that is enqueued alone
   */
  Producer(
      ProducerAccess queue,
      HistoryFile history,
      String name,
      long seed,
      Pace pace,
      Function<RandomGenerator, Workload> mix) {
    this.queue = queue;
    this.history = history;
    this.name = name;
    this.seed = seed;
    this.pace = pace;
    this.mix = mix;
    this.operator = new Operator(queue.reader(), queue.admin(), history);
  }

  /**
   * Enqueues jobs until the given number has been acknowledged as new.
   *
   * @param from number of the first job
   * @param jobs number of new jobs to enqueue
   * @param late the time by which the first job is behind schedule
   * @param gap the scheduled time between two jobs; a producer that is late catches up without
   *     waiting
   */
  void produce(long from, long jobs, Duration late, Duration gap) throws InterruptedException {
    long start = System.nanoTime() - late.toNanos();
    created = 0;
    for (long n = from; created < jobs; ) {
      SplittableRandom random = new SplittableRandom(seed * 31 + name.hashCode() + n * 1_000_003);
      int count = random.nextInt(10) == 0 ? (int) Math.min(BULK, jobs - created) : 1;
      Workload workload =
          count == 1
              ? mix.apply(random)
              : random.nextInt(ORDERED_BULK) == 0 ? Workload.ORDERED : Workload.PLAIN;
      String ordering =
          workload == Workload.ORDERED ? Work.orderingKey(random.nextInt(Work.ORDERING_KEYS)) : "";
      List<Work> works = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        works.add(work(workload, n + i, ordering, count == 1, random));
      }
      enqueue(works, random);
      cancel(random);
      operate(random);
      n += count;
      long ahead = start + gap.toNanos() * (n - from) - System.nanoTime();
      if (ahead > 0) {
        Thread.sleep(ahead / 1_000_000, (int) (ahead % 1_000_000));
      }
    }
  }

  /** Chooses a workload from the usual mix. */
  static Workload draw(RandomGenerator random) {
    int n = random.nextInt(100);
    if (n < 30) {
      return Workload.PLAIN;
    } else if (n < 45) {
      return Workload.RETRY;
    } else if (n < 48) {
      return Workload.DOOMED;
    } else if (n < 60) {
      return Workload.UNIQUE;
    } else if (n < 70) {
      return Workload.CANCEL;
    }
    return n < 88 ? Workload.EFFECT : Workload.ORDERED;
  }

  private Work work(
      Workload workload, long n, String ordering, boolean mayDie, SplittableRandom random) {
    int failures =
        switch (workload) {
          case RETRY -> random.nextInt(1, 4);
          case DOOMED -> Work.MANY_ATTEMPTS;
          case ORDERED ->
              mayDie && random.nextInt(DOOMED) == 0
                  ? Work.FEW_ATTEMPTS
                  : random.nextInt(Work.FEW_ATTEMPTS);
          default -> 0;
        };
    int draw = random.nextInt(1_000);
    // A long job that fails several times would make draining take too long.
    boolean isLong = draw < pace.longPerMille() && failures < 2;
    int millis = isLong ? pace.longMillis() : draw < 300 ? random.nextInt(20) : 0;
    if (workload == Workload.CANCEL || workload == Workload.UNIQUE) {
      // Some are still running when they are cancelled or meet a duplicate.
      millis = random.nextInt(1 + pace.longMillis() / 5);
    }
    String unique = workload == Workload.UNIQUE ? "u" + random.nextInt(UNIQUE_KEYS) : "";
    return new Work(name + "-" + n, workload, failures, millis, unique, ordering);
  }

  private void enqueue(List<Work> works, SplittableRandom random) throws InterruptedException {
    // A unique key is released when its job ends, so it does not make a repeat safe.
    // Keyed jobs of one call are inserted in the order of their idempotency keys.
    boolean withKey =
        random.nextBoolean()
            && works.get(0).workload() != Workload.UNIQUE
            && (works.size() == 1 || works.get(0).workload() != Workload.ORDERED);
    boolean inTransaction = !withKey && random.nextInt(3) == 0;
    String how =
        works.get(0).workload().label() + (withKey ? " keyed" : inTransaction ? " tx" : "");
    works.forEach(work -> history.write(EventType.REQUESTED, work.key(), 0, 0, how));
    long deadline = System.nanoTime() + ENQUEUE_TIMEOUT.toNanos();
    while (System.nanoTime() < deadline) {
      try {
        List<EnqueueResult> results = enqueueOnce(works, withKey, inTransaction);
        for (int i = 0; i < works.size(); i++) {
          acknowledged(works.get(i), results.get(i));
        }
        return;
      } catch (SQLException failure) {
        // Only the caller's own commit throws this: it may have succeeded.
        writeAll(EventType.UNKNOWN, works, failure);
        return;
      } catch (StoreException failure) {
        writeAll(
            failure.isOutcomeUnknown() ? EventType.UNKNOWN : EventType.REFUSED, works, failure);
        if (failure.isOutcomeUnknown() && !withKey) {
          return;
        }
        Thread.sleep(50);
      }
    }
  }

  private List<EnqueueResult> enqueueOnce(List<Work> works, boolean withKey, boolean inTransaction)
      throws SQLException {
    Work first = works.get(0);
    if (first.workload() == Workload.UNIQUE) {
      return List.of(queue.unique().enqueue(first.type(), first, WHILE_LIVE));
    }
    if (withKey) {
      return queue
          .jobs()
          .enqueueAllOnce(
              first.type(), works, (work, options) -> options.idempotencyKey(work.key()));
    }
    if (!inTransaction) {
      return works.size() == 1
          ? List.of(created(queue.jobs().enqueue(first.type(), first)))
          : queue.jobs().enqueueAll(first.type(), works).stream().map(Producer::created).toList();
    }
    return inTransaction(works);
  }

  /**
   * Throws SQLException only if the commit fails; earlier failures roll back and throw
   * StoreException.
   */
  private List<EnqueueResult> inTransaction(List<Work> works) throws SQLException {
    Connection connection;
    try {
      connection = queue.dataSource().getConnection();
    } catch (SQLException failure) {
      throw new StoreException("Could not get a connection.", failure);
    }
    try (connection) {
      List<EnqueueResult> results;
      try {
        connection.setAutoCommit(false);
        results =
            queue.within().apply(connection).enqueueAll(works.get(0).type(), works).stream()
                .map(Producer::created)
                .toList();
      } catch (SQLException failure) {
        throw new StoreException("The enqueue failed and was rolled back.", failure);
      }
      connection.commit();
      return results;
    }
  }

  private static EnqueueResult created(JobId id) {
    return new EnqueueResult.Enqueued(id);
  }

  private void acknowledged(Work work, EnqueueResult result) {
    String what = result.fold(enqueued -> CREATED, existing -> EXISTING);
    history.write(EventType.ACKNOWLEDGED, work.key(), result.jobId().value(), 0, what);
    created += what.equals(CREATED) ? 1 : 0;
    boolean someOrdered =
        work.workload() == Workload.ORDERED && result.jobId().value() % CANCELLED == 0;
    if (work.workload() == Workload.CANCEL || someOrdered) {
      toCancel.add(result.jobId());
    }
  }

  private void writeAll(EventType type, List<Work> works, Exception failure) {
    works.forEach(work -> history.write(type, work.key(), 0, 0, String.valueOf(failure)));
  }

  private void operate(SplittableRandom random) {
    if (random.nextInt(OPERATED) == 0) {
      operator.freeBlockedKeys(random);
    } else if (random.nextInt(OPERATED) == 0) {
      operator.redriveDeadJobs();
    }
  }

  private void cancel(SplittableRandom random) {
    if (toCancel.isEmpty() || random.nextInt(CANCEL_LAG) == 0) {
      return;
    }
    JobId job = toCancel.remove();
    history.write(EventType.CANCEL_REQUESTED, Event.NONE, job.value(), 0, "");
    try {
      CancelResult result = queue.admin().cancel(List.of(job)).get(0);
      history.write(EventType.CANCEL_RETURNED, Event.NONE, job.value(), 0, result.name());
    } catch (StoreException failure) {
      history.write(EventType.UNKNOWN, Event.NONE, job.value(), 0, String.valueOf(failure));
    }
  }
}
