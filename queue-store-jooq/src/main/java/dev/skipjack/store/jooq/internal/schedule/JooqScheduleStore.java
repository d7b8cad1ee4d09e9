package dev.skipjack.store.jooq.internal.schedule;

import dev.skipjack.api.CancelResult;
import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.QueueException;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.schedule.Overlap;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.ScheduledFire;
import dev.skipjack.api.schedule.Timing;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.SafeText;
import dev.skipjack.api.spi.ScheduleStore;
import dev.skipjack.api.spi.UniqueKey;
import dev.skipjack.api.spi.UniqueUntil;
import dev.skipjack.store.jooq.internal.QueueExtension.JobFactory;
import dev.skipjack.store.jooq.internal.QueueExtension.Waker;
import dev.skipjack.store.jooq.internal.ordering.StrictOrdering;
import dev.skipjack.store.jooq.internal.schedule.DueSchedulesStatement.Due;
import dev.skipjack.store.jooq.internal.schedule.FireSchedulesStatement.Fire;
import dev.skipjack.store.jooq.internal.schedule.FireSchedulesStatement.Firing;
import dev.skipjack.store.jooq.internal.schedule.FireSchedulesStatement.Result;
import dev.skipjack.store.jooq.internal.schedule.PostponeSchedulesStatement.Postponement;
import dev.skipjack.store.jooq.internal.sql.Contention;
import dev.skipjack.store.jooq.internal.sql.Lazy;
import dev.skipjack.store.jooq.internal.sql.NoRequest;
import dev.skipjack.store.jooq.internal.sql.OwnTransactions;
import dev.skipjack.store.jooq.internal.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/** Fires schedules in PostgreSQL. */
public final class JooqScheduleStore implements ScheduleStore {

  /** The maximum number of schedules, and of jobs, in one batch. */
  static final int LARGEST = 1_000;

  /** The maximum number of payload characters in one batch, unless a single job has more. */
  private static final long LARGEST_PAYLOAD = 16L * 1024 * 1024;

  /** The pause after a batch that other workers fired first. */
  private static final Duration AFTER_OTHERS = Duration.ofMillis(20);

  private static final Duration FIRST_RETRY = Duration.ofSeconds(5);
  private static final int MOST_DOUBLINGS = 6;
  private static final int LONGEST_ERROR = 1_000;

  /**
   * SQLSTATE classes of failures that may be caused by the data of a single schedule in a batch.
   */
  private static final Set<String> OF_DATA = Set.of("22", "23", "54");

  private final OwnTransactions transactions;
  private final ScheduleTable table;
  private final Declarations declarations;
  private final JobFactory jobs;
  private final Function<List<JobId>, List<CancelResult>> cancel;
  private final StrictOrdering strictOrdering;
  private final Waker waker;
  private final Runnable changed;
  private final Statement<DueSchedulesStatement.Request, Due> due;
  private final Statement<Collection<String>, Optional<Duration>> nextFire;
  private final Statement<List<Firing>, Result> fire;
  private final Statement<List<Postponement>, String> postpone;
  private final Statement<String, String> outdated;
  private final Statement<NoRequest, Undeclared> undeclared;

  /**
   * @param cancel cancels jobs as an operator would
   * @param waker wakes workers for the jobs that were enqueued
   * @param changed wakes workers, so that they find a schedule that may fire soon
   */
  public JooqScheduleStore(
      OwnTransactions transactions,
      Lazy<DSLContext> dialect,
      JobFactory jobs,
      Function<List<JobId>, List<CancelResult>> cancel,
      StrictOrdering strictOrdering,
      Waker waker,
      Runnable changed) {
    this.transactions = transactions;
    this.table = new ScheduleTable(dialect);
    this.declarations = new Declarations(transactions.bounded(), table, jobs);
    this.jobs = jobs;
    this.cancel = cancel;
    this.strictOrdering = strictOrdering;
    this.waker = waker;
    this.changed = changed;
    this.due = Statement.lazily(() -> DueSchedulesStatement.of(dialect.get()));
    this.nextFire = Statement.lazily(() -> NextFireStatement.of(dialect.get()));
    this.fire = Statement.lazily(() -> FireSchedulesStatement.of(dialect.get()));
    this.postpone = Statement.lazily(() -> PostponeSchedulesStatement.of(dialect.get()));
    this.outdated = Statement.lazily(() -> OutdatedSchedulesStatement.of(dialect.get()));
    this.undeclared = Statement.lazily(() -> UndeclaredSchedulesStatement.of(dialect.get()));
  }

