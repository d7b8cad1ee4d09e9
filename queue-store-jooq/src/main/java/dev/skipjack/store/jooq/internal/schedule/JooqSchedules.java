package dev.skipjack.store.jooq.internal.schedule;

import dev.skipjack.api.JobId;
import dev.skipjack.api.schedule.Missed;
import dev.skipjack.api.schedule.Overlap;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.ScheduleOrigin;
import dev.skipjack.api.schedule.ScheduleState;
import dev.skipjack.api.schedule.Schedules;
import dev.skipjack.api.schedule.Timing;
import dev.skipjack.api.spi.Names;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.QueueExtension.JobFactory;
import dev.skipjack.store.jooq.internal.schedule.ListSchedulesStatement.Listed;
import java.time.Duration;
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
  private static final int LARGEST_PAGE = 500;

  private final OwnTransactions transactions;
  private final ScheduleTable table;
  private final Declarations declarations;
  private final Runnable changed;
  private final Statement<ListSchedulesStatement.Page, Listed> list;
  private final Statement<String, Listed> listOne;
  private final Statement<ListSchedulesStatement.Page, Listed> listWithoutPayloads;
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
    this.list = Statement.lazily(() -> ListSchedulesStatement.page(dialect.get()));
    this.listOne = Statement.lazily(() -> ListSchedulesStatement.one(dialect.get()));
    this.listWithoutPayloads =
        Statement.lazily(() -> ListSchedulesStatement.pageWithoutPayloads(dialect.get()));
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
    return pauseUnreadable(name)
        || update(
            name,
            (schedule, now) -> schedule.pausedAt() == null ? schedule.paused(now, now) : schedule);
  }

  /** Pauses a schedule whose row cannot be read. Returns whether there was such a row. */
  private boolean pauseUnreadable(String name) {
    Names.requireSchedule(name);
    return transactions.inOne(
        session -> {
          boolean unreadable = !table.lock(session, List.of(name)).unreadable().isEmpty();
          if (unreadable) {
            table.pause(session, List.of(name));
          }
          return unreadable;
        });
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
          return schedule.resumed(timing, now, ZoneRules.of(timing));
        });
  }

  @Override
  public boolean fireNow(String name) {
    return update(
        name,
        (schedule, now) ->
            schedule.progress().requestedAt() == null ? schedule.requested(now) : schedule);
  }

  private static void requireReadable(ScheduleTable.Locked locked) {
    for (UnreadableRow odd : locked.unreadable().values()) {
      throw new IllegalArgumentException(
          "The row of schedule '%s' cannot be read. %s Pause or remove the schedule, or correct the row in SQL."
              .formatted(odd.name(), odd.reason()));
    }
  }

  private boolean update(String name, BiFunction<StoredSchedule, Instant, StoredSchedule> change) {
    Names.requireSchedule(name);
    boolean found =
        transactions.inOne(
            session -> {
              ScheduleTable.Locked locked = table.lock(session, List.of(name));
              requireReadable(locked);
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
        row -> {
          if (row instanceof StoredSchedule schedule
              && schedule.source().origin() == ScheduleOrigin.CODE) {
            throw new IllegalArgumentException(
                "Schedule '%s' was declared by code, which would create it again. Pause it, or retire it once the code no longer declares it."
                    .formatted(name));
          }
          return true;
        });
  }

  @Override
  public boolean retire(String name) {
    return delete(
        name,
        row ->
            row instanceof StoredSchedule schedule
                ? schedule.source().origin() == ScheduleOrigin.CODE
                : row instanceof UnreadableRow odd && odd.origin() == ScheduleOrigin.CODE);
  }

  private boolean delete(String name, Predicate<StoredRow> which) {
    Names.requireSchedule(name);
    return transactions.inOne(
        session -> {
          ScheduleTable.Locked locked = table.lock(session, List.of(name));
          boolean found =
              Stream.concat(
                      locked.schedules().values().stream(), locked.unreadable().values().stream())
                  .anyMatch(which);
          if (found) {
            table.delete(session, List.of(name));
          }
          return found;
        });
  }

  @Override
  public List<ScheduleState> list() {
    return all(this::list);
  }

  @Override
  public List<ScheduleState> list(String after, int limit) {
    return page(list, after, limit);
  }

  @Override
  public Optional<ScheduleState> find(String name) {
    Names.requireSchedule(name);
    return transactions.run(listOne, name).stream().findFirst().map(JooqSchedules::state);
  }

  @Override
  public List<ScheduleState> listWithoutPayloads() {
    return all(this::listWithoutPayloads);
  }

  @Override
  public List<ScheduleState> listWithoutPayloads(String after, int limit) {
    return page(listWithoutPayloads, after, limit);
  }

  @Override
  public Optional<ScheduleState> findWithoutPayload(String name) {
    Names.requireSchedule(name);
    return transactions.run(listOneWithoutPayload, name).stream()
        .findFirst()
        .map(JooqSchedules::state);
  }

  private List<ScheduleState> page(
      Statement<ListSchedulesStatement.Page, Listed> statement, String after, int limit) {
    if (limit < 1 || limit > LARGEST_PAGE) {
      throw new IllegalArgumentException(
          "Limit %d is not in 1..%d.".formatted(limit, LARGEST_PAGE));
    }
    return transactions.run(statement, new ListSchedulesStatement.Page(after, limit)).stream()
        .map(JooqSchedules::state)
        .toList();
  }

  private static List<ScheduleState> all(BiFunction<String, Integer, List<ScheduleState>> pages) {
    List<ScheduleState> all = new ArrayList<>();
    List<ScheduleState> page = pages.apply("", LARGEST_PAGE);
    while (!page.isEmpty()) {
      all.addAll(page);
      page =
          page.size() < LARGEST_PAGE
              ? List.of()
              : pages.apply(page.get(page.size() - 1).name(), LARGEST_PAGE);
    }
    return List.copyOf(all);
  }

  private static ScheduleState state(Listed listed) {
    if (listed.row() instanceof StoredSchedule schedule) {
      try {
        return state(schedule, listed);
      } catch (RuntimeException | StackOverflowError odd) {
        return unreadable(UnreadableRow.of(schedule, String.valueOf(odd.getMessage())), listed);
      }
    }
    return unreadable((UnreadableRow) listed.row(), listed);
  }

  private static ScheduleState unreadable(UnreadableRow row, Listed listed) {
    return new ScheduleState(
        row.name(),
        null,
        Missed.once(),
        Overlap.ALLOW,
        Duration.ZERO,
        row.queue(),
        row.kind(),
        null,
        List.of(),
        null,
        false,
        row.origin(),
        false,
        null,
        false,
        null,
        row.pausedAt(),
        List.of(),
        null,
        null,
        listed.lastStatus(),
        failure(row.failures()),
        row.createdAt(),
        row.updatedAt(),
        row.reason());
  }

  private static ScheduleState.@Nullable Failure failure(StoredSchedule.Failures failures) {
    Instant at = failures.at();
    String error = failures.error();
    return at == null || error == null
        ? null
        : new ScheduleState.Failure(failures.tries(), at, error);
  }

  private static ScheduleState state(StoredSchedule schedule, Listed listed) {
    StoredSchedule.Definition definition = schedule.definition();
    StoredSchedule.Source source = schedule.source();
    Timing timing = timing(definition.timing());
    Long lastJob = schedule.progress().lastJobId();
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
        failure(schedule.failures()),
        schedule.createdAt(),
        schedule.updatedAt(),
        null);
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
