package dev.skipjack.dedup;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.greatest;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.least;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.trueCondition;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.JobId;
import dev.skipjack.api.TwinStatus;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.model.tables.Jobs;
import dev.skipjack.store.jooq.spi.Arguments;
import dev.skipjack.store.jooq.spi.ArrayRows;
import dev.skipjack.store.jooq.spi.DatabaseClock;
import dev.skipjack.store.jooq.spi.JobInsert;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
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
 *                                 AND status = 'pending' AND attempts = forgiven
 *                               ORDER BY jobs.id FOR SHARE | FOR NO KEY UPDATE),
 * replaced AS (UPDATE jobs SET payload = CASE WHEN given.replaces_payload THEN given.payload ELSE jobs.payload END, ...
 *                FROM given WHERE jobs.id = given.twin_id AND jobs.id = ANY (ARRAY(SELECT id FROM unused)) RETURNING jobs.id)
 * SELECT twin_id IN (SELECT id FROM unused), twin.status, twin.attempts > twin.forgiven, twin.kind = given.kind
 *   FROM given LEFT JOIN LATERAL (SELECT ... FROM jobs WHERE id = given.twin_id AND unique_key IS NOT DISTINCT FROM ...) AS twin
 * }</pre>
 *
 * <p>To hold: a share lock, which several may have at once, keeps a claim from the job until the
 * transaction ends, so that a handler cannot start before what asked for it is committed. To
 * replace: only a job of the given kind, because another's handler would not know the payload; its
 * due time never moves into the past, where a claim with a low-water mark would not see it.
 *
 * <p>A job that is not unused is not locked, so that a caller's open transaction holds up no
 * heartbeat and no outcome; only one that is claimed within this statement's look and lock stays
 * locked. What somebody holds is waited for, in id order. A twin that is unused in the answer and
 * yet was not locked has changed meanwhile: look again. A key that is held for a period is not in
 * the job's row, so both are null.
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
   * @param gripped whether it was held or replaced
   * @param status where it was; null: it does not hold the key any more
   * @param isOfKind whether a job of the same kind
   */
  record Found(boolean gripped, @Nullable TwinStatus status, boolean isOfKind) {}

  private static final Param<Long[]> TWIN_IDS = param("twin_ids", Long[].class);
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
          .column("replaces_payload", REPLACES_PAYLOAD)
          .column("replaces_priority", REPLACES_PRIORITY)
          .column("replaces_schedule", REPLACES_SCHEDULE)
          .column("max_wait", MAX_WAITS)
          .withPosition();
  private static final Field<Long> TWIN_ID = GIVEN.field("twin_id", Long.class);

  private TwinStatement() {}

  static ResultQuery<?> query(Grip grip) {
    return switch (grip) {
      case NONE -> answer(with(name("unused").as(none())), grip);
      case HOLD ->
          answer(with(name("unused").asMaterialized(unused(grip).forShare().of(JOBS))), grip);
      case REPLACE ->
          answer(
              with(
                  name("unused").asMaterialized(unused(grip).forNoKeyUpdate().of(JOBS)),
                  replaced()),
              grip);
    };
  }

  private static Select<Record1<Long>> none() {
    return select(inline(0L).as("id")).where(inline(false));
  }

  private static SelectSeekStep1<Record1<Long>, Long> unused(Grip grip) {
    return select(JOBS.ID)
        .from(JOBS)
        .join(GIVEN.table())
        .on(JOBS.ID.eq(TWIN_ID))
        .where(JOBS.ID.eq(any(TWIN_IDS)))
        .and(holdsKey(JOBS))
        .and(Twins.isUnused(JOBS))
        .and(grip == Grip.REPLACE ? isOfKind(JOBS) : trueCondition())
        .orderBy(JOBS.ID);
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
                    when(
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
                .and(JOBS.ID.eq(any(org.jooq.impl.DSL.array(unusedIds()))))
                .returning(JOBS.ID));
  }

  private static ResultQuery<?> answer(org.jooq.WithStep with, Grip grip) {
    Jobs holder = JOBS.as("holder");
    Table<?> twin =
        select(
                holder.STATUS,
                Twins.hasUsedAttempt(holder).as("has_used_attempt"),
                field(isOfKind(holder)).as("is_of_kind"))
            .from(holder)
            .where(holder.ID.eq(TWIN_ID))
            .and(holdsKey(holder))
            .limit(inline(1))
            .asTable("twin");
    Field<Boolean> gripped =
        field(
            TWIN_ID.in(
                grip == Grip.REPLACE
                    ? select(field(name("replaced", "id"), Long.class))
                        .from(table(name("replaced")))
                    : unusedIds()));
    return with.select(
            coalesce(gripped, inline(false)),
            field(name("twin", "status"), JOBS.STATUS.getDataType()),
            field(name("twin", "has_used_attempt"), Boolean.class),
            field(name("twin", "is_of_kind"), Boolean.class))
        .from(GIVEN.table())
        .leftJoin(lateral(twin))
        .on(trueCondition())
        .orderBy(GIVEN.field("position", Long.class));
  }

  private static Select<Record1<Long>> unusedIds() {
    return select(field(name("unused", "id"), Long.class)).from(table(name("unused")));
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
   */
  static Arguments arguments(List<NewJob> jobs, List<JobId> twins, Conflict conflict) {
    Duration maxWait = conflict.maxWait();
    return JobInsert.arguments(jobs)
        .bigints("twin_ids", twins, JobId::value)
        .booleans("replaces_payload", jobs, job -> conflict.changes(JobPart.PAYLOAD))
        .booleans("replaces_priority", jobs, job -> conflict.changes(JobPart.PRIORITY))
        .booleans("replaces_schedule", jobs, job -> conflict.changes(JobPart.SCHEDULE))
        .bigints("max_waits", jobs, job -> maxWait == null ? null : DatabaseClock.micros(maxWait));
  }

  static Found read(ResultSet row) throws SQLException {
    return new Found(row.getBoolean(1), Twins.read(row, 2, 3), row.getBoolean(4));
  }
}
