package dev.skipjack.dedup;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.falseCondition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.greatest;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.least;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.not;
import static org.jooq.impl.DSL.notExists;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.trueCondition;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.HolderStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.UniqueKey;
import dev.skipjack.api.spi.UniqueUntil;
import dev.skipjack.model.tables.Jobs;
import dev.skipjack.store.jooq.internal.JobInsert;
import dev.skipjack.store.jooq.internal.sql.Arguments;
import dev.skipjack.store.jooq.internal.sql.ArrayRows;
import dev.skipjack.store.jooq.internal.sql.DatabaseClock;
import dev.skipjack.store.jooq.internal.sql.Texts;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Record1;
import org.jooq.ResultQuery;
import org.jooq.Select;
import org.jooq.SelectSeekStep1;
import org.jooq.Table;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the jobs that hold keys, holds still or changes those that have not used an attempt.
 *
 * <pre>{@code
 * WITH unused AS MATERIALIZED (SELECT jobs.id FROM jobs JOIN given ON jobs.id = given.twin_id
 *                               WHERE jobs.id = ANY (:twin_ids) AND jobs.unique_key IS NOT DISTINCT FROM given.unique_key
 *                                 AND status = 'pending' AND attempts = uncounted_attempts AND (jobs.kind = given.kind OR given.holds)
 *                               ORDER BY given.position FOR SHARE | FOR NO KEY UPDATE),
 * replaced AS (UPDATE jobs SET payload = CASE WHEN given.replaces_payload THEN given.payload ELSE jobs.payload END, ...
 *                FROM given WHERE jobs.id = given.twin_id AND jobs.id = ANY (ARRAY(SELECT id FROM unused))
 *                             AND jobs.kind = given.kind RETURNING jobs.id)
 * SELECT twin_id IN (SELECT id FROM unused), twin_id IN (SELECT id FROM replaced), twin.status, twin.attempts > twin.uncounted_attempts,
 *        twin.is_grippable
 *   FROM given LEFT JOIN LATERAL (SELECT ... FROM jobs WHERE id = given.twin_id AND unique_key IS NOT DISTINCT FROM ...) AS twin
 * }</pre>
 *
 * <p>To hold, the job and its key are looked at in the same way:
 *
 * <pre>{@code
 * WITH unused  AS MATERIALIZED (... AND NOT <late> ORDER BY given.position FOR SHARE),
 *      late    AS MATERIALIZED (... AND <late> AND NOT <overdue> ORDER BY given.position FOR SHARE SKIP LOCKED),
 *      overdue AS MATERIALIZED (... AND <overdue> AND NOT EXISTS (SELECT FROM jobs AS next WHERE unique_key = given.next_key)
 *                                ORDER BY given.position FOR NO KEY UPDATE SKIP LOCKED)
 * <late>:    given.next_key IS NOT NULL AND unique_until = 'started' AND scheduled_at < statement_timestamp() - interval '1 second'
 * <overdue>: the same with now()
 * }</pre>
 *
 * <p>A share lock, which several may have at once, keeps a claim from the job until the transaction
 * ends, so that a handler cannot start before what asked for it is committed. Transactions that
 * overlap would keep it from starting for ever. So one that is overdue is held only if no other
 * transaction holds it (the stronger lock, which waits for nobody, finds out), and not at all once
 * a next job has taken over; the caller gives its request to the next job. "Overdue" counts from
 * the start of the transaction ({@code now()}): one that shares the job already goes on sharing it,
 * so no two sharers ever wait for each other.
 *
 * <p>A transaction that began before the job was overdue shares it although it is late by now, but
 * does not wait for one that holds it alone: that one may wait for a next job of this transaction.
 * It is handed over too. The last of the next jobs is never overdue ({@code next_key} is null).
 *
 * <p>To replace: only a job of the given kind, because another's handler would not know the
 * payload; one of another kind is held if asked for. Its due time never moves into the past, where
 * a claim with a low-water mark would not see it, and a debounce leaves that of a job which has
 * been started before: it is its handler's, who snoozed it, or that of its release or redrive.
 *
 * <p>A job that is not unused is not locked, so that a caller's open transaction holds up no
 * heartbeat and no outcome; only one that is claimed within this statement's look and lock stays
 * locked. What somebody holds is waited for, in the order given. A twin that is grippable in the
 * answer and yet was not locked has changed meanwhile: look again. A key that is held for a period
 * is not in the job's row, so both are null.
 */
