package dev.skipjack.dedup;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static dev.skipjack.sql.Existence.notExists;
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
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import dev.skipjack.store.jooq.internal.JobInsert;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Record1;
import org.jooq.Select;
import org.jooq.SelectSeekStep1;
import org.jooq.Table;
import org.jooq.WithStep;
import org.jspecify.annotations.Nullable;

/**
 * Reads the jobs that hold the given keys and, depending on the action, locks or changes those that
 * have not used an attempt.
 *
 * <pre>{@code
 * WITH unused AS MATERIALIZED (SELECT jobs.id FROM jobs JOIN given ON jobs.id = given.twin_id
 *                               WHERE jobs.id = ANY (:twin_ids) AND jobs.unique_key IS NOT DISTINCT FROM given.unique_key
 *                                 AND status IN ('pending', 'waiting') AND attempts = uncounted_attempts AND (jobs.kind = given.kind OR given.holds)
 *                               ORDER BY given.position FOR SHARE | FOR NO KEY UPDATE),
 * replaced AS (UPDATE jobs SET payload = CASE WHEN given.replaces_payload THEN given.payload ELSE jobs.payload END, ...
 *                FROM given WHERE jobs.id = given.twin_id AND jobs.id = ANY (ARRAY(SELECT id FROM unused))
 *                             AND jobs.kind = given.kind RETURNING jobs.id)
 * SELECT twin_id IN (SELECT id FROM unused), twin_id IN (SELECT id FROM replaced), twin.status, twin.attempts > twin.uncounted_attempts,
 *        twin.is_grippable
 *   FROM given LEFT JOIN LATERAL (SELECT ... FROM jobs WHERE id = given.twin_id AND unique_key IS NOT DISTINCT FROM ...) AS twin
 * }</pre>
 *
 * <p>Jobs that must be held are found by id and key in the same way:
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
 * <p>A job is held by a share lock, which several transactions can have at the same time. The job
 * cannot be claimed until they have ended, so its handler sees what the transaction that enqueued
 * the duplicate commits. Overlapping transactions could prevent the job from ever starting. An
 * overdue job is therefore held only if no other transaction holds it, which the stronger lock
 * detects without waiting. If there is a next job, an overdue job is not held at all, and the
 * caller hands its request over to the next job. Whether a job is overdue is determined as of the
 * start of the transaction ({@code now()}), so a transaction that already shares the job continues
 * to share it, and two such transactions never wait for each other.
 *
 * <p>A transaction that began before the job was overdue still shares the job, but does not wait
 * for a transaction that holds it exclusively: the request is handed over instead, because that
 * transaction may be waiting for one of the next jobs. The last of the next jobs is never treated
 * as overdue ({@code next_key} is null).
 *
 * <p>Only a job of the given kind is replaced, because the handler of another kind could not read
 * the payload. A job of another kind is held if requested. A due time in the past becomes the
 * current time, because otherwise a claim with a low-water mark might find the job only after the
 * next sweep. A debounce does not change the due time of a job that has been started before,
 * because that time was set by a snooze, a release or a redrive.
 *
 * <p>A job that has used an attempt is not locked, so that a caller's open transaction does not
 * block heartbeats or outcomes. Only a job that is claimed between the statement's snapshot and its
 * lock remains locked. The statement waits for locked rows in the given order. If a holder is
 * eligible but was not locked, it has changed in the meantime, and the caller repeats the
 * statement. A key that is held for a period is not stored in the job's row, so both of the
 * compared keys are null.
 */
final class ResolveConflictStatement {

  /** The action on a holder that has not used an attempt. */
  enum HolderAction {
    /** Only the holder's status is read. */
    NONE,
    /** The holder is locked, so that it does not start before the transaction ends. */
    HOLD,
    /** The holder is changed, or only locked if it is of another kind. */
    REPLACE
  }

  /** A job that requests a key, and the job that holds the key. */
  record KeyConflict(NewJob job, JobId holder) {}

  /**
   * The conflicts to resolve, in key order.
   *
   * @param holds whether to lock a holder of another kind, which cannot be replaced
   */
  record Request(List<KeyConflict> conflicts, boolean holds, Conflict policy) {

    private List<NewJob> jobs() {
      return conflicts.stream().map(KeyConflict::job).toList();
    }
  }

  /**
   * The result for a conflict.
   *
   * @param done what was done to the holder
   * @param status the holder's status; null if it no longer holds the key
   * @param isEligible whether the action applies to the holder
   * @param handsOver whether a request whose holder was not changed or locked must be handed over
   *     to the key's next job
   */
  record Result(
      HolderAction done, @Nullable HolderStatus status, boolean isEligible, boolean handsOver) {}

  /** How long duplicates may delay a due job before it counts as overdue. */
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

  /** The columns of {@link #GIVEN} that a read needs, with the same names. */
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

  private ResolveConflictStatement() {}

  static Statement<Request, Result> of(DSLContext dialect, HolderAction action) {
    return switch (action) {
      case NONE -> of(dialect, with(name("unused").as(none())), action);
      case HOLD ->
          of(
              dialect,
              with(
                  name("unused")
                      .asMaterialized(unused(action, not(isLate(JOBS))).forShare().of(JOBS)),
                  name("late")
                      .asMaterialized(
                          unused(action, isLate(JOBS).and(not(isOverdue(JOBS))))
                              .forShare()
                              .of(JOBS)
                              .skipLocked()),
                  name("overdue")
                      .asMaterialized(
                          unused(action, isOverdueAlone()).forNoKeyUpdate().of(JOBS).skipLocked())),
              action);
      case REPLACE ->
          of(
              dialect,
              with(
                  name("unused")
                      .asMaterialized(unused(action, noCondition()).forNoKeyUpdate().of(JOBS)),
                  replaced()),
              action);
    };
  }

