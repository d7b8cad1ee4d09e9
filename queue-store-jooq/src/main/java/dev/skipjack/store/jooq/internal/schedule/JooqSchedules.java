package dev.skipjack.store.jooq.internal.schedule;

import dev.skipjack.api.JobId;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.ScheduleOrigin;
import dev.skipjack.api.schedule.ScheduleState;
import dev.skipjack.api.schedule.Schedules;
import dev.skipjack.api.schedule.Timing;
import dev.skipjack.api.spi.Names;
import dev.skipjack.store.jooq.internal.QueueExtension.JobFactory;
import dev.skipjack.store.jooq.internal.schedule.ListSchedulesStatement.Listed;
import dev.skipjack.store.jooq.internal.sql.Lazy;
import dev.skipjack.store.jooq.internal.sql.NoRequest;
import dev.skipjack.store.jooq.internal.sql.OwnTransactions;
import dev.skipjack.store.jooq.internal.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/** Declares, changes and lists schedules in PostgreSQL. */
public final class JooqSchedules implements Schedules {

  private static final int LISTED_FIRES = 5;

  private final OwnTransactions transactions;
  private final ScheduleTable table;
  private final Declarations declarations;
  private final Runnable changed;
  private final Statement<NoRequest, Listed> listAll;
  private final Statement<String, Listed> listOne;
  private final Statement<NoRequest, Listed> listAllWithoutPayloads;
  private final Statement<String, Listed> listOneWithoutPayload;

  /**
   * @param changed wakes workers, so that they find a schedule that may fire soon
   */
  public JooqSchedules(
      OwnTransactions transactions, Lazy<DSLContext> dialect, JobFactory jobs, Runnable changed) {
    this.transactions = transactions.bounded();
    this.table = new ScheduleTable(dialect);
    this.declarations = new Declarations(this.transactions, table, jobs);
    this.changed = changed;
    this.listAll = Statement.lazily(() -> ListSchedulesStatement.all(dialect.get()));
    this.listOne = Statement.lazily(() -> ListSchedulesStatement.one(dialect.get()));
    this.listAllWithoutPayloads =
        Statement.lazily(() -> ListSchedulesStatement.allWithoutPayloads(dialect.get()));
    this.listOneWithoutPayload =
        Statement.lazily(() -> ListSchedulesStatement.oneWithoutPayload(dialect.get()));
  }

  @Override
  public void declare(List<Schedule> schedules) {
    if (declarations.declare(schedules)) {
      changed.run();
    }
  }

  @Override
  public void add(Schedule schedule) {
    if (schedule.needsCode()) {
      throw new IllegalArgumentException(
          "Schedule '%s' needs code to make its payload or to except dates, so it cannot be added at run time. Declare it, or give it a fixed payload and dates."
              .formatted(schedule.name()));
    }
    if (!declarations.add(schedule)) {
      throw new IllegalArgumentException(
          "Schedule '%s' exists already. Change it, remove it first, or choose another name."
              .formatted(schedule.name()));
    }
    changed.run();
  }

  @Override
  public boolean change(String name, Timing timing) {
    if (timing.hasExceptPredicate()) {
      throw new IllegalArgumentException(
          "The timing of schedule '%s' excepts dates by a predicate, which cannot be stored. Name the dates."
              .formatted(name));
    }
    return update(
        name,
        (schedule, now) -> {
          StoredSchedule.Source source = schedule.source();
          boolean declared = source.origin() == ScheduleOrigin.CODE;
          Timing wanted =
              timing.exceptDates().isEmpty()
                  ? timing.except(schedule.definition().timing().exceptDates())
                  : timing;
          return schedule
              .with(
                  schedule.definition().with(StoredTiming.of(wanted)),
                  new StoredSchedule.Source(
                      source.origin(),
                      source.authoritative(),
                      source.declaration(),
                      source.declaredAt(),
                      declared ? now : null),
                  now)
              .firingNext(wanted, now, ZoneRules.of(wanted));
        });
  }

  @Override
  public boolean pause(String name) {
    return update(
        name,
        (schedule, now) -> schedule.pausedAt() == null ? schedule.paused(now, now) : schedule);
  }

  @Override
  public boolean resume(String name) {
    return update(
        name,
        (schedule, now) -> {
          if (schedule.pausedAt() == null) {
            return schedule;
          }
          Timing timing = schedule.definition().timing().timing();
          return schedule.paused(null, now).firingNext(timing, now, ZoneRules.of(timing));
        });
  }

