package dev.skipjack.dedup;

import static dev.skipjack.model.Sequences.JOBS_ID_SEQ;
import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.not;
import static org.jooq.impl.DSL.notExists;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.trueCondition;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.HolderStatus;
import dev.skipjack.api.JobId;
import dev.skipjack.model.tables.Jobs;
import dev.skipjack.store.jooq.internal.JobInsert;
import dev.skipjack.store.jooq.internal.sql.ArrayRows;
import dev.skipjack.store.jooq.internal.sql.NextId;
import dev.skipjack.store.jooq.internal.sql.Texts;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.ResultQuery;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Inserts unique jobs or answers who holds their keys, in one statement.
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
 * <p>A single job of a transaction of our own has a statement with plain parameters:
 *
 * <pre>{@code
 * WITH twin AS MATERIALIZED (SELECT ... FROM jobs WHERE unique_key = :unique_key LIMIT 1),
 * inserted AS (INSERT INTO jobs (...) SELECT ... WHERE NOT EXISTS (SELECT FROM twin)
 *              ON CONFLICT (unique_key) WHERE unique_key IS NOT NULL DO NOTHING RETURNING id)
 * SELECT id, NULL, NULL FROM inserted UNION ALL SELECT id, status, attempts > uncounted_attempts FROM twin
 * }</pre>
 *
 * <p>Keys are looked up first, so a duplicate draws no id, locks nothing and waits for nobody, not
 * even for a transaction that is ending the job. Only READ COMMITTED may trust that look: in a
 * stricter transaction it shows the past, in which a job still lived that has ended since. There
 * (strict: {@code current_setting('transaction_isolation')}) the index decides alone, and answers
 * 40001 when it knows more than the snapshot.
 *
 * <p>The loser of a race inserts nothing; it did not see the winner, so the id is null, and the
 * statement must be repeated. A rival that has not committed is waited for; if it rolls back, this
 * statement inserts. The predicate of ON CONFLICT repeats the index's. The input comes in key
 * order, so that two batches meet in one order.
 *
 * <p>IN and LATERAL stand where the planner cannot make a join of them: a generic plan expects ten
 * rows and would compare a thousand with a thousand (docs/adr/0010).
 */
final class UniqueInsert {

  private static final Field<Boolean> IS_NEW = field(name("answered", "is_new"), Boolean.class);

  private static final Condition IS_STRICT =
      field("pg_catalog.current_setting('transaction_isolation')", String.class)
          .in(inline("repeatable read"), inline("serializable"));

  private UniqueInsert() {}

  /**
   * What became of a job.
   *
   * @param id the new job, or the one that holds the key; null: repeat the statement
   * @param twin where that one was; null: the job is new
   */
  record Answer(@Nullable JobId id, @Nullable HolderStatus twin) {

    /** What to answer where nothing is done to twins. */
    EnqueueResult result(JobId job) {
      return twin == null
          ? new EnqueueResult.Enqueued(job)
          : new EnqueueResult.AlreadyQueued(job, twin);
    }
  }

  static ResultQuery<?> query() {
    CommonTableExpression<?> inserted =
        name("inserted")
            .as(
                JobInsert.insert(JobInsert.POSITION, JobInsert.ID.isNotNull())
                    .onConflict(JOBS.UNIQUE_KEY)
                    .where(JOBS.UNIQUE_KEY.isNotNull())
                    .doNothing()
                    .returning(JOBS.ID));
    return with(incoming(), inserted, answered())
        .select(
            when(IS_NEW, of("answered", "id")).otherwise(of("answered", "twin_id")),
            when(not(IS_NEW), field(name("answered", "twin_status"), String.class)),
            field(name("answered", "twin_has_used_attempt"), Boolean.class))
        .from(table(name("answered")))
        .orderBy(of("answered", "position"));
  }

  /** Of one job, in READ COMMITTED; answers no row where it must be repeated. */
  static ResultQuery<?> queryForOne() {
    Jobs holder = JOBS.as("holder");
    CommonTableExpression<?> twin =
        name("twin")
            .asMaterialized(
                select(
                        holder.ID,
                        holder.STATUS,
                        Twins.hasUsedAttempt(holder).as("has_used_attempt"))
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
    return with(twin, inserted)
        .select(of("inserted", "id"), castNull(SQLDataType.CLOB), castNull(SQLDataType.BOOLEAN))
        .from(table(name("inserted")))
        .unionAll(
            select(
                    of("twin", "id"),
                    field(name("twin", "status"), String.class),
                    field(name("twin", "has_used_attempt"), Boolean.class))
                .from(table(name("twin"))));
  }

  private static CommonTableExpression<?> incoming() {
    ArrayRows given = JobInsert.given().withPosition();
    Jobs holder = JOBS.as("holder");
    Table<?> twin =
        select(holder.ID, holder.STATUS, Twins.hasUsedAttempt(holder).as("has_used_attempt"))
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

  static Answer read(ResultSet row) throws SQLException {
    long id = row.getLong(1);
    return new Answer(row.wasNull() ? null : new JobId(id), Twins.read(row, 2, 3));
  }
}