  private static Select<Record1<Long>> none() {
    return select(inline(0L).as("id")).where(inline(false));
  }

  private static SelectSeekStep1<Record1<Long>, Long> unused(HolderAction action, Condition which) {
    return select(JOBS.ID)
        .from(JOBS)
        .join(given(action))
        .on(JOBS.ID.eq(TWIN_ID))
        .where(JOBS.ID.eq(any(TWIN_IDS)))
        .and(holdsKey(JOBS))
        .and(isEligible(JOBS, action))
        .and(which)
        .orderBy(POSITION);
  }

  private static Table<?> given(HolderAction action) {
    return switch (action) {
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

  /**
   * Returns the condition that a job is overdue and has no next job yet. It is a CASE, because the
   * planner would turn a plain NOT EXISTS into a join with all jobs.
   */
  private static Condition isOverdueAlone() {
    Jobs next = JOBS.as("next");
    return condition(
        when(
                isOverdue(JOBS),
                field(notExists(selectOne().from(next).where(next.UNIQUE_KEY.eq(NEXT_KEY)))))
            .otherwise(inline(false)));
  }

  private static Condition isEligible(Jobs job, HolderAction action) {
    return switch (action) {
      case NONE -> falseCondition();
      case HOLD -> Holders.isUnused(job);
      case REPLACE ->
          Holders.isUnused(job).and(isOfKind(job).or(GIVEN.field("holds", Boolean.class).isTrue()));
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

  private static Statement<Request, Result> of(
      DSLContext dialect, WithStep with, HolderAction action) {
    Jobs holder = JOBS.as("holder");
    List<Field<?>> columns =
        new ArrayList<>(
            List.of(
                holder.STATUS,
                Holders.hasUsedAttempt(holder).as("has_used_attempt"),
                field(isEligible(holder, action)).as("is_grippable")));
    if (action == HolderAction.HOLD) {
      columns.add(field(isOverdue(holder)).as("is_overdue"));
      columns.add(field(isLate(holder)).as("is_late"));
    }
    Table<?> found =
        select(columns)
            .from(holder)
            .where(holder.ID.eq(TWIN_ID))
            .and(holdsKey(holder))
            .limit(inline(1))
            .asTable("twin");
    Field<Boolean> isOverdue = field(name("twin", "is_overdue"), Boolean.class);
    Field<Boolean> isLate = field(name("twin", "is_late"), Boolean.class);
    Field<Boolean> isHeld =
        action == HolderAction.HOLD
            ? when(isOverdue, isIn("overdue")).when(isLate, isIn("late")).otherwise(isIn("unused"))
            : isIn("unused");
    Field<Boolean> isReplaced = action == HolderAction.REPLACE ? isIn("replaced") : inline(false);
    Field<?> status = field(name("twin", "status"), JOBS.STATUS.getDataType());
    Field<Boolean> hasUsedAttempt = field(name("twin", "has_used_attempt"), Boolean.class);
    Field<Boolean> isEligible = field(name("twin", "is_grippable"), Boolean.class);
    Field<Boolean> handsOver = action == HolderAction.HOLD ? isLate : inline(false);
    return Statement.of(
        dialect,
        with.select(isHeld, isReplaced, status, hasUsedAttempt, isEligible, handsOver)
            .from(given(action))
            .leftJoin(lateral(found))
            .on(trueCondition())
            .orderBy(POSITION),
        request -> arguments(action, request),
        row -> {
          HolderAction held = row.flag(isHeld) ? HolderAction.HOLD : HolderAction.NONE;
          return new Result(
              row.flag(isReplaced) ? HolderAction.REPLACE : held,
              Holders.status(row, status, hasUsedAttempt),
              row.isTrue(isEligible),
              row.isTrue(handsOver));
        });
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

  private static Arguments arguments(HolderAction action, Request request) {
    List<NewJob> jobs = request.jobs();
    List<KeyConflict> conflicts = request.conflicts();
    Conflict policy = request.policy();
    if (action != HolderAction.REPLACE) {
      Arguments keys =
          new Arguments()
              .texts("unique_keys", jobs, ResolveConflictStatement::uniqueKey)
              .bigints("twin_ids", conflicts, conflict -> conflict.holder().value());
      return action == HolderAction.HOLD
          ? keys.texts("next_keys", jobs, ResolveConflictStatement::nextKey)
          : keys;
    }
    Duration maxWait = policy.maxWait();
    return JobInsert.arguments(jobs)
        .bigints("twin_ids", conflicts, conflict -> conflict.holder().value())
        .booleans("holds", jobs, job -> request.holds())
        .booleans("replaces_payload", jobs, job -> policy.changes(JobPart.PAYLOAD))
        .booleans("replaces_priority", jobs, job -> policy.changes(JobPart.PRIORITY))
        .booleans("replaces_schedule", jobs, job -> policy.changes(JobPart.SCHEDULE))
        .bigints("max_waits", jobs, job -> maxWait == null ? null : DatabaseClock.micros(maxWait));
  }

  private static @Nullable String uniqueKey(NewJob job) {
    UniqueKey key = job.uniqueKey();
    return key == null ? null : key.key();
  }

  /** Returns the next key, or null for the last key. */
  private static @Nullable String nextKey(NewJob job) {
    NewJob next = UniqueKeys.next(job);
    return next == null ? null : UniqueKeys.of(next);
  }
}