  @Override
  public boolean fireNow(String name) {
    return update(
        name,
        (schedule, now) ->
            schedule.progress().requestedAt() == null ? schedule.requested(now) : schedule);
  }

  private boolean update(String name, BiFunction<StoredSchedule, Instant, StoredSchedule> change) {
    Names.requireSchedule(name);
    boolean found =
        transactions.inOne(
            session -> {
              ScheduleTable.Locked locked = table.lock(session, List.of(name));
              List<StoredSchedule> written = new ArrayList<>();
              for (StoredSchedule schedule : locked.schedules().values()) {
                StoredSchedule wanted = change.apply(schedule, locked.now());
                if (!wanted.equals(schedule)) {
                  written.add(wanted);
                }
              }
              table.replace(session, written);
              return !locked.schedules().isEmpty();
            });
    if (found) {
      changed.run();
    }
    return found;
  }

  @Override
  public boolean remove(String name) {
    return delete(
        name,
        schedule -> {
          if (schedule.source().origin() == ScheduleOrigin.CODE) {
            throw new IllegalArgumentException(
                "Schedule '%s' was declared by code, which would create it again. Pause it, or retire it once the code no longer declares it."
                    .formatted(name));
          }
          return true;
        });
  }

  @Override
  public boolean retire(String name) {
    return delete(name, schedule -> schedule.source().origin() == ScheduleOrigin.CODE);
  }

  private boolean delete(String name, Predicate<StoredSchedule> which) {
    Names.requireSchedule(name);
    return transactions.inOne(
        session -> {
          boolean found =
              table.lock(session, List.of(name)).schedules().values().stream().anyMatch(which);
          if (found) {
            table.delete(session, List.of(name));
          }
          return found;
        });
  }

  @Override
  public List<ScheduleState> list() {
    return transactions.run(listAll).stream().map(JooqSchedules::state).toList();
  }

  @Override
  public Optional<ScheduleState> find(String name) {
    Names.requireSchedule(name);
    return transactions.run(listOne, name).stream().findFirst().map(JooqSchedules::state);
  }

  @Override
  public List<ScheduleState> listWithoutPayloads() {
    return transactions.run(listAllWithoutPayloads).stream().map(JooqSchedules::state).toList();
  }

  @Override
  public Optional<ScheduleState> findWithoutPayload(String name) {
    Names.requireSchedule(name);
    return transactions.run(listOneWithoutPayload, name).stream()
        .findFirst()
        .map(JooqSchedules::state);
  }

  private static ScheduleState state(Listed listed) {
    StoredSchedule schedule = listed.schedule();
    StoredSchedule.Definition definition = schedule.definition();
    StoredSchedule.Source source = schedule.source();
    Timing timing = timing(definition.timing());
    Long lastJob = schedule.progress().lastJobId();
    Instant failedAt = schedule.failures().at();
    String error = schedule.failures().error();
    return new ScheduleState(
        schedule.name(),
        timing,
        definition.missed(),
        definition.overlap(),
        definition.jitter(),
        definition.job().queue(),
        definition.job().kind(),
        definition.job().payload(),
        definition.job().tags(),
        definition.description(),
        definition.needsCode(),
        source.origin(),
        source.authoritative(),
        source.declaredAt(),
        schedule.isUndeclared(listed.now()),
        source.timingChangedAt(),
        schedule.pausedAt(),
        nextFires(schedule.progress().nextAt(), timing),
        schedule.progress().lastAt(),
        lastJob == null ? null : new JobId(lastJob),
        listed.lastStatus(),
        failedAt == null || error == null
            ? null
            : new ScheduleState.Failure(schedule.failures().tries(), failedAt, error),
        schedule.createdAt(),
        schedule.updatedAt());
  }

  private static @Nullable Timing timing(StoredTiming stored) {
    try {
      return stored.timing();
    } catch (IllegalArgumentException unknownHere) {
      return null;
    }
  }

  private static List<Instant> nextFires(@Nullable Instant next, @Nullable Timing timing) {
    if (next == null || timing == null) {
      return next == null ? List.of() : List.of(next);
    }
    return firesFrom(next, timing);
  }

  private static List<Instant> firesFrom(Instant next, Timing timing) {
    return Stream.iterate(
            Optional.of(next), Optional::isPresent, fire -> fire.flatMap(timing::next))
        .flatMap(Optional::stream)
        .limit(LISTED_FIRES)
        .toList();
  }
}
