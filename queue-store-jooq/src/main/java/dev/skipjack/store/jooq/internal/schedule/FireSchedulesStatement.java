package dev.skipjack.store.jooq.internal.schedule;

import static dev.skipjack.model.Sequences.JOBS_ID_SEQ;
import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_KEYS;
import static dev.skipjack.model.Tables.JOB_SCHEDULES;
import static dev.skipjack.sql.Existence.exists;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.excluded;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.insertInto;
import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.not;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.JobId;
import dev.skipjack.api.schedule.ScheduledFire;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.NextId;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import dev.skipjack.store.jooq.internal.JobInsert;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Record1;
import org.jooq.Select;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Fires a batch of schedules: enqueues their jobs and sets their next planned times.
 *
 * <pre>{@code
 * WITH locked AS MATERIALIZED (SELECT job_schedules.name, move.next_at, ... FROM job_schedules JOIN unnest(...) AS move ON job_schedules.name = move.name
 *                               WHERE next_at IS NOT DISTINCT FROM move.planned_at AND updated_at = move.updated_at
 *                               ORDER BY name FOR UPDATE OF job_schedules SKIP LOCKED),
 * incoming AS MATERIALIZED (SELECT nextval('jobs_id_seq') AS id, given.* FROM unnest(...) AS given
 *                            WHERE coalesce(given.schedule IN (SELECT name FROM locked), false)),
 * taken    AS (INSERT INTO job_keys SELECT fire_key, id, ... FROM incoming ORDER BY position
 *              ON CONFLICT (key) DO UPDATE ... WHERE job_keys.expires_at <= clock_timestamp() RETURNING job_id),
 * inserted AS (INSERT INTO jobs SELECT ... FROM incoming
 *               WHERE coalesce(id IN (SELECT job_id FROM taken), false)
 *                 AND NOT EXISTS (SELECT 1 FROM jobs WHERE unique_key = incoming.unique_key)
 *               ORDER BY position ON CONFLICT (unique_key) WHERE unique_key IS NOT NULL DO NOTHING RETURNING id),
 * target   AS (SELECT name, next_at, due_at, last_at, zone_rules, max(id) AS job_id
 *                FROM (locked UNION ALL the inserted jobs) AS parts GROUP BY name),
 * moved    AS (UPDATE job_schedules SET next_at = target.next_at, due_at = target.due_at, last_at = target.last_at,
 *                                       zone_rules = target.zone_rules, missed_until = CASE WHEN target.next_at <= missed_until THEN missed_until END, last_job_id = coalesce(target.job_id, last_job_id), ...
 *                FROM target WHERE job_schedules.name = target.name RETURNING name)
 * SELECT incoming.position, CASE WHEN id IN (SELECT id FROM inserted) THEN id END FROM incoming ORDER BY position
 * }</pre>
 *
 * <p>A schedule fires only if its row has the same next planned time and the same definition as
 * when it was read. If several workers have read the same row, one of them locks and updates it,
 * and the others skip it or find it changed. No clock is compared, so nothing fires twice if a
 * clock is set back. In case the next planned time is set back, each schedule and planned time has
 * a key, which is kept for two hours.
 *
 * <p>The jobs of a schedule that must not overlap have a unique key. A job is not inserted while
 * another live job holds its key. The statement searches for that holder before it inserts the job:
 * the insert alone would wait for an open transaction that has deleted the holder.
 *
 * <p>Locks rows of {@code job_schedules} in the order of their names and without waiting, then
 * inserts keys and jobs. No transaction that holds a key or a job waits for a schedule.
 */
final class FireSchedulesStatement {

  /** Separates the keys of planned times from the idempotency keys of applications. */
  private static final String KEY_PREFIX = "schedule:";

  /**
   * How long the key of a planned time is kept. This exceeds the usual correction of a wrong clock.
   */
  private static final Duration KEPT = Duration.ofHours(2);

  private static final Param<Long> KEPT_MICROS = param("kept", Long.class);

  private static final ArrayRows MOVES =
      ArrayRows.named("move")
          .column("name", Texts.array("names"))
          .column("planned_at", instants("planned_at"))
          .column("updated_at", instants("updated_at"))
          .column("next_at", instants("next_at"))
          .column("due_at", instants("due_at"))
          .column("last_at", instants("last_at"))
          .column("zone_rules", Texts.array("zone_rules"));

  private static final Field<String> MOVED_NAME = MOVES.field("name", String.class);
  private static final Field<String> LOCKED_NAME = locked("name", String.class);
  private static final Field<String> SCHEDULE = field(name("incoming", "schedule"), String.class);

  private FireSchedulesStatement() {}