final class TwinStatement {

  /** What is done to a job that has not used an attempt. */
  enum Grip {
    NONE,
    HOLD,
    REPLACE
  }

  /**
   * What was found.
   *
   * @param done what was done to it
   * @param status where it was; null: it does not hold the key any more
   * @param isGrippable whether it was one to which something could be done
   * @param handsOver whether the request is for the next job if nothing was done to this one
   */
  record Found(Grip done, @Nullable HolderStatus status, boolean isGrippable, boolean handsOver) {}

  /** How long others may hold back a job that is due. */
  private static final Duration LONGEST_HOLD = Duration.ofSeconds(1);

  private static final Param<Long[]> TWIN_IDS = param("twin_ids", Long[].class);
  private static final Param<Boolean[]> HOLDS = param("holds", Boolean[].class);
  private static final Param<Boolean[]> REPLACES_PAYLOAD =
      param("replaces_payload", Boolean[].class);
  private static final Param<Boolean[]> REPLACES_PRIORITY =
      param("replaces_priority", Boolean[].class);
  private static final Param<Boolean[]> REPLACES_SCHEDULE =
      param("replaces_schedule", Boolean[].class);
  private static final Param<Long[]> MAX_WAITS = param("max_waits", Long[].class);

  private static final ArrayRows GIVEN =
      JobInsert.given()
          .column("twin_id", TWIN_IDS)
          .column("holds", HOLDS)
          .column("replaces_payload", REPLACES_PAYLOAD)
          .column("replaces_priority", REPLACES_PRIORITY)
          .column("replaces_schedule", REPLACES_SCHEDULE)
          .column("max_wait", MAX_WAITS)
          .withPosition();

  /** What a look needs of it; the columns have the same names. */
  private static final ArrayRows GIVEN_KEYS =
      ArrayRows.named("given")
          .column("unique_key", Texts.array("unique_keys"))
          .column("twin_id", TWIN_IDS)
          .withPosition();

  private static final ArrayRows GIVEN_HOLDS =
      ArrayRows.named("given")
          .column("unique_key", Texts.array("unique_keys"))
          .column("twin_id", TWIN_IDS)
          .column("next_key", Texts.array("next_keys"))
          .withPosition();

  private static final Field<String> NEXT_KEY = GIVEN_HOLDS.field("next_key", String.class);

  private static final Field<Long> TWIN_ID = GIVEN.field("twin_id", Long.class);
  private static final Field<Long> POSITION = GIVEN.field("position", Long.class);

  private TwinStatement() {}

  static ResultQuery<?> query(Grip grip) {
    return switch (grip) {
      case NONE -> answer(with(name("unused").as(none())), grip);
      case HOLD ->
          answer(
              with(
                  name("unused")
                      .asMaterialized(unused(grip, not(isLate(JOBS))).forShare().of(JOBS)),
                  name("late")
                      .asMaterialized(
                          unused(grip, isLate(JOBS).and(not(isOverdue(JOBS))))
                              .forShare()
                              .of(JOBS)
                              .skipLocked()),
                  name("overdue")
                      .asMaterialized(
                          unused(grip, isOverdueAlone()).forNoKeyUpdate().of(JOBS).skipLocked())),
              grip);
      case REPLACE ->
          answer(
              with(
                  name("unused")
                      .asMaterialized(unused(grip, noCondition()).forNoKeyUpdate().of(JOBS)),
                  replaced()),
              grip);
    };
  }

  private static Select<Record1<Long>> none() {
    return select(inline(0L).as("id")).where(inline(false));
  }

  private static SelectSeekStep1<Record1<Long>, Long> unused(Grip grip, Condition which) {
    return select(JOBS.ID)
        .from(JOBS)
        .join(given(grip))
        .on(JOBS.ID.eq(TWIN_ID))
        .where(JOBS.ID.eq(any(TWIN_IDS)))
        .and(holdsKey(JOBS))
        .and(isGrippable(JOBS, grip))
        .and(which)
        .orderBy(POSITION);
  }

