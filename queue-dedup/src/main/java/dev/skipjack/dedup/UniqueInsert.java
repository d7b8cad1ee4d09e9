package dev.skipjack.dedup;

import static dev.skipjack.model.Sequences.JOBS_ID_SEQ;
import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.sql.Existence.notExists;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.not;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.trueCondition;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.HolderStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.model.tables.Jobs;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.NextId;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import dev.skipjack.store.jooq.internal.JobInsert;
import java.sql.SQLException;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Inserts unique jobs or returns the jobs that hold their keys, in one statement.
 *
 * <pre>{@code
 * WITH incoming AS MATERIALIZED (SELECT CASE WHEN twin.id IS NULL OR (strict) THEN nextval('jobs_id_seq') END AS id,
 *                                       twin.id AS twin_id, twin.status AS twin_status, twin.attempts > twin.uncounted_attempts AS ..., given.*
 *                                  FROM unnest(...) AS given
 *                                  LEFT JOIN LATERAL (SELECT ... FROM jobs WHERE unique_key = given.unique_key LIMIT 1) AS twin),
 * inserted AS (INSERT INTO jobs (...) SELECT ... FROM incoming WHERE id IS NOT NULL ORDER BY position
 *              ON CONFLICT (unique_key) WHERE unique_key IS NOT NULL DO NOTHING RETURNING id),
 * answered AS MATERIALIZED (SELECT ..., id IN (SELECT id FROM inserted) AS is_new FROM incoming)
 * SELECT CASE WHEN is_new THEN id ELSE twin_id END, CASE WHEN is_new THEN NULL ELSE twin_status END, twin_has_used_attempt
 *   FROM answered ORDER BY position
 * }</pre>
 *
 * <p>For a single job in one of the queue's own transactions, there is a statement with plain
 * parameters:
 *
 * <pre>{@code
 * WITH twin AS MATERIALIZED (SELECT ... FROM jobs WHERE unique_key = :unique_key LIMIT 1),
 * inserted AS (INSERT INTO jobs (...) SELECT ... WHERE NOT EXISTS (SELECT FROM twin)
 *              ON CONFLICT (unique_key) WHERE unique_key IS NOT NULL DO NOTHING RETURNING id)
 * SELECT id, NULL, NULL FROM inserted UNION ALL SELECT id, status, attempts > uncounted_attempts FROM twin
 * }</pre>
 *
 * <p>Keys are looked up first, so a duplicate of a visible job consumes no id, takes no lock and
 * never waits. Only READ COMMITTED can rely on this lookup, because the snapshot of a stricter
 * transaction may show a job that has ended since. In a stricter transaction (strict: {@code
 * current_setting('transaction_isolation')}), only the index decides, and the insert fails with
 * 40001 if the index has rows that the snapshot does not show.
 *
 * <p>If another transaction has inserted the key and has not ended, the statement waits for it. If
 * that transaction commits, the statement inserts nothing and does not see the other job, so the id
 * is null, and the caller repeats the statement. The input is in key order, so that two batches
 * lock their keys in the same order.
 *
 * <p>IN and LATERAL are placed so that the planner cannot turn them into a join. A generic plan
 * expects ten rows, and would join a thousand rows in nested loops (docs/adr/0010).
 */
final class UniqueInsert {

  private static final Field<Boolean> IS_NEW = field(name("answered", "is_new"), Boolean.class);

  private static final Condition IS_STRICT =
      field("pg_catalog.current_setting('transaction_isolation')", String.class)
          .in(inline("repeatable read"), inline("serializable"));

  private UniqueInsert() {}

  /**
   * The result for a job.
   *
   * @param id the new job, or the one that holds the key; null if the statement must be repeated
   * @param holder the status of the job that holds the key; null if the job is new
   */
  record Result(@Nullable JobId id, @Nullable HolderStatus holder) {

    /** Returns the result of an enqueue that does not change the holder. */
    EnqueueResult withoutChange(JobId job) {
      return holder == null
          ? new EnqueueResult.Enqueued(job)
          : new EnqueueResult.AlreadyQueued(job, holder);
    }
  }