  /**
   * A schedule to fire, and the job of each planned time.
   *
   * @param read the schedule as it was read
   * @param moved the schedule with its next planned time
   */
  record Firing(StoredSchedule read, StoredSchedule moved, List<Fire> fires) {}

  /** A planned time and its job. */
  record Fire(ScheduledFire fire, NewJob job) {}

  /**
   * The result of one planned time.
   *
   * @param index the index of the planned time among all planned times of the request
   * @param job the new job, or empty if there is none because a live job holds its unique key or
   *     the planned time has fired before
   */
  record Result(int index, Optional<JobId> job) {}

  /**
   * Creates the statement. It returns one result per planned time of the schedules that had not
   * changed since they were read.
   */
  static Statement<List<Firing>, Result> of(DSLContext dialect) {
    Field<Long> id = when(JobInsert.ID.in(column("inserted", "id")), JobInsert.ID);
    return Statement.of(
        dialect,
        with(locked(), incoming(), taken(), inserted(), target(), moved())
            .select(JobInsert.POSITION, id)
            .from(table(name("incoming")))
            .orderBy(JobInsert.POSITION),
        FireSchedulesStatement::arguments,
        row ->
            new Result(
                (int) row.number(JobInsert.POSITION) - 1,
                Optional.ofNullable(row.numberOrNull(id)).map(JobId::new)));
  }

  private static Param<Instant[]> instants(String name) {
    return param(name, SQLDataType.INSTANT.getArrayDataType());
  }

  private static CommonTableExpression<?> locked() {
    return name("locked")
        .asMaterialized(
            select(
                    JOB_SCHEDULES.NAME,
                    MOVES.field("next_at", Instant.class),
                    MOVES.field("due_at", Instant.class),
                    MOVES.field("last_at", Instant.class),
                    MOVES.field("zone_rules", String.class))
                .from(JOB_SCHEDULES)
                .join(MOVES.table())
                .on(JOB_SCHEDULES.NAME.eq(MOVED_NAME))
                .where(
                    JOB_SCHEDULES.NEXT_AT.isNotDistinctFrom(
                        MOVES.field("planned_at", Instant.class)))
                .and(JOB_SCHEDULES.UPDATED_AT.eq(MOVES.field("updated_at", Instant.class)))
                .orderBy(JOB_SCHEDULES.NAME)
                .forUpdate()
                .of(JOB_SCHEDULES)
                .skipLocked());
  }

  private static CommonTableExpression<?> incoming() {
    ArrayRows given =
        JobInsert.given()
            .column("schedule", Texts.array("schedules"))
            .column("fire_key", Texts.array("fire_keys"))
            .withPosition();
    return name("incoming")
        .asMaterialized(
            select(NextId.of(JOBS_ID_SEQ).as(JOBS.ID), given.table().asterisk())
                .from(given.table())
                .where(isLocked(given.field("schedule", String.class))));
  }

  /**
   * Returns the condition that a schedule is locked, in a form that the planner keeps as a hashed
   * subplan (see EnqueueOnceStatement).
   */
  private static Condition isLocked(Field<String> schedule) {
    Select<Record1<String>> locked = select(LOCKED_NAME).from(table(name("locked")));
    return condition(coalesce(field(schedule.in(locked)), inline(false)));
  }

  private static CommonTableExpression<?> taken() {
    return name("taken")
        .as(
            insertInto(JOB_KEYS, JOB_KEYS.KEY, JOB_KEYS.JOB_ID, JOB_KEYS.EXPIRES_AT)
                .select(
                    select(
                            field(name("incoming", "fire_key"), String.class),
                            JobInsert.ID,
                            DatabaseClock.plusMicros(DatabaseClock.NOW, KEPT_MICROS))
                        .from(table(name("incoming")))
                        .orderBy(JobInsert.POSITION))
                .onConflict(JOB_KEYS.KEY)
                .doUpdate()
                .set(JOB_KEYS.JOB_ID, excluded(JOB_KEYS.JOB_ID))
                .set(JOB_KEYS.EXPIRES_AT, excluded(JOB_KEYS.EXPIRES_AT))
                .where(JOB_KEYS.EXPIRES_AT.le(DatabaseClock.NOW))
                .returning(JOB_KEYS.JOB_ID));
  }

  private static CommonTableExpression<?> inserted() {
    Field<Boolean> taken = field(JobInsert.ID.in(column("taken", "job_id")));
    return name("inserted")
        .as(
            JobInsert.insert(
                    JobInsert.POSITION,
                    condition(coalesce(taken, inline(false))).and(not(hasLiveHolder())))
                .onConflict(JOBS.UNIQUE_KEY)
                .where(JOBS.UNIQUE_KEY.isNotNull())
                .doNothing()
                .returning(JOBS.ID));
  }

