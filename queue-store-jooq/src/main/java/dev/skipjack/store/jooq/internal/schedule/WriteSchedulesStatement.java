package dev.skipjack.store.jooq.internal.schedule;

import static dev.skipjack.model.Tables.JOB_SCHEDULES;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.deleteFrom;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.insertInto;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.schedule.ScheduleOrigin;
import dev.skipjack.model.tables.records.JobSchedulesRecord;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.util.Collection;
import java.util.Map;
import java.util.function.Function;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.ResultQuery;

/**
 * Inserts, replaces, touches, pauses or deletes schedules, with one statement for each of these.
 *
 * <pre>{@code
 * WITH written AS (INSERT INTO job_schedules SELECT ... FROM unnest(...) AS given ORDER BY name ON CONFLICT (name) DO NOTHING RETURNING name
 *                 | UPDATE job_schedules SET ... FROM unnest(...) AS given WHERE job_schedules.name = given.name RETURNING name
 *                 | UPDATE job_schedules SET declared_at = clock_timestamp() WHERE name = ANY (:names) AND origin = 'code' RETURNING name
 *                 | UPDATE job_schedules SET paused_at = clock_timestamp(), requested_at = NULL, updated_at = clock_timestamp() WHERE name = ANY (:names) RETURNING name
 *                 | DELETE FROM job_schedules WHERE name = ANY (:names) RETURNING name)
 * SELECT name FROM written
 * }</pre>
 *
 * <p>The caller locks the rows with LockSchedulesStatement before it replaces, pauses or deletes
 * them. An insert waits for a concurrent insert of the same name, and has no effect if that one is
 * committed.
 */
final class WriteSchedulesStatement {

  private static final Param<String[]> NAMES = Texts.array("names");

  private WriteSchedulesStatement() {}

  /**
   * Creates the statement that inserts schedules and returns the names of those that did not exist.
   */
  static Statement<Collection<StoredSchedule>, String> insert(DSLContext dialect) {
    ArrayRows given = ScheduleColumns.given();
    Map<Field<?>, Field<?>> values = ScheduleColumns.values(given);
    return of(
        dialect,
        insertInto(JOB_SCHEDULES, values.keySet())
            .select(
                select(values.values())
                    .from(given.table())
                    .orderBy(given.field("name", String.class)))
            .onConflict(JOB_SCHEDULES.NAME)
            .doNothing()
            .returning(JOB_SCHEDULES.NAME),
        ScheduleColumns::arguments);
  }

  /** Creates the statement that replaces schedules that are locked, and returns their names. */
  static Statement<Collection<StoredSchedule>, String> replace(DSLContext dialect) {
    ArrayRows given = ScheduleColumns.given();
    return of(
        dialect,
        update(JOB_SCHEDULES)
            .set(ScheduleColumns.values(given))
            .from(given.table())
            .where(JOB_SCHEDULES.NAME.eq(given.field("name", String.class)))
            .returning(JOB_SCHEDULES.NAME),
        ScheduleColumns::arguments);
  }

  /**
   * Creates the statement that records that a running program declares schedules, and returns the
   * names of those that code created.
   */
  static Statement<Collection<String>, String> touch(DSLContext dialect) {
    return of(
        dialect,
        update(JOB_SCHEDULES)
            .set(JOB_SCHEDULES.DECLARED_AT, DatabaseClock.NOW)
            .where(JOB_SCHEDULES.NAME.eq(any(NAMES)))
            .and(JOB_SCHEDULES.ORIGIN.eq(inline(ScheduleOrigin.CODE.literal())))
            .returning(JOB_SCHEDULES.NAME),
        WriteSchedulesStatement::names);
  }

  /**
   * Creates the statement that pauses schedules, and returns their names. Unlike {@link #replace},
   * it keeps the values of all other columns, even those that cannot be read.
   */
  static Statement<Collection<String>, String> pause(DSLContext dialect) {
    return of(
        dialect,
        update(JOB_SCHEDULES)
            .set(JOB_SCHEDULES.PAUSED_AT, DatabaseClock.NOW)
            .set(JOB_SCHEDULES.REQUESTED_AT, castNull(JOB_SCHEDULES.REQUESTED_AT))
            .set(JOB_SCHEDULES.UPDATED_AT, DatabaseClock.NOW)
            .where(JOB_SCHEDULES.NAME.eq(any(NAMES)))
            .returning(JOB_SCHEDULES.NAME),
        WriteSchedulesStatement::names);
  }

  /** Creates the statement that deletes schedules that are locked, and returns their names. */
  static Statement<Collection<String>, String> delete(DSLContext dialect) {
    return of(
        dialect,
        deleteFrom(JOB_SCHEDULES)
            .where(JOB_SCHEDULES.NAME.eq(any(NAMES)))
            .returning(JOB_SCHEDULES.NAME),
        WriteSchedulesStatement::names);
  }

  private static <Q> Statement<Q, String> of(
      DSLContext dialect, ResultQuery<JobSchedulesRecord> write, Function<Q, Arguments> binding) {
    CommonTableExpression<?> written = name("written").as(write);
    Field<String> name = field(name("written", "name"), String.class);
    return Statement.of(
        dialect, with(written).select(name).from(written), binding, row -> row.text(name));
  }

  private static Arguments names(Collection<String> names) {
    return new Arguments().texts("names", names, name -> name);
  }
}
