package dev.skipjack.store.jooq;

import static dev.skipjack.model.Sequences.JOBS_ID_SEQ;
import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_KEYS;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.excluded;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.insertInto;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobId;
import dev.skipjack.api.spi.IdempotencyKey;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.NextId;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import dev.skipjack.store.jooq.internal.JobInsert;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Record1;
import org.jooq.Select;

/**
 * Inserts new jobs with their idempotency keys, or returns the jobs that took those keys earlier.
 *
 * <pre>{@code
 * WITH incoming AS MATERIALIZED (SELECT CASE WHEN job_keys.job_id IS NULL THEN nextval('jobs_id_seq') END AS id,
 *                                       job_keys.job_id AS known_id, given.*
 *                                  FROM unnest(...) AS given
 *                                  LEFT JOIN job_keys ON key = given.idempotency_key AND expires_at > clock_timestamp()),
 * taken AS (INSERT INTO job_keys SELECT ... FROM incoming WHERE id IS NOT NULL ORDER BY position
 *           ON CONFLICT (key) DO UPDATE SET job_id = excluded.job_id, expires_at = excluded.expires_at
 *                                     WHERE job_keys.expires_at <= clock_timestamp() RETURNING job_id),
 * inserted AS (INSERT INTO jobs SELECT ... FROM incoming WHERE coalesce(id IN (SELECT job_id FROM taken), false) RETURNING id)
 * SELECT CASE WHEN known_id IS NOT NULL THEN known_id WHEN id IN (SELECT id FROM inserted) THEN id END, known_id IS NULL
 *   FROM incoming ORDER BY position
 * }</pre>
 *
 * <p>Known keys are looked up first, so a repeated enqueue neither locks the key's row nor draws an
 * id. The update takes over an expired key. If another transaction commits the key after this
 * statement's snapshot, nothing is written and the id is null. The caller then repeats the
 * statement, which sees the key. If another transaction has inserted the key but has not ended,
 * this statement waits for it. The input is in key order, so that all calls take their keys in the
 * same order.
 *
 * <p>Each IN is placed where the planner hashes it and cannot turn it into a join. A generic plan
 * expects ten rows, and would join a thousand rows in nested loops (195 ms instead of 46).
 */
final class EnqueueOnceStatement {

  private static final Param<String[]> KEYS = Texts.array("idempotency_keys");
  private static final Param<Long[]> KEPT = param("idempotency_kept", Long[].class);

  private EnqueueOnceStatement() {}

  /**
   * Creates the statement that inserts jobs with idempotency keys, in key order. It returns an
   * empty result for each job whose insert must be repeated.
   */
  static Statement<List<NewJob>, Optional<EnqueueResult>> of(DSLContext dialect) {
    Field<Long> knownId = field(name("incoming", "known_id"), Long.class);
    Field<Long> id =
        when(knownId.isNotNull(), knownId)
            .when(JobInsert.ID.in(column("inserted", "id")), JobInsert.ID);
    Field<Boolean> isNew = field(knownId.isNull());
    return Statement.of(
        dialect,
        with(incoming(), taken(), inserted())
            .select(id, isNew)
            .from(table(name("incoming")))
            .orderBy(JobInsert.POSITION),
        EnqueueOnceStatement::arguments,
        row -> {
          Long number = row.numberOrNull(id);
          return number == null
              ? Optional.empty()
              : Optional.of(result(new JobId(number), row.flag(isNew)));
        });
  }

  private static EnqueueResult result(JobId id, boolean isNew) {
    return isNew ? new EnqueueResult.Enqueued(id) : new EnqueueResult.AlreadyQueued(id);
  }

  private static CommonTableExpression<?> incoming() {
    ArrayRows given =
        JobInsert.given()
            .column("idempotency_key", KEYS)
            .column("idempotency_kept", KEPT)
            .withPosition();
    return name("incoming")
        .asMaterialized(
            select(
                    when(JOB_KEYS.JOB_ID.isNull(), NextId.of(JOBS_ID_SEQ)).as(JOBS.ID),
                    JOB_KEYS.JOB_ID.as("known_id"),
                    given.table().asterisk())
                .from(given.table())
                .leftJoin(JOB_KEYS)
                .on(JOB_KEYS.KEY.eq(given.field("idempotency_key", String.class)))
                .and(JOB_KEYS.EXPIRES_AT.gt(DatabaseClock.NOW)));
  }

  private static CommonTableExpression<?> taken() {
    Field<Long> kept = field(name("incoming", "idempotency_kept"), Long.class);
    return name("taken")
        .as(
            insertInto(JOB_KEYS, JOB_KEYS.KEY, JOB_KEYS.JOB_ID, JOB_KEYS.EXPIRES_AT)
                .select(
                    select(
                            field(name("incoming", "idempotency_key"), String.class),
                            JobInsert.ID,
                            DatabaseClock.plusMicros(DatabaseClock.NOW, kept))
                        .from(table(name("incoming")))
                        .where(JobInsert.ID.isNotNull())
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
            JobInsert.insert(JobInsert.POSITION, condition(coalesce(taken, inline(false))))
                .returning(JOBS.ID));
  }

  private static Select<Record1<Long>> column(String table, String column) {
    return select(field(name(table, column), Long.class)).from(table(name(table)));
  }

  private static Arguments arguments(List<NewJob> jobs) {
    return JobInsert.arguments(jobs)
        .texts("idempotency_keys", jobs, key(IdempotencyKey::key))
        .bigints("idempotency_kept", jobs, key(key -> DatabaseClock.micros(key.kept())));
  }

  private static <R> Function<NewJob, R> key(Function<IdempotencyKey, R> part) {
    return job -> part.apply(Objects.requireNonNull(job.idempotencyKey()));
  }
}