  private static Condition hasLiveHolder() {
    Table<?> holder = JOBS.as("holder");
    return exists(
        selectOne()
            .from(holder)
            .where(field(name("holder", "unique_key"), String.class).eq(JobInsert.UNIQUE_KEY)));
  }

  /**
   * Returns a CTE with the new values of each locked schedule and the last job that was inserted
   * for it. It groups, because a generic plan would run a join of a thousand schedules and jobs in
   * nested loops.
   */
  private static CommonTableExpression<?> target() {
    Field<Instant> none = castNull(SQLDataType.INSTANT);
    Field<String> noRules = castNull(SQLDataType.CLOB);
    Table<?> parts =
        select(
                LOCKED_NAME,
                locked("next_at", Instant.class),
                locked("due_at", Instant.class),
                locked("last_at", Instant.class),
                locked("zone_rules", String.class),
                castNull(SQLDataType.BIGINT).as("id"))
            .from(table(name("locked")))
            .unionAll(
                select(SCHEDULE, none, none, none, noRules, JobInsert.ID)
                    .from(table(name("incoming")))
                    .where(condition(field(JobInsert.ID.in(column("inserted", "id"))))))
            .asTable("parts");
    Field<String> name = field(name("parts", "name"), String.class);
    return name("target")
        .as(
            select(
                    name,
                    max(field(name("parts", "next_at"), Instant.class)).as("next_at"),
                    max(field(name("parts", "due_at"), Instant.class)).as("due_at"),
                    max(field(name("parts", "last_at"), Instant.class)).as("last_at"),
                    max(field(name("parts", "zone_rules"), String.class)).as("zone_rules"),
                    max(field(name("parts", "id"), Long.class)).as("job_id"))
                .from(parts)
                .groupBy(name));
  }

  private static CommonTableExpression<?> moved() {
    return name("moved")
        .as(
            update(JOB_SCHEDULES)
                .set(JOB_SCHEDULES.NEXT_AT, target("next_at", Instant.class))
                .set(JOB_SCHEDULES.DUE_AT, target("due_at", Instant.class))
                .set(JOB_SCHEDULES.LAST_AT, target("last_at", Instant.class))
                .set(JOB_SCHEDULES.ZONE_RULES, target("zone_rules", String.class))
                .set(
                    JOB_SCHEDULES.MISSED_UNTIL,
                    when(
                        target("next_at", Instant.class).le(JOB_SCHEDULES.MISSED_UNTIL),
                        JOB_SCHEDULES.MISSED_UNTIL))
                .set(
                    JOB_SCHEDULES.LAST_JOB_ID,
                    coalesce(target("job_id", Long.class), JOB_SCHEDULES.LAST_JOB_ID))
                .set(JOB_SCHEDULES.REQUESTED_AT, castNull(JOB_SCHEDULES.REQUESTED_AT))
                .set(JOB_SCHEDULES.FAILURES, inline(0))
                .set(JOB_SCHEDULES.FAILED_AT, castNull(JOB_SCHEDULES.FAILED_AT))
                .set(JOB_SCHEDULES.LAST_ERROR, castNull(JOB_SCHEDULES.LAST_ERROR))
                .from(table(name("target")))
                .where(JOB_SCHEDULES.NAME.eq(target("name", String.class)))
                .returning(JOB_SCHEDULES.NAME));
  }

  private static <T> Field<T> locked(String column, Class<T> type) {
    return field(name("locked", column), type);
  }

  private static <T> Field<T> target(String column, Class<T> type) {
    return field(name("target", column), type);
  }

  private static Select<Record1<Long>> column(String table, String column) {
    return select(field(name(table, column), Long.class)).from(table(name(table)));
  }

  private static Arguments arguments(List<Firing> firings) {
    List<Fire> fires = firings.stream().flatMap(firing -> firing.fires().stream()).toList();
    return JobInsert.arguments(fires.stream().map(Fire::job).toList())
        .texts("schedules", fires, fire -> fire.fire().schedule())
        .texts("fire_keys", fires, fire -> KEY_PREFIX + fire.fire().text())
        .number("kept", DatabaseClock.micros(KEPT))
        .texts("names", firings, firing -> firing.read().name())
        .timestamps("planned_at", firings, firing -> text(firing.read().progress().nextAt()))
        .timestamps("updated_at", firings, firing -> text(firing.read().updatedAt()))
        .timestamps("next_at", firings, firing -> text(firing.moved().progress().nextAt()))
        .timestamps("due_at", firings, firing -> text(firing.moved().progress().dueAt()))
        .timestamps("last_at", firings, firing -> text(firing.moved().progress().lastAt()))
        .texts("zone_rules", firings, firing -> firing.moved().progress().zoneRules());
  }

  private static @Nullable String text(@Nullable Instant instant) {
    return ScheduleColumns.text(instant);
  }
}
