package dev.skipjack.store.jooq.internal.schedule;

import static dev.skipjack.model.Tables.JOB_SCHEDULES;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;

import dev.skipjack.api.schedule.Missed;
import dev.skipjack.api.schedule.Overlap;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.ScheduleOrigin;
import dev.skipjack.api.spi.SafeText;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Texts;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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
   * The excluded dates in a fixed format, because the text of a date depends on the session's
   * DateStyle.
   */
  private static final Field<String[]> EXCEPT_DATES =
      field(
          "case when {0} = '{}' then '{}' when cardinality({0}) > {1} then array['more than 10,000 dates'] else array(select to_char(each, 'YYYY-MM-DD') from unnest({0}) as dates(each)) end",
          SQLDataType.CLOB.getArrayDataType(), JOB_SCHEDULES.EXCEPT_DATES, inline(10_000));

  private static final Instant END = Instant.parse("2126-01-01T00:00:00Z");

  /** The maximum length of a text, by the domain of its column. */
  private static final int LONGEST_TEXT = 4_000;

  private static final int LONGEST_REASON = 300;

  private static final Set<TableField<?, String>> TEXTS =
      Set.of(
          JOB_SCHEDULES.CRON,
          JOB_SCHEDULES.ZONE,
          JOB_SCHEDULES.ZONE_RULES,
          JOB_SCHEDULES.DESCRIPTION,
          JOB_SCHEDULES.DECLARATION,
          JOB_SCHEDULES.LAST_ERROR);

  /** A null payload with the name of the column. */
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
          new Column(JOB_SCHEDULES.MISSED_UNTIL, it -> it.progress().missedUntil()),
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
            .<Field<?>>map(column -> selected(column.target(), payload))
            .collect(Collectors.toCollection(ArrayList::new));
    selected.addAll(List.of(more));
    return selected;
  }

  /** Returns a column as it is read. Texts are cut, so that a huge one costs little. */
  private static Field<?> selected(TableField<?, ?> column, Field<JSONB> payload) {
    if (column.equals(JOB_SCHEDULES.EXCEPT_DATES)) {
      return EXCEPT_DATES;
    }
    if (column.equals(JOB_SCHEDULES.PAYLOAD)) {
      return payload;
    }
    return TEXTS.contains(column)
        ? field("left({0}, {1})", SQLDataType.CLOB, column, inline(LONGEST_TEXT + 1)).as(column)
        : column;
  }

  /** Reads a row that has the columns of {@link #selected}. */
  static StoredRow read(Row row) throws SQLException {
    try {
      return schedule(row);
    } catch (RuntimeException unreadable) {
      return unreadable(row, unreadable);
    } catch (SQLException unreadable) {
      if (unreadable.getSQLState() == null || unreadable.getSQLState().startsWith("08")) {
        throw unreadable;
      }
      return unreadable(row, unreadable);
    }
  }

  private static StoredSchedule schedule(Row row) throws SQLException {
    return new StoredSchedule(
        row.text(JOB_SCHEDULES.NAME),
        definition(row),
        new StoredSchedule.Source(
            ScheduleOrigin.of(row.text(JOB_SCHEDULES.ORIGIN)),
            row.flag(JOB_SCHEDULES.AUTHORITATIVE),
            text(row, JOB_SCHEDULES.DECLARATION),
            time(row, JOB_SCHEDULES.DECLARED_AT),
            time(row, JOB_SCHEDULES.TIMING_CHANGED_AT)),
        new StoredSchedule.Progress(
            time(row, JOB_SCHEDULES.DUE_AT),
            time(row, JOB_SCHEDULES.NEXT_AT),
            time(row, JOB_SCHEDULES.LAST_AT),
            jobId(row),
            time(row, JOB_SCHEDULES.REQUESTED_AT),
            text(row, JOB_SCHEDULES.ZONE_RULES),
            time(row, JOB_SCHEDULES.MISSED_UNTIL)),
        failures(row),
        time(row, JOB_SCHEDULES.PAUSED_AT),
        Objects.requireNonNull(time(row, JOB_SCHEDULES.CREATED_AT)),
        Objects.requireNonNull(time(row, JOB_SCHEDULES.UPDATED_AT)));
  }

  private static StoredSchedule.Definition definition(Row row) throws SQLException {
    return new StoredSchedule.Definition(
        new StoredTiming(
            text(row, JOB_SCHEDULES.CRON),
            row.numberOrNull(JOB_SCHEDULES.INTERVAL_SECONDS),
            row.flag(JOB_SCHEDULES.ALIGNED),
            Objects.requireNonNull(text(row, JOB_SCHEDULES.ZONE)),
            dates(row)),
        missed(
            Missed.Policy.of(row.text(JOB_SCHEDULES.MISSED)),
            row.integer(JOB_SCHEDULES.MISSED_MAXIMUM)),
        Overlap.of(row.text(JOB_SCHEDULES.OVERLAP)),
        jitter(row),
        new StoredSchedule.Job(
            row.text(JOB_SCHEDULES.QUEUE),
            row.text(JOB_SCHEDULES.KIND),
            row.textOrNull(JOB_SCHEDULES.PAYLOAD),
            row.integer(JOB_SCHEDULES.PAYLOAD_VERSION),
            row.integerOrNull(JOB_SCHEDULES.PRIORITY),
            row.integerOrNull(JOB_SCHEDULES.MAX_ATTEMPTS),
            tags(row)),
        text(row, JOB_SCHEDULES.DESCRIPTION),
        row.flag(JOB_SCHEDULES.IN_CODE));
  }

  private static @Nullable Instant time(Row row, Field<Instant> column) throws SQLException {
    Instant time = row.instantOrNull(column);
    if (time != null && (time.isBefore(Instant.EPOCH) || !time.isBefore(END))) {
      throw odd(column, time + " is not in the years 1970 to 2125");
    }
    return time;
  }

  private static @Nullable String text(Row row, Field<String> column) throws SQLException {
    String text = row.textOrNull(column);
    if (text != null && text.length() > LONGEST_TEXT) {
      throw odd(column, "it is longer than %,d characters".formatted(LONGEST_TEXT));
    }
    return text;
  }

  private static List<LocalDate> dates(Row row) throws SQLException {
    try {
      return row.textsWithoutNull(EXCEPT_DATES).stream().map(LocalDate::parse).toList();
    } catch (RuntimeException odd) {
      throw odd(
          JOB_SCHEDULES.EXCEPT_DATES,
          "it is not a list of at most 10,000 dates in the years 1 to 9999",
          odd);
    }
  }

  private static List<String> tags(Row row) throws SQLException {
    try {
      return row.texts(JOB_SCHEDULES.TAGS);
    } catch (RuntimeException odd) {
      throw odd(JOB_SCHEDULES.TAGS, "it is not a list of strings", odd);
    }
  }

  private static Duration jitter(Row row) throws SQLException {
    Duration jitter = Duration.ofMillis(row.number(JOB_SCHEDULES.JITTER_MS));
    if (jitter.isNegative() || jitter.compareTo(Schedule.LONGEST_JITTER) > 0) {
      throw odd(JOB_SCHEDULES.JITTER_MS, jitter + " is not in 0.." + Schedule.LONGEST_JITTER);
    }
    return jitter;
  }

  private static @Nullable Long jobId(Row row) throws SQLException {
    Long id = row.numberOrNull(JOB_SCHEDULES.LAST_JOB_ID);
    if (id != null && id < 1) {
      throw odd(JOB_SCHEDULES.LAST_JOB_ID, id + " is not positive");
    }
    return id;
  }

  private static StoredSchedule.Failures failures(Row row) throws SQLException {
    return new StoredSchedule.Failures(
        Math.max(row.integer(JOB_SCHEDULES.FAILURES), 0),
        time(row, JOB_SCHEDULES.FAILED_AT),
        text(row, JOB_SCHEDULES.LAST_ERROR));
  }

  private static IllegalArgumentException odd(Field<?> column, String why) {
    return odd(column, why, null);
  }

  private static IllegalArgumentException odd(
      Field<?> column, String why, @Nullable Throwable cause) {
    return new IllegalArgumentException("Column '%s': %s.".formatted(column.getName(), why), cause);
  }

  private static UnreadableRow unreadable(Row row, Exception reason) throws SQLException {
    return new UnreadableRow(
        row.text(JOB_SCHEDULES.NAME),
        SafeText.of(String.valueOf(reason.getMessage()), LONGEST_REASON),
        Objects.requireNonNullElse(row.textOrNull(JOB_SCHEDULES.QUEUE), ""),
        Objects.requireNonNullElse(row.textOrNull(JOB_SCHEDULES.KIND), ""),
        ScheduleOrigin.CODE.literal().equals(row.textOrNull(JOB_SCHEDULES.ORIGIN))
            ? ScheduleOrigin.CODE
            : ScheduleOrigin.OPERATOR,
        orElse(null, () -> time(row, JOB_SCHEDULES.PAUSED_AT)),
        Objects.requireNonNull(orElse(StoredSchedule.Failures.NONE, () -> failures(row))),
        Objects.requireNonNull(orElse(Instant.EPOCH, () -> time(row, JOB_SCHEDULES.CREATED_AT))),
        Objects.requireNonNull(orElse(Instant.EPOCH, () -> time(row, JOB_SCHEDULES.UPDATED_AT))));
  }

  private interface Reading<T> {
    @Nullable T read() throws SQLException;
  }

  private static <T> @Nullable T orElse(@Nullable T otherwise, Reading<T> reading)
      throws SQLException {
    try {
      return reading.read();
    } catch (RuntimeException odd) {
      return otherwise;
    }
  }

  /**
   * Returns the rule for missed times. Ignores the maximum of policies other than {@code all},
   * which remains if only the policy was changed in SQL.
   */
  private static Missed missed(Missed.Policy policy, int maximum) {
    return new Missed(policy, policy == Missed.Policy.ALL ? maximum : 1);
  }

  /** Returns an instant as the text of a parameter. */
  static @Nullable String text(@Nullable Instant instant) {
    return instant == null ? null : instant.toString();
  }
}