  private static Table<?> given(Grip grip) {
    return switch (grip) {
      case NONE -> GIVEN_KEYS.table();
      case HOLD -> GIVEN_HOLDS.table();
      case REPLACE -> GIVEN.table();
    };
  }

  private static Condition isOverdue(Jobs job) {
    return isDueSinceLong(job, DatabaseClock.TRANSACTION_START);
  }

  private static Condition isLate(Jobs job) {
    return isDueSinceLong(job, DatabaseClock.STATEMENT_START);
  }

  private static Condition isDueSinceLong(Jobs job, Field<Instant> now) {
    return NEXT_KEY
        .isNotNull()
        .and(job.UNIQUE_UNTIL.isNotDistinctFrom(inline(UniqueUntil.STARTED, job.UNIQUE_UNTIL)))
        .and(
            job.SCHEDULED_AT.lt(
                DatabaseClock.plusMicros(now, inline(-DatabaseClock.micros(LONGEST_HOLD)))));
  }

  /** A CASE, because the planner would make a join with all jobs of a bare NOT EXISTS. */
  private static Condition isOverdueAlone() {
    Jobs next = JOBS.as("next");
    return condition(
        when(
                isOverdue(JOBS),
                field(notExists(selectOne().from(next).where(next.UNIQUE_KEY.eq(NEXT_KEY)))))
            .otherwise(inline(false)));
  }

  private static Condition isGrippable(Jobs job, Grip grip) {
    return switch (grip) {
      case NONE -> falseCondition();
      case HOLD -> Twins.isUnused(job);
      case REPLACE ->
          Twins.isUnused(job).and(isOfKind(job).or(GIVEN.field("holds", Boolean.class).isTrue()));
    };
  }

  private static CommonTableExpression<?> replaced() {
    Field<Long> delay = GIVEN.field("delay", Long.class);
    Field<Long> maxWait = GIVEN.field("max_wait", Long.class);
    Field<Instant> wanted =
        greatest(
            coalesce(GIVEN.field("scheduled_at", Instant.class), DatabaseClock.NOW),
            DatabaseClock.NOW);
    Field<Short> ofQueue =
        field(
            select(JOB_QUEUES.DEFAULT_PRIORITY)
                .from(JOB_QUEUES)
                .where(JOB_QUEUES.QUEUE.eq(JOBS.QUEUE)));
    Condition replacesPayload = GIVEN.field("replaces_payload", Boolean.class).isTrue();
    return name("replaced")
        .as(
            update(JOBS)
                .set(
                    JOBS.PAYLOAD,
                    when(replacesPayload, cast(GIVEN.field("payload", String.class), JOBS.PAYLOAD))
                        .otherwise(JOBS.PAYLOAD))
                .set(
                    JOBS.PAYLOAD_VERSION,
                    when(replacesPayload, GIVEN.field("payload_version", Integer.class))
                        .otherwise(JOBS.PAYLOAD_VERSION))
                .set(
                    JOBS.PRIORITY,
                    when(
                            GIVEN.field("replaces_priority", Boolean.class).isTrue(),
                            coalesce(
                                GIVEN.field("priority", Short.class), ofQueue, inline((short) 0)))
                        .otherwise(JOBS.PRIORITY))
                .set(
                    JOBS.SCHEDULED_AT,
                    when(maxWait.isNotNull().and(JOBS.ATTEMPTS.gt(inline(0))), JOBS.SCHEDULED_AT)
                        .when(
                            maxWait.isNotNull(),
                            greatest(
                                DatabaseClock.NOW,
                                least(
                                    DatabaseClock.plusMicros(DatabaseClock.NOW, delay),
                                    DatabaseClock.plusMicros(JOBS.CREATED_AT, maxWait))))
                        .when(
                            GIVEN.field("replaces_schedule", Boolean.class).isTrue(),
                            DatabaseClock.plusMicros(wanted, delay))
                        .otherwise(JOBS.SCHEDULED_AT))
                .set(JOBS.UPDATED_AT, DatabaseClock.NOW)
                .from(GIVEN.table())
                .where(JOBS.ID.eq(TWIN_ID))
                .and(JOBS.ID.eq(any(org.jooq.impl.DSL.array(idsOf("unused")))))
                .and(isOfKind(JOBS))
                .returning(JOBS.ID));
  }