  @Override
  public void require(Schedule schedule) {
    Declaration unused = Declaration.of(schedule, jobs);
  }

  @Override
  public void declare(Collection<Schedule> schedules) {
    if (declarations.declare(schedules)) {
      changed.run();
    }
  }

  @Override
  public void touch(Collection<Schedule> schedules) {
    declarations.touch(schedules.stream().map(Schedule::name).toList());
  }

  @Override
  public List<String> recalculate() {
    List<String> names = transactions.run(outdated, ZoneRules.version());
    if (names.isEmpty()) {
      return List.of();
    }
    List<String> moved = new ArrayList<>();
    transactions
        .bounded()
        .inOne(
            session -> {
              ScheduleTable.Locked locked = table.lock(session, names);
              List<StoredSchedule> written = new ArrayList<>();
              for (StoredSchedule schedule : locked.schedules().values()) {
                StoredSchedule again = recalculated(schedule, locked.now());
                if (!again.equals(schedule)) {
                  written.add(again);
                }
                Instant next = again.progress().nextAt();
                if (next != null && !next.equals(schedule.progress().nextAt())) {
                  moved.add(schedule.name());
                }
              }
              table.replace(session, written);
              return true;
            });
    return List.copyOf(moved);
  }

  /**
   * Returns the schedule with a recalculated next planned time. A planned time that is already due
   * does not change; it is checked against the new rules when it is fired. An interval that counts
   * from the last planned time does not start over.
   */
  private StoredSchedule recalculated(StoredSchedule schedule, Instant now) {
    Instant next = schedule.progress().nextAt();
    if (next == null || !next.isAfter(now)) {
      return schedule;
    }
    try {
      Timing timing = schedule.definition().timing().timing();
      return schedule.definition().timing().countsFromLastFire()
          ? schedule.movedTo(next, ZoneRules.of(timing))
          : schedule.firingNext(timing, now, ZoneRules.of(timing));
    } catch (IllegalArgumentException unknownZone) {
      return schedule;
    }
  }

  @Override
  public List<Undeclared> undeclared() {
    return transactions.run(undeclared);
  }

  @Override
  public Round fireDue(Collection<Schedule> declared) {
    Map<String, Schedule> byName = new HashMap<>();
    declared.forEach(schedule -> byName.put(schedule.name(), schedule));
    // An older declaration of the same name, without the code, must not fire the schedule.
    List<String> withCode =
        declared.stream().filter(Schedule::needsCode).map(Schedule::name).toList();
    List<Due> read =
        transactions.runInOneRoundTrip(due, new DueSchedulesStatement.Request(withCode, LARGEST));
    Batch batch = new Batch();
    for (Due one : read) {
      if (batch.isFull()) {
        break;
      }
      batch.plan(one, byName.get(one.schedule().name()));
    }
    batch.fire();
    batch.postpone();
    return batch.round(nextIn(batch, read.size(), withCode));
  }

  private @Nullable Duration nextIn(Batch batch, int read, Collection<String> declared) {
    if (batch.isFull() || read == LARGEST) {
      return batch.isOvertaken() ? AFTER_OTHERS : Duration.ZERO;
    }
    Duration next = transactions.runInOneRoundTrip(nextFire, declared).get(0).orElse(null);
    if (next == null || !next.isNegative()) {
      return next;
    }
    return batch.isOvertaken() ? AFTER_OTHERS : Duration.ZERO;
  }

  /** A batch of due schedules that are fired together. Not thread-safe. */
  private final class Batch {

    private final List<Firing> firings = new ArrayList<>();
    private final Map<String, Instant> readAt = new HashMap<>();
    private final List<Postponement> postponements = new ArrayList<>();
    private final List<Fired> fired = new ArrayList<>();
    private final List<Failed> failed = new ArrayList<>();
    private int size;
    private long payload;

    boolean isFull() {
      return size >= LARGEST || payload >= LARGEST_PAYLOAD;
    }

    /** Returns whether other sessions have fired or locked the whole batch. */
    boolean isOvertaken() {
      return !firings.isEmpty() && fired.isEmpty();
    }

    void plan(Due one, @Nullable Schedule declared) {
      StoredSchedule schedule = one.schedule();
      try {
        Firing firing = firing(one, declared);
        readAt.put(schedule.name(), one.now());
        firings.add(firing);
        size += firing.fires().size();
        firing.fires().forEach(each -> payload += each.job().payload().length());
      } catch (RuntimeException | LinkageError | StackOverflowError failure) {
        // Code of the application, or a row that this JVM cannot read: the others must still fire.
        fail(schedule, failure);
      }
    }

