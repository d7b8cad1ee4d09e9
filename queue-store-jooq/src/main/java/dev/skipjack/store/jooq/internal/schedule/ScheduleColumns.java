package dev.skipjack.store.jooq.internal.schedule;

import static dev.skipjack.model.Tables.JOB_SCHEDULES;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.field;

import dev.skipjack.api.schedule.Missed;
import dev.skipjack.api.schedule.Overlap;
import dev.skipjack.api.schedule.ScheduleOrigin;
import dev.skipjack.store.jooq.internal.sql.Arguments;
import dev.skipjack.store.jooq.internal.sql.ArrayRows;
import dev.skipjack.store.jooq.internal.sql.Row;
import dev.skipjack.store.jooq.internal.sql.Texts;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.TableField;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Defines how each column of {@code job_schedules} is written and read. A write has an array of
 * strings for each column, which the statement casts to the type of the column.
 */
final class ScheduleColumns {

  /**
   * The excluded dates in a fixed format, because the conversion of dates to text depends on the
   * session's DateStyle. Most schedules exclude none, and for them no subquery runs.
   */
  private static final Field<String[]> EXCEPT_DATES =
      field(
          "case when {0} = '{}' then '{}' else array(select to_char(each, 'YYYY-MM-DD') from unnest({0}) as dates(each)) end",
          SQLDataType.CLOB.getArrayDataType(), JOB_SCHEDULES.EXCEPT_DATES);

  /** Has the name of the column, by which it is read. */
  private static final Field<JSONB> NO_PAYLOAD =
      castNull(JOB_SCHEDULES.PAYLOAD).as(JOB_SCHEDULES.PAYLOAD);

  private record Column(TableField<?, ?> target, Function<StoredSchedule, @Nullable Object> value) {

    String name() {
      return target.getName();
    }

    @Nullable String text(StoredSchedule schedule) {
      Object given = value.apply(schedule);
      if (given instanceof List<?> list) {
        return Texts.arrayOf(list.stream().map(String::valueOf).toList());
      }
      return given == null ? null : given.toString();
    }
  }

  private static final List<Column> ALL =
      List.of(
          new Column(JOB_SCHEDULES.NAME, StoredSchedule::name),
          new Column(JOB_SCHEDULES.DUE_AT, it -> it.progress().dueAt()),
          new Column(JOB_SCHEDULES.NEXT_AT, it -> it.progress().nextAt()),
          new Column(JOB_SCHEDULES.LAST_AT, it -> it.progress().lastAt()),
          new Column(JOB_SCHEDULES.LAST_JOB_ID, it -> it.progress().lastJobId()),
          new Column(JOB_SCHEDULES.REQUESTED_AT, it -> it.progress().requestedAt()),
          new Column(JOB_SCHEDULES.PAUSED_AT, StoredSchedule::pausedAt),
          new Column(JOB_SCHEDULES.CRON, it -> it.definition().timing().cron()),
          new Column(
              JOB_SCHEDULES.INTERVAL_SECONDS, it -> it.definition().timing().intervalSeconds()),
          new Column(JOB_SCHEDULES.ALIGNED, it -> it.definition().timing().aligned()),
          new Column(JOB_SCHEDULES.ZONE, it -> it.definition().timing().zone()),
          new Column(JOB_SCHEDULES.EXCEPT_DATES, it -> it.definition().timing().exceptDates()),
          new Column(JOB_SCHEDULES.ZONE_RULES, it -> it.progress().zoneRules()),
          new Column(JOB_SCHEDULES.MISSED, it -> it.definition().missed().policy().literal()),
          new Column(JOB_SCHEDULES.MISSED_MAXIMUM, it -> it.definition().missed().maximum()),
          new Column(JOB_SCHEDULES.OVERLAP, it -> it.definition().overlap().literal()),
          new Column(JOB_SCHEDULES.JITTER_MS, it -> it.definition().jitter().toMillis()),
          new Column(JOB_SCHEDULES.QUEUE, it -> it.definition().job().queue()),
          new Column(JOB_SCHEDULES.KIND, it -> it.definition().job().kind()),
          new Column(JOB_SCHEDULES.PAYLOAD, it -> it.definition().job().payload()),
          new Column(JOB_SCHEDULES.PAYLOAD_VERSION, it -> it.definition().job().payloadVersion()),
          new Column(JOB_SCHEDULES.PRIORITY, it -> it.definition().job().priority()),
          new Column(JOB_SCHEDULES.MAX_ATTEMPTS, it -> it.definition().job().maxAttempts()),
          new Column(JOB_SCHEDULES.TAGS, it -> it.definition().job().tags()),
          new Column(JOB_SCHEDULES.DESCRIPTION, it -> it.definition().description()),
          new Column(JOB_SCHEDULES.IN_CODE, it -> it.definition().needsCode()),
          new Column(JOB_SCHEDULES.ORIGIN, it -> it.source().origin().literal()),
          new Column(JOB_SCHEDULES.AUTHORITATIVE, it -> it.source().authoritative()),
          new Column(JOB_SCHEDULES.DECLARATION, it -> it.source().declaration()),
          new Column(JOB_SCHEDULES.DECLARED_AT, it -> it.source().declaredAt()),
          new Column(JOB_SCHEDULES.TIMING_CHANGED_AT, it -> it.source().timingChangedAt()),
          new Column(JOB_SCHEDULES.FAILURES, it -> it.failures().tries()),
          new Column(JOB_SCHEDULES.FAILED_AT, it -> it.failures().at()),
          new Column(JOB_SCHEDULES.LAST_ERROR, it -> it.failures().error()),
          new Column(JOB_SCHEDULES.CREATED_AT, StoredSchedule::createdAt),
          new Column(JOB_SCHEDULES.UPDATED_AT, StoredSchedule::updatedAt));

