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

/**
 * Enqueues jobs in every way that the API offers, cancels some of them, and records the results.
 *
 * <p>The n-th job depends on the seed, the producer's name and n alone, so that another process can
 * continue for one that was killed. Belongs to one thread.
 */
final class Producer {

  private static final Unique<Work> WHILE_LIVE = Unique.<Work>by(Work::unique).whileLive();

  /** The detail of an acknowledgement if the job is new. */
  static final String CREATED = "created";

  /** The detail of an acknowledgement if the job already existed. */
  static final String EXISTING = "existing";

  private static final int UNIQUE_KEYS = 5;
  private static final int BULK = 5;

  /** One in this number of cancels waits for a later request. */
  private static final int CANCEL_LAG = 4;

  private static final Duration ENQUEUE_TIMEOUT = Duration.ofSeconds(90);

  private final ProducerAccess queue;
  private final HistoryFile history;
  private final String name;
  private final long seed;
  private final Pace pace;
  private long created;
  private final Deque<JobId> toCancel = new ArrayDeque<>();

  Producer(ProducerAccess queue, HistoryFile history, String name, long seed, Pace pace) {
    this.queue = queue;
    this.history = history;
    this.name = name;
    this.seed = seed;
    this.pace = pace;
  }

  /**
   * Enqueues jobs until the given number has been acknowledged as new.
   *
   * @param from number of the first job
   * @param jobs number of new jobs to enqueue
   * @param late how far the first job is behind schedule
   * @param gap scheduled time between two jobs; if the producer is late, it catches up without
   *     waiting
   */
  void produce(long from, long jobs, Duration late, Duration gap) throws InterruptedException {
    long start = System.nanoTime() - late.toNanos();
    created = 0;
    for (long n = from; created < jobs; ) {
      SplittableRandom random = new SplittableRandom(seed * 31 + name.hashCode() + n * 1_000_003);
      int count = random.nextInt(10) == 0 ? (int) Math.min(BULK, jobs - created) : 1;
      List<Work> works = new ArrayList<>();
      Workload workload = count > 1 ? Workload.PLAIN : draw(random);
      for (int i = 0; i < count; i++) {
        works.add(work(workload, n + i, random));
      }
      enqueue(works, random);
      cancel(random);
      n += count;
      long ahead = start + gap.toNanos() * (n - from) - System.nanoTime();
      if (ahead > 0) {
        Thread.sleep(ahead / 1_000_000, (int) (ahead % 1_000_000));
      }
    }
  }

  private static Workload draw(SplittableRandom random) {
    int n = random.nextInt(100);
    if (n < 40) {
      return Workload.PLAIN;
    } else if (n < 55) {
      return Workload.RETRY;
    } else if (n < 58) {
      return Workload.DOOMED;
    } else if (n < 70) {
      return Workload.UNIQUE;
    }
    return n < 80 ? Workload.CANCEL : Workload.EFFECT;
  }

  private Work work(Workload workload, long n, SplittableRandom random) {
    int failures =
        switch (workload) {
          case RETRY -> random.nextInt(1, 4);
          case DOOMED -> Work.MANY_ATTEMPTS;
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
    return new Work(name + "-" + n, workload, failures, millis, unique);
  }

  private void enqueue(List<Work> works, SplittableRandom random) throws InterruptedException {
    // A unique key is released when its job ends, so it does not make a repeat safe.
    boolean withKey = random.nextBoolean() && works.get(0).workload() != Workload.UNIQUE;
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
    if (work.workload() == Workload.CANCEL) {
      toCancel.add(result.jobId());
    }
  }

  private void writeAll(EventType type, List<Work> works, Exception failure) {
    works.forEach(work -> history.write(type, work.key(), 0, 0, String.valueOf(failure)));
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