    private void fail(StoredSchedule schedule, Throwable failure) {
      Duration delay =
          FIRST_RETRY.multipliedBy(1L << Math.min(schedule.failures().tries(), MOST_DOUBLINGS));
      postponements.add(
          new Postponement(schedule, SafeText.of(String.valueOf(failure), LONGEST_ERROR), delay));
      failed.add(new Failed(schedule.name(), failure, delay));
    }

    /**
     * Fires the batch. Schedules that cancel their last job are fired after the others, because a
     * cancellation may wait for a busy job. Schedules with strict ordering are fired last and one
     * by one, because each may wait for another transaction.
     */
    void fire() {
      List<Firing> strict = firings.stream().filter(it -> isStrict(it)).toList();
      List<Firing> cancelling =
          firings.stream().filter(it -> cancels(it) && !isStrict(it)).toList();
      List<Firing> others = firings.stream().filter(it -> !cancels(it) && !isStrict(it)).toList();
      if (!others.isEmpty()) {
        fire(others);
      }
      List<Firing> cancelled = cancelPrevious(cancelling);
      if (!cancelled.isEmpty()) {
        fire(cancelled);
      }
      for (Firing each : strict) {
        if (!cancels(each) || !cancelPrevious(List.of(each)).isEmpty()) {
          fire(List.of(each));
        }
      }
    }

    /**
     * Cancels the last jobs of the schedules. If the server rejects the cancel because of one job's
     * data, cancels each half separately.
     *
     * @return the schedules that can fire because no other transaction has locked their last job
     */
    private List<Firing> cancelPrevious(List<Firing> some) {
      if (some.isEmpty()) {
        return List.of();
      }
      try {
        List<CancelResult> results =
            cancel.apply(some.stream().map(JooqScheduleStore::lastJob).toList());
        List<Firing> cancelled = new ArrayList<>();
        for (int i = 0; i < some.size(); i++) {
          if (results.get(i) == CancelResult.BUSY) {
            fail(some.get(i).read(), lastJobIsLocked(some.get(i)));
          } else {
            cancelled.add(some.get(i));
          }
        }
        return cancelled;
      } catch (StoreException failure) {
        if (isOfData(failure) && some.size() > 1) {
          int half = some.size() / 2;
          List<Firing> cancelled = new ArrayList<>(cancelPrevious(some.subList(0, half)));
          cancelled.addAll(cancelPrevious(some.subList(half, some.size())));
          return cancelled;
        }
        some.forEach(firing -> fail(firing.read(), failure));
        return List.of();
      }
    }

    /**
     * Fires a batch. If the server rejects it because of one schedule's data, fires each half
     * separately.
     */
    private void fire(List<Firing> some) {
      try {
        List<Fire> fires = some.stream().flatMap(it -> it.fires().stream()).toList();
        happened(fires, results(some, fires));
      } catch (StoreException failure) {
        if (!isOfData(failure)) {
          throw failure;
        }
        if (some.size() == 1) {
          fail(some.get(0).read(), failure);
        } else {
          fire(some.subList(0, some.size() / 2));
          fire(some.subList(some.size() / 2, some.size()));
        }
      }
    }

    private List<Result> results(List<Firing> some, List<Fire> fires) {
      List<NewJob> enqueued = fires.stream().map(Fire::job).toList();
      if (!StrictOrdering.isUsedBy(enqueued)) {
        return transactions.bounded().runInOneRoundTrip(fire, some);
      }
      try {
        return transactions
            .impatient()
            .inOne(
                session -> {
                  strictOrdering.lock(session, enqueued);
                  return session.run(fire, some);
                });
      } catch (StoreException failure) {
        if (Contention.caused(failure)) {
          return List.of(); // they remain due, and the next round tries again
        }
        throw failure;
      }
    }

    private void happened(List<Fire> fires, List<Result> results) {
      List<NewJob> enqueued = new ArrayList<>();
      List<EnqueueResult> ids = new ArrayList<>();
      for (Result result : results) {
        Fire each = fires.get(result.index());
        result
            .job()
            .ifPresent(
                id -> {
                  enqueued.add(each.job());
                  ids.add(new EnqueueResult.Enqueued(id));
                });
        Instant now = readAt.getOrDefault(each.fire().schedule(), each.fire().at());
        fired.add(
            new Fired(
                each.fire(), result.job().orElse(null), Duration.between(each.fire().at(), now)));
      }
      if (!enqueued.isEmpty()) {
        waker.wakeCommitted(enqueued, ids);
      }
    }

