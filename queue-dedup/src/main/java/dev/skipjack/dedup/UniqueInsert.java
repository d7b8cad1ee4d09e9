package dev.skipjack.dedup;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.not;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.trueCondition;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.JobId;
import dev.skipjack.api.TwinStatus;
import dev.skipjack.model.tables.Jobs;
import dev.skipjack.store.jooq.spi.JobInsert;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jooq.CommonTableExpression;
import org.jooq.Field;
import org.jooq.ResultQuery;
import org.jooq.Table;
import org.jspecify.annotations.Nullable;

/**
 * Inserts unique jobs or answers who holds their keys, in one statement.
 *
 * <pre>{@code
 * WITH incoming AS MATERIALIZED (...),
 * inserted AS (INSERT INTO jobs (...) SELECT ... FROM incoming ORDER BY incoming.position
 *              ON CONFLICT (unique_key) WHERE unique_key IS NOT NULL DO NOTHING RETURNING id),
 * answered AS MATERIALIZED (SELECT position, id, unique_key, id IN (SELECT id FROM inserted) AS is_new FROM incoming)
 * SELECT CASE WHEN is_new THEN answered.id ELSE twin.id END, is_new, twin.status, twin.attempts > twin.forgiven
 *   FROM answered LEFT JOIN LATERAL (SELECT ... FROM jobs WHERE unique_key = answered.unique_key AND NOT is_new LIMIT 1) AS twin
 * }</pre>
 *
 * <p>The loser of a race inserts nothing. It sees the winner unless that one committed after this
 * statement began, or ended since: then the id is null, and the statement must be repeated. A rival
 * that has not committed is waited for; if it rolls back, this statement inserts. So is one that is
 * changing or ending the job which holds the key. The predicate of ON CONFLICT repeats the index's.
 * The input comes in key order, so that two batches meet in one order.
 *
 * <p>IN and LATERAL stand where the planner cannot make a join of them: a generic plan expects ten
 * rows and would compare a thousand with a thousand (docs/adr/0010).
 */
final class UniqueInsert {

  private static final Field<Long> ID = field(name("answered", "id"), Long.class);
  private static final Field<Long> POSITION = field(name("answered", "position"), Long.class);
  private static final Field<String> KEY = field(name("answered", "unique_key"), String.class);
  private static final Field<Boolean> IS_NEW = field(name("answered", "is_new"), Boolean.class);

  private UniqueInsert() {}

  /**
   * What became of a job.
   *
   * @param id the new job, or the one that holds the key; null: repeat the statement
   * @param twin where that one was; null: the job is new
   */
  record Answer(@Nullable JobId id, @Nullable TwinStatus twin) {}

  static ResultQuery<?> query() {
    CommonTableExpression<?> inserted =
        name("inserted")
            .as(
                JobInsert.insert(JobInsert.POSITION)
                    .onConflict(JOBS.UNIQUE_KEY)
                    .where(JOBS.UNIQUE_KEY.isNotNull())
                    .doNothing()
                    .returning(JOBS.ID));
    Jobs holder = JOBS.as("holder");
    Table<?> twin =
        select(holder.ID, holder.STATUS, Twins.hasUsedAttempt(holder).as("has_used_attempt"))
            .from(holder)
            .where(holder.UNIQUE_KEY.eq(KEY))
            .and(not(IS_NEW))
            .limit(inline(1))
            .asTable("twin");
    return with(JobInsert.INCOMING, inserted, answered())
        .select(
            when(IS_NEW, ID).otherwise(field(name("twin", "id"), Long.class)),
            IS_NEW,
            field(name("twin", "status"), JOBS.STATUS.getDataType()),
            field(name("twin", "has_used_attempt"), Boolean.class))
        .from(table(name("answered")))
        .leftJoin(lateral(twin))
        .on(trueCondition())
        .orderBy(POSITION);
  }

  private static CommonTableExpression<?> answered() {
    Field<Boolean> isNew =
        field(
            JobInsert.ID.in(
                select(field(name("inserted", "id"), Long.class)).from(table(name("inserted")))));
    return name("answered")
        .asMaterialized(
            select(
                    JobInsert.POSITION,
                    JobInsert.ID,
                    JobInsert.UNIQUE_KEY,
                    coalesce(isNew, inline(false)).as("is_new"))
                .from(JobInsert.INCOMING));
  }

  static Answer read(ResultSet row) throws SQLException {
    long id = row.getLong(1);
    return new Answer(row.wasNull() ? null : new JobId(id), Twins.read(row, 3, 4));
  }
}
