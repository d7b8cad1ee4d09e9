package dev.skipjack.torture;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobId;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.dedup.Unique;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

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

  /** One in this number of jobs with an ordering key or steps is cancelled. */
  private static final int CANCELLED = 8;

  /** An operator acts before one in this number of calls. */
  private static final int OPERATED = 30;

  /** An operator changes limits before one in this number of calls. */
  private static final int LIMITED = 10;

  /** One in this number of cancels is delayed until a later request. */
  private static final int CANCEL_LAG = 4;

  /** One in this number of signals is delayed until a later request. */
  private static final int SIGNAL_LAG = 2;

  /** The producer does not repeat one in this number of refused enqueues without a key. */
  private static final int GIVEN_UP = 2;

  private static final Duration ENQUEUE_TIMEOUT = Duration.ofSeconds(90);

  private final ProducerAccess queue;
  private final HistoryFile history;
  private final String name;
  private final long seed;
  private final WorkSource source;
  private final Operator operator;
  private final @Nullable LimitOperator limits;
  private long created;
  private final Deque<JobId> toCancel = new ArrayDeque<>();
  private final Deque<String> toSignal = new ArrayDeque<>();

  /**
   * @param limits changes limits between the enqueues; null if another producer does
   */
  Producer(
      ProducerAccess queue,
      HistoryFile history,
      String name,
      long seed,
      WorkSource source,
      @Nullable LimitOperator limits) {
    this.queue = queue;
    this.history = history;
    this.name = name;
    this.seed = seed;
    this.source = source;
    this.operator = new Operator(queue.reader(), queue.admin(), history);
    this.limits = limits;
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
      List<Work> works = source.next(n, jobs - created, random);
      enqueue(works, random);
      cancel(random);
      signal(random);
      operate(random);
      n += works.size();
      long ahead = start + gap.toNanos() * (n - from) - System.nanoTime();
      if (ahead > 0) {
        Thread.sleep(ahead / 1_000_000, (int) (ahead % 1_000_000));
      }
    }
    toSignal.forEach(queue.steps()::signal);
  }

  private void enqueue(List<Work> works, SplittableRandom random) throws InterruptedException {
    // A unique key is released when its job ends, so it does not make a repeat safe.
    // Keyed jobs of one call are inserted in the order of their idempotency keys.
    boolean withKey =
        random.nextBoolean()
            && works.get(0).workload() != Workload.UNIQUE
            && (works.size() == 1 || !isOneCall(works.get(0).workload()));
    @Nullable CallersTransaction transaction =
        !withKey
                && works.get(0).workload() != Workload.UNIQUE
                && (works.size() == 1 || works.get(0).workload() != Workload.STEPS)
                && random.nextInt(3) == 0
            ? CallersTransaction.draw(random, works.get(0))
            : null;
    String how =
        works.get(0).workload().label()
            + (withKey ? " keyed" : transaction == null ? "" : " " + transaction.label());
    works.forEach(work -> requested(work, how));
    signal(works, StepProducer.When.BEFORE);
    if (transaction != null) {
      for (Work work : transaction.discarded(works)) {
        history.write(EventType.DISCARDED, work.key(), 0, 0, how);
      }
    }
    long deadline = System.nanoTime() + ENQUEUE_TIMEOUT.toNanos();
    while (System.nanoTime() < deadline) {
      try {
        List<EnqueueResult> results = enqueueOnce(works, withKey, transaction);
        for (int i = 0; i < results.size(); i++) {
          acknowledged(works.get(i), results.get(i));
        }
        signal(works, StepProducer.When.AT_ONCE);
        return;
      } catch (SQLException failure) {
        // Only the caller's own commit throws this, and it may have succeeded.
        writeAll(EventType.UNKNOWN, works, failure);
        return;
      } catch (StoreException failure) {
        writeAll(
            failure.isOutcomeUnknown() ? EventType.UNKNOWN : EventType.REFUSED, works, failure);
        if (failure.isOutcomeUnknown() && !withKey) {
          return;
        }
        if (!withKey && random.nextInt(GIVEN_UP) == 0) {
          works.forEach(work -> history.write(EventType.GIVEN_UP, work.key(), 0, 0, ""));
          return;
        }
        Thread.sleep(50);
      }
    }
  }

  /** Returns whether several jobs of one call must not have idempotency keys. */
  private static boolean isOneCall(Workload workload) {
    return workload == Workload.ORDERED || workload == Workload.STEPS;
  }

  private void requested(Work work, String how) {
    String content = work.content(Map.of(Work.HEADER, work.note()));
    history.write(EventType.REQUESTED, work.key(), 0, 0, how + ContentCheck.SEPARATOR + content);
  }

  private List<EnqueueResult> enqueueOnce(
      List<Work> works, boolean withKey, @Nullable CallersTransaction transaction)
      throws SQLException {
    Work first = works.get(0);
    if (first.workload() == Workload.UNIQUE) {
      return List.of(queue.unique().enqueue(first.type(), first, WHILE_LIVE, first::options));
    }
    if (first.workload() == Workload.STEPS && works.size() > 1) {
      return queue.steps().enqueue(works);
    }
    if (withKey) {
      return queue
          .jobs()
          .enqueueAllOnce(
              first.type(),
              works,
              (work, options) -> work.options(options.idempotencyKey(work.key())));
    }
    if (transaction != null) {
      return transaction.run(queue, works);
    }
    return works.size() == 1
        ? List.of(created(queue.jobs().enqueue(first.type(), first, first::options)))
        : queue.jobs().enqueueAll(first.type(), works, first::options).stream()
            .map(Producer::created)
            .toList();
  }

  private static EnqueueResult created(JobId id) {
    return new EnqueueResult.Enqueued(id);
  }

  private void acknowledged(Work work, EnqueueResult result) {
    String what = result.fold(enqueued -> CREATED, existing -> EXISTING);
    history.write(EventType.ACKNOWLEDGED, work.key(), result.jobId().value(), 0, what);
    created += what.equals(CREATED) ? 1 : 0;
    boolean some =
        (work.workload() == Workload.ORDERED || work.workload() == Workload.STEPS)
            && result.jobId().value() % CANCELLED == 0;
    if (work.workload() == Workload.CANCEL || some) {
      toCancel.add(result.jobId());
    }
  }

  private void writeAll(EventType type, List<Work> works, Exception failure) {
    works.forEach(work -> history.write(type, work.key(), 0, 0, String.valueOf(failure)));
  }

  private void operate(SplittableRandom random) throws InterruptedException {
    if (random.nextInt(OPERATED) == 0) {
      operator.freeBlockedKeys(random);
    } else if (random.nextInt(OPERATED) == 0) {
      operator.redriveDeadJobs();
    } else if (limits != null && random.nextInt(LIMITED) == 0) {
      limits.act(random);
    }
  }

  private void signal(List<Work> works, StepProducer.When when) {
    for (Work work : works) {
      StepProducer.When planned = StepProducer.when(work);
      if (planned == when) {
        queue.steps().signal(work.key());
      } else if (planned == StepProducer.When.LATER && when == StepProducer.When.AT_ONCE) {
        toSignal.add(work.key());
      }
    }
  }

  private void signal(SplittableRandom random) {
    while (!toSignal.isEmpty() && random.nextInt(SIGNAL_LAG) != 0) {
      queue.steps().signal(toSignal.remove());
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