    void postpone() {
      if (!postponements.isEmpty()) {
        transactions.run(JooqScheduleStore.this.postpone, postponements);
      }
    }

    Round round(@Nullable Duration nextIn) {
      return new Round(fired, failed, nextIn);
    }
  }

  private static boolean isStrict(Firing firing) {
    return StrictOrdering.isUsedBy(firing.fires().stream().map(Fire::job).toList());
  }

  private static boolean cancels(Firing firing) {
    return firing.read().progress().lastJobId() != null
        && !firing.fires().isEmpty()
        && firing.read().definition().overlap() == Overlap.CANCEL_PREVIOUS;
  }

  private static JobId lastJob(Firing firing) {
    return new JobId(Objects.requireNonNull(firing.read().progress().lastJobId()));
  }

  private static QueueException lastJobIsLocked(Firing firing) {
    return new QueueException(
        "Last job %s of schedule '%s' is locked by another transaction and could not be cancelled."
            .formatted(lastJob(firing), firing.read().name()),
        null);
  }

  private static boolean isOfData(StoreException failure) {
    return failure.sqlState().filter(state -> OF_DATA.contains(state.substring(0, 2))).isPresent();
  }

  private Firing firing(Due due, @Nullable Schedule declared) {
    StoredSchedule schedule = due.schedule();
    Timing timing = timing(schedule, declared);
    StoredSchedule.Progress progress = schedule.progress();
    Instant planned = progress.nextAt();
    FirePlan plan =
        planned == null || schedule.pausedAt() != null
            ? new FirePlan(List.of(), planned)
            : FirePlan.of(
                schedule.definition(),
                timing,
                planned,
                schedule.firedOrChangedAt(),
                due.now().minus(schedule.share()));
    List<Fire> fires = new ArrayList<>();
    Instant requested = progress.requestedAt();
    if (requested != null) {
      fires.add(fire(schedule, requested, declared));
    }
    plan.fires().forEach(at -> fires.add(fire(schedule, at, declared)));
    if (schedule.definition().overlap() == Overlap.CANCEL_PREVIOUS && fires.size() > 1) {
      fires.subList(0, fires.size() - 1).clear(); // the last one would cancel the others
    }
    Instant last =
        plan.fires().isEmpty() ? progress.lastAt() : plan.fires().get(plan.fires().size() - 1);
    StoredSchedule moved =
        schedule.with(
            new StoredSchedule.Progress(
                schedule.due(plan.next()),
                plan.next(),
                last,
                null,
                null,
                Objects.equals(plan.next(), planned)
                    ? progress.zoneRules()
                    : ZoneRules.of(timing)));
    return new Firing(schedule, moved, fires);
  }

  /**
   * Returns the timing that code declared, with its predicates, unless an operator has changed it.
   */
  private static Timing timing(StoredSchedule schedule, @Nullable Schedule declared) {
    StoredTiming stored = schedule.definition().timing();
    return declared != null && StoredTiming.of(declared.timing()).equals(stored)
        ? declared.timing()
        : stored.timing();
  }

  private Fire fire(StoredSchedule schedule, Instant at, @Nullable Schedule declared) {
    ScheduledFire fire = new ScheduledFire(schedule.name(), at);
    NewJob job = job(schedule, at, declared).firedBy(fire);
    return new Fire(
        fire,
        schedule.definition().overlap() == Overlap.SKIP_WHILE_LIVE
            ? job.unique(
                new UniqueKey("schedule/" + schedule.name(), schedule.name(), UniqueUntil.DEAD))
            : job);
  }

  private NewJob job(StoredSchedule schedule, Instant at, @Nullable Schedule declared) {
    StoredSchedule.Job job = schedule.definition().job();
    String payload = job.payload();
    if (payload == null) {
      if (declared == null || !declared.makesPayload()) {
        throw new IllegalStateException(
            "Code makes the payload of schedule '%s', but this worker's declaration does not."
                .formatted(schedule.name()));
      }
      return Declaration.newJob(declared, at, jobs);
    }
    EnqueueOptions options = EnqueueOptions.none().tags(job.tags());
    if (job.priority() != null) {
      options = options.priority(job.priority());
    }
    if (job.maxAttempts() != null) {
      options = options.maxAttempts(job.maxAttempts());
    }
    JobType<?> type =
        JobType.of(job.kind(), Object.class)
            .onQueue(job.queue())
            .payloadVersion(job.payloadVersion());
    return NewJob.of(type, payload, options);
  }
}
