package dev.skipjack.store.jooq.internal.schedule;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobId;
import dev.skipjack.api.QueueException;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.schedule.Overlap;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.Timing;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.SafeText;
import dev.skipjack.api.spi.ScheduleStore;
import dev.skipjack.sql.Chunks;
import dev.skipjack.sql.Contention;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Session;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.QueueExtension.JobFactory;
import dev.skipjack.store.jooq.internal.QueueExtension.Waker;
import dev.skipjack.store.jooq.internal.ordering.StrictOrdering;
import dev.skipjack.store.jooq.internal.schedule.DueSchedulesStatement.Due;
import dev.skipjack.store.jooq.internal.schedule.FireSchedulesStatement.Fire;
import dev.skipjack.store.jooq.internal.schedule.FireSchedulesStatement.Firing;
import dev.skipjack.store.jooq.internal.schedule.FireSchedulesStatement.Result;
import dev.skipjack.store.jooq.internal.schedule.PostponeSchedulesStatement.Postponement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
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

  /** The pause after a batch that other workers have fired. */
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
  private final FirePlanner planner;
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
    this.declarations = new Declarations(transactions.impatient(), table, jobs);
    this.jobs = jobs;
    this.planner = new FirePlanner(jobs, System::nanoTime);
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
    for (List<String> chunk : Chunks.of(names, LARGEST, name -> 0)) {
      moved.addAll(transactions.impatient().inOne(session -> recalculate(session, chunk)));
    }
    return List.copyOf(moved);
  }

  private List<String> recalculate(Session session, List<String> names) throws SQLException {
    List<String> moved = new ArrayList<>();
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
    return moved;
  }

  /**
   * Returns the schedule with a recalculated next planned time. A planned time that is already due
   * does not change, because it is checked when the schedule fires. An interval that is measured
   * from the last planned time does not start again.
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
    } catch (RuntimeException unknownZone) { // or another timing that this program cannot use
      return schedule;
    }
  }

  @Override
  public List<Undeclared> undeclared() {
    return transactions.run(undeclared);
  }

  @Override
  public Round fireDue(Collection<Schedule> declared, PlanRunner runner) {
    Map<String, Schedule> byName = new HashMap<>();
    declared.forEach(schedule -> byName.put(schedule.name(), schedule));
    // An older declaration of the same name may lack the code, and then must not fire the schedule.
    List<String> withCode =
        declared.stream().filter(Schedule::needsCode).map(Schedule::name).toList();
    List<Due> read =
        transactions.runInOneRoundTrip(due, new DueSchedulesStatement.Request(withCode, LARGEST));
    Batch batch = new Batch();
    List<Plan> coded = new ArrayList<>();
    Set<String> open = new HashSet<>(withCode);
    for (Due one : read) {
      if (batch.isFull()) {
        break;
      }
      // If the row needs no code, neither does the latest declaration of the schedule.
      boolean needsCode =
          one.row() instanceof StoredSchedule schedule && schedule.definition().needsCode();
      PlannedFire plan =
          new PlannedFire(
              one, due -> planner.firing(due, needsCode ? byName.get(due.name()) : null));
      if (needsCode) {
        coded.add(plan);
        open.remove(plan.schedule());
      } else {
        plan.run();
        batch.add(plan);
      }
    }
    for (Plan ended : runner.run(coded)) {
      batch.add((PlannedFire) ended);
      open.add(ended.schedule());
    }
    batch.fire();
    batch.postpone();
    return batch.round(nextIn(batch, read.size(), open));
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
    private final Map<String, Due> read = new HashMap<>();
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

    /** Adds a plan that has ended. */
    void add(PlannedFire plan) {
      read.put(plan.schedule(), plan.due());
      Throwable failure = plan.failure();
      if (failure != null) {
        fail(plan.schedule(), failure);
        return;
      }
      Firing firing = plan.firing();
      firings.add(firing);
      size += firing.fires().size();
      firing.fires().forEach(each -> payload += each.job().payload().length());
    }

    private void fail(String name, Throwable failure) {
      Due due = Objects.requireNonNull(read.get(name));
      Duration delay =
          FIRST_RETRY.multipliedBy(1L << Math.min(due.row().failures().tries(), MOST_DOUBLINGS));
      postponements.add(new Postponement(due, describe(failure), delay));
      failed.add(new Failed(name, failure, delay));
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
            fail(some.get(i).read().name(), lastJobIsLocked(some.get(i)));
          } else {
            cancelled.add(some.get(i));
          }
        }
        return cancelled;
      } catch (RuntimeException failure) {
        if (isOfData(failure) && some.size() > 1) {
          int half = some.size() / 2;
          List<Firing> cancelled = new ArrayList<>(cancelPrevious(some.subList(0, half)));
          cancelled.addAll(cancelPrevious(some.subList(half, some.size())));
          return cancelled;
        }
        some.forEach(firing -> fail(firing.read().name(), failure));
        return List.of();
      }
    }

    /**
     * Fires a batch. If the batch is too large, or the server rejects it because of one schedule's
     * data, fires each half separately.
     */
    private void fire(List<Firing> some) {
      List<Fire> fires = some.stream().flatMap(it -> it.fires().stream()).toList();
      if (some.size() > 1 && isTooLarge(fires)) {
        fireHalves(some);
        return;
      }
      try {
        happened(fires, results(some, fires));
      } catch (RuntimeException failure) {
        if (!isOfData(failure)) {
          throw failure;
        }
        if (some.size() == 1) {
          fail(some.get(0).read().name(), failure);
        } else {
          fireHalves(some);
        }
      }
    }

    private void fireHalves(List<Firing> some) {
      fire(some.subList(0, some.size() / 2));
      fire(some.subList(some.size() / 2, some.size()));
    }

    private static boolean isTooLarge(List<Fire> fires) {
      return fires.size() > 2 * LARGEST
          || fires.stream().mapToLong(each -> each.job().payload().length()).sum()
              > 2 * LARGEST_PAYLOAD;
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
          return List.of(); // the schedules remain due for the next round
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
        Instant now = Objects.requireNonNull(read.get(each.fire().schedule())).now();
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

  /** Returns whether the data of a single schedule may have caused the failure. */
  private static boolean isOfData(RuntimeException failure) {
    return !(failure instanceof StoreException rejected)
        || rejected.sqlState().filter(state -> OF_DATA.contains(state.substring(0, 2))).isPresent();
  }

  /** Returns a failure as text, even if its own methods fail. */
  private static String describe(Throwable failure) {
    try {
      return SafeText.of(String.valueOf(failure), LONGEST_ERROR);
    } catch (Throwable odd) {
      return failure.getClass().getName();
    }
  }
}