  private ScheduleColumns() {}

  /** Returns the given schedules as a table. */
  static ArrayRows given() {
    ArrayRows given = ArrayRows.named("given");
    ALL.forEach(column -> given.column(column.name(), Texts.array(column.name())));
    return given;
  }

  /** Returns each column with its value from {@code given}. */
  static Map<Field<?>, Field<?>> values(ArrayRows given) {
    Map<Field<?>, Field<?>> values = new LinkedHashMap<>();
    for (Column column : ALL) {
      values.put(
          column.target(),
          cast(given.field(column.name(), String.class), column.target().getDataType()));
    }
    return values;
  }

  /** Returns the values of {@code schedules} for the parameters of {@link #given}. */
  static Arguments arguments(Collection<StoredSchedule> schedules) {
    Arguments arguments = new Arguments();
    ALL.forEach(column -> arguments.texts(column.name(), schedules, column::text));
    return arguments;
  }

  /** Returns the columns that {@link #read} needs, followed by {@code more}. */
  static List<Field<?>> selected(Field<?>... more) {
    return selected(JOB_SCHEDULES.PAYLOAD, more);
  }

  /** Returns the columns that {@link #read} needs, but no payload, followed by {@code more}. */
  static List<Field<?>> selectedWithoutPayload(Field<?>... more) {
    return selected(NO_PAYLOAD, more);
  }

  private static List<Field<?>> selected(Field<JSONB> payload, Field<?>... more) {
    List<Field<?>> selected =
        ALL.stream()
            .<Field<?>>map(
                column ->
                    column.target().equals(JOB_SCHEDULES.EXCEPT_DATES)
                        ? EXCEPT_DATES
                        : column.target().equals(JOB_SCHEDULES.PAYLOAD) ? payload : column.target())
            .collect(Collectors.toCollection(ArrayList::new));
    selected.addAll(List.of(more));
    return selected;
  }

  /** Reads a schedule from a row that has the columns of {@link #selected}. */
  static StoredSchedule read(Row row) throws SQLException {
    return new StoredSchedule(
        row.text(JOB_SCHEDULES.NAME),
        definition(row),
        new StoredSchedule.Source(
            ScheduleOrigin.of(row.text(JOB_SCHEDULES.ORIGIN)),
            row.flag(JOB_SCHEDULES.AUTHORITATIVE),
            row.textOrNull(JOB_SCHEDULES.DECLARATION),
            row.instantOrNull(JOB_SCHEDULES.DECLARED_AT),
            row.instantOrNull(JOB_SCHEDULES.TIMING_CHANGED_AT)),
        new StoredSchedule.Progress(
            row.instantOrNull(JOB_SCHEDULES.DUE_AT),
            row.instantOrNull(JOB_SCHEDULES.NEXT_AT),
            row.instantOrNull(JOB_SCHEDULES.LAST_AT),
            row.numberOrNull(JOB_SCHEDULES.LAST_JOB_ID),
            row.instantOrNull(JOB_SCHEDULES.REQUESTED_AT),
            row.textOrNull(JOB_SCHEDULES.ZONE_RULES)),
        new StoredSchedule.Failures(
            row.integer(JOB_SCHEDULES.FAILURES),
            row.instantOrNull(JOB_SCHEDULES.FAILED_AT),
            row.textOrNull(JOB_SCHEDULES.LAST_ERROR)),
        row.instantOrNull(JOB_SCHEDULES.PAUSED_AT),
        row.instant(JOB_SCHEDULES.CREATED_AT),
        row.instant(JOB_SCHEDULES.UPDATED_AT));
  }

  private static StoredSchedule.Definition definition(Row row) throws SQLException {
    return new StoredSchedule.Definition(
        new StoredTiming(
            row.textOrNull(JOB_SCHEDULES.CRON),
            row.numberOrNull(JOB_SCHEDULES.INTERVAL_SECONDS),
            row.flag(JOB_SCHEDULES.ALIGNED),
            row.text(JOB_SCHEDULES.ZONE),
            row.texts(EXCEPT_DATES).stream().map(LocalDate::parse).toList()),
        missed(
            Missed.Policy.of(row.text(JOB_SCHEDULES.MISSED)),
            row.integer(JOB_SCHEDULES.MISSED_MAXIMUM)),
        Overlap.of(row.text(JOB_SCHEDULES.OVERLAP)),
        Duration.ofMillis(row.number(JOB_SCHEDULES.JITTER_MS)),
        new StoredSchedule.Job(
            row.text(JOB_SCHEDULES.QUEUE),
            row.text(JOB_SCHEDULES.KIND),
            row.textOrNull(JOB_SCHEDULES.PAYLOAD),
            row.integer(JOB_SCHEDULES.PAYLOAD_VERSION),
            row.integerOrNull(JOB_SCHEDULES.PRIORITY),
            row.integerOrNull(JOB_SCHEDULES.MAX_ATTEMPTS),
            row.texts(JOB_SCHEDULES.TAGS)),
        row.textOrNull(JOB_SCHEDULES.DESCRIPTION),
        row.flag(JOB_SCHEDULES.IN_CODE));
  }

  /**
   * Returns the rule for missed times. Ignores the maximum of policies other than {@code all},
   * because an operator may have changed only the policy in SQL.
   */
  private static Missed missed(Missed.Policy policy, int maximum) {
    return new Missed(policy, policy == Missed.Policy.ALL ? maximum : 1);
  }

  /** Returns an instant in the form in which parameters pass it. */
  static @Nullable String text(@Nullable Instant instant) {
    return instant == null ? null : instant.toString();
  }
}