  /** Returns the statement that inserts jobs, all of which have a unique key, in key order. */
  static Statement<List<NewJob>, Result> of(DSLContext dialect) {
    CommonTableExpression<?> inserted =
        name("inserted")
            .as(
                JobInsert.insert(JobInsert.POSITION, JobInsert.ID.isNotNull())
                    .onConflict(JOBS.UNIQUE_KEY)
                    .where(JOBS.UNIQUE_KEY.isNotNull())
                    .doNothing()
                    .returning(JOBS.ID));
    Field<Long> id = when(IS_NEW, of("answered", "id")).otherwise(of("answered", "twin_id"));
    Field<String> status = when(not(IS_NEW), field(name("answered", "twin_status"), String.class));
    Field<Boolean> hasUsedAttempt = field(name("answered", "twin_has_used_attempt"), Boolean.class);
    return Statement.of(
        dialect,
        with(incoming(), inserted, answered())
            .select(id, status, hasUsedAttempt)
            .from(table(name("answered")))
            .orderBy(of("answered", "position")),
        JobInsert::arguments,
        row -> result(row, id, status, hasUsedAttempt));
  }

  private static Result result(
      Row row, Field<Long> id, Field<String> status, Field<Boolean> hasUsedAttempt)
      throws SQLException {
    Long number = row.numberOrNull(id);
    return new Result(
        number == null ? null : new JobId(number), Holders.status(row, status, hasUsedAttempt));
  }

  /**
   * Returns the statement that inserts one job at READ COMMITTED. It returns no row if it must be
   * repeated.
   */
  static Statement<NewJob, Result> ofOne(DSLContext dialect) {
    Jobs holder = JOBS.as("holder");
    CommonTableExpression<?> twin =
        name("twin")
            .asMaterialized(
                select(
                        holder.ID,
                        holder.STATUS,
                        Holders.hasUsedAttempt(holder).as("has_used_attempt"))
                    .from(holder)
                    .where(holder.UNIQUE_KEY.eq(Texts.param("unique_key")))
                    .limit(inline(1)));
    CommonTableExpression<?> inserted =
        name("inserted")
            .as(
                JobInsert.insertOne(notExists(selectOne().from(table(name("twin")))))
                    .onConflict(JOBS.UNIQUE_KEY)
                    .where(JOBS.UNIQUE_KEY.isNotNull())
                    .doNothing()
                    .returning(JOBS.ID));
    Field<Long> id = of("inserted", "id");
    Field<String> status = castNull(SQLDataType.CLOB);
    Field<Boolean> hasUsedAttempt = castNull(SQLDataType.BOOLEAN);
    return Statement.of(
        dialect,
        with(twin, inserted)
            .select(id, status, hasUsedAttempt)
            .from(table(name("inserted")))
            .unionAll(
                select(
                        of("twin", "id"),
                        field(name("twin", "status"), String.class),
                        field(name("twin", "has_used_attempt"), Boolean.class))
                    .from(table(name("twin")))),
        JobInsert::argumentsOfOne,
        row -> result(row, id, status, hasUsedAttempt));
  }

  private static CommonTableExpression<?> incoming() {
    ArrayRows given = JobInsert.given().withPosition();
    Jobs holder = JOBS.as("holder");
    Table<?> twin =
        select(holder.ID, holder.STATUS, Holders.hasUsedAttempt(holder).as("has_used_attempt"))
            .from(holder)
            .where(holder.UNIQUE_KEY.eq(given.field("unique_key", String.class)))
            .limit(inline(1))
            .asTable("twin");
    return name("incoming")
        .asMaterialized(
            select(
                    when(of("twin", "id").isNull().or(IS_STRICT), NextId.of(JOBS_ID_SEQ))
                        .as(JOBS.ID),
                    of("twin", "id").as("twin_id"),
                    field(name("twin", "status"), String.class).as("twin_status"),
                    field(name("twin", "has_used_attempt"), Boolean.class)
                        .as("twin_has_used_attempt"),
                    given.table().asterisk())
                .from(given.table())
                .leftJoin(lateral(twin))
                .on(trueCondition()));
  }

  private static CommonTableExpression<?> answered() {
    Field<Boolean> isNew =
        field(JobInsert.ID.in(select(of("inserted", "id")).from(table(name("inserted")))));
    return name("answered")
        .asMaterialized(
            select(
                    JobInsert.POSITION,
                    JobInsert.ID,
                    of("incoming", "twin_id"),
                    field(name("incoming", "twin_status"), String.class),
                    field(name("incoming", "twin_has_used_attempt"), Boolean.class),
                    coalesce(isNew, inline(false)).as("is_new"))
                .from(table(name("incoming"))));
  }

  private static Field<Long> of(String table, String column) {
    return field(name(table, column), Long.class);
  }
}