  private static ResultQuery<?> answer(org.jooq.WithStep with, Grip grip) {
    Jobs holder = JOBS.as("holder");
    List<Field<?>> columns =
        new ArrayList<>(
            List.of(
                holder.STATUS,
                Twins.hasUsedAttempt(holder).as("has_used_attempt"),
                field(isGrippable(holder, grip)).as("is_grippable")));
    if (grip == Grip.HOLD) {
      columns.add(field(isOverdue(holder)).as("is_overdue"));
      columns.add(field(isLate(holder)).as("is_late"));
    }
    Table<?> twin =
        select(columns)
            .from(holder)
            .where(holder.ID.eq(TWIN_ID))
            .and(holdsKey(holder))
            .limit(inline(1))
            .asTable("twin");
    Field<Boolean> isOverdue = field(name("twin", "is_overdue"), Boolean.class);
    Field<Boolean> isLate = field(name("twin", "is_late"), Boolean.class);
    return with.select(
            grip == Grip.HOLD
                ? when(isOverdue, isIn("overdue"))
                    .when(isLate, isIn("late"))
                    .otherwise(isIn("unused"))
                : isIn("unused"),
            grip == Grip.REPLACE ? isIn("replaced") : inline(false),
            field(name("twin", "status"), JOBS.STATUS.getDataType()),
            field(name("twin", "has_used_attempt"), Boolean.class),
            field(name("twin", "is_grippable"), Boolean.class),
            grip == Grip.HOLD ? isLate : inline(false))
        .from(given(grip))
        .leftJoin(lateral(twin))
        .on(trueCondition())
        .orderBy(POSITION);
  }

  private static Field<Boolean> isIn(String name) {
    return coalesce(field(TWIN_ID.in(idsOf(name))), inline(false));
  }

  private static Select<Record1<Long>> idsOf(String name) {
    return select(field(name(name, "id"), Long.class)).from(table(name(name)));
  }

  private static Condition holdsKey(Jobs job) {
    return job.UNIQUE_KEY.isNotDistinctFrom(GIVEN.field("unique_key", String.class));
  }

  private static Condition isOfKind(Jobs job) {
    return job.KIND.eq(GIVEN.field("kind", String.class));
  }

  /**
   * The values for its parameters.
   *
   * @param twins the job that holds the key of each
   * @param holds whether one of another kind that cannot be replaced is held
   */
  static Arguments arguments(
      Grip grip, List<NewJob> jobs, List<JobId> twins, boolean holds, Conflict conflict) {
    if (grip != Grip.REPLACE) {
      Arguments keys =
          new Arguments()
              .texts("unique_keys", jobs, TwinStatement::uniqueKey)
              .bigints("twin_ids", twins, JobId::value);
      return grip == Grip.HOLD ? keys.texts("next_keys", jobs, TwinStatement::nextKey) : keys;
    }
    Duration maxWait = conflict.maxWait();
    return JobInsert.arguments(jobs)
        .bigints("twin_ids", twins, JobId::value)
        .booleans("holds", jobs, job -> holds)
        .booleans("replaces_payload", jobs, job -> conflict.changes(JobPart.PAYLOAD))
        .booleans("replaces_priority", jobs, job -> conflict.changes(JobPart.PRIORITY))
        .booleans("replaces_schedule", jobs, job -> conflict.changes(JobPart.SCHEDULE))
        .bigints("max_waits", jobs, job -> maxWait == null ? null : DatabaseClock.micros(maxWait));
  }

  private static @Nullable String uniqueKey(NewJob job) {
    UniqueKey key = job.uniqueKey();
    return key == null ? null : key.key();
  }

  /** Null for a request of the last key: the job that holds it keeps it. */
  private static @Nullable String nextKey(NewJob job) {
    NewJob next = UniqueKeys.next(job);
    return next == null ? null : UniqueKeys.of(next);
  }

  static Found read(ResultSet row) throws SQLException {
    Grip held = row.getBoolean(1) ? Grip.HOLD : Grip.NONE;
    return new Found(
        row.getBoolean(2) ? Grip.REPLACE : held,
        Twins.read(row, 3, 4),
        row.getBoolean(5),
        row.getBoolean(6));
  }
}
