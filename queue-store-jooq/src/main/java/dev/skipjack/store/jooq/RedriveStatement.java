package dev.skipjack.store.jooq;

import static dev.skipjack.model.Sequences.JOBS_ID_SEQ;
import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.sql.Existence.notExists;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.model.tables.Jobs;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.NextId;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.ordering.KeyedResult;
import dev.skipjack.store.jooq.internal.ordering.Promotion;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Table;

/**
 * Redrives dead jobs: returns them to their queues with fresh attempts.
 *
 * <pre>{@code
 * WITH locked AS MATERIALIZED (SELECT id, status, freed_unique_key FROM jobs WHERE id = ANY (:ids) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED),
 * free AS MATERIALIZED (SELECT min(id) AS id FROM locked
 *                        WHERE status = 'dead' AND NOT EXISTS (SELECT FROM jobs WHERE unique_key = locked.freed_unique_key)
 *                        GROUP BY coalesce(freed_unique_key, id)),
 * to_back AS MATERIALIZED (SELECT id, nextval('jobs_id_seq') AS position
 *                            FROM (SELECT id FROM locked WHERE id IN (SELECT id FROM free) AND ordering_key IS NOT NULL AND ordering_head IS NULL
 *                                   ORDER BY position) AS in_order),
 * redriven AS (UPDATE jobs SET status = CASE WHEN ordering_key IS NOT NULL AND ordering_head IS NULL THEN 'waiting' ELSE 'pending' END,
 *                              ordering_position = coalesce((its position in to_back), ordering_position), uncounted_attempts = attempts, unique_key = coalesce(unique_key, freed_unique_key), ...
 *               WHERE id = ANY (ARRAY(SELECT id FROM free)) RETURNING id, ordering_key)
 * SELECT CASE .. END, (the holder of the key), redriven.ordering_key FROM given ...
 * }</pre>
 *
 * <p>A job that blocks its ordering key becomes pending again and keeps its position. Any other job
 * with an ordering key moves to the end of the key. After the commit, the caller promotes the next
 * job of the key if the key has no head.
 *
 * <p>If two dead jobs had the same key, only the older one is redriven. If another transaction
 * takes the key between the check and the update, the statement fails with a unique violation, and
 * the caller retries with smaller batches. If another transaction has taken a key but has not
 * ended, the statement waits for at most a tenth of a second, because it holds its other locks
 * meanwhile. A single job whose key is then not free is reported as busy. {@link CommandCtes}
 * explains the lock order.
 */
final class RedriveStatement {

  /**
   * The result that the SQL returns. Unlike {@link RedriveResult}, it does not include the key's
   * holder.
   */
  private enum Result {
    REDRIVEN,
    CONFLICT,
    NOT_DEAD,
    BUSY,
    GONE
  }

  private static final Field<String> FREED_KEY =
      field(name("locked", JOBS.FREED_UNIQUE_KEY.getName()), String.class);

  private RedriveStatement() {}

  static Statement<List<JobId>, KeyedResult<RedriveResult>> of(DSLContext dialect) {
    CommonTableExpression<?> locked =
        CommandCtes.lockedForUpdateOnly(
            JOBS.ID,
            JOBS.STATUS,
            JOBS.FREED_UNIQUE_KEY,
            JOBS.ORDERING_KEY,
            JOBS.ORDERING_HEAD,
            Promotion.POSITION.as("position"));
    CommonTableExpression<?> free = free(locked);
    CommonTableExpression<?> toBack = toBack(locked, free);
    CommonTableExpression<?> redriven = redriven(free, toBack);
    Field<String> orderingKey = CommandCtes.orderingKeyOf(redriven);
    Jobs holder = JOBS.as("holder");
    Field<String> result =
        CommandCtes.result(redriven, Result.REDRIVEN)
            .when(
                CommandCtes.statusOf(locked).eq(JobPredicates.literal(JobStatus.DEAD)),
                CommandCtes.literal(Result.CONFLICT))
            .when(CommandCtes.isIn(locked), CommandCtes.literal(Result.NOT_DEAD))
            .when(CommandCtes.exists(), CommandCtes.literal(Result.BUSY))
            .otherwise(CommandCtes.literal(Result.GONE));
    Field<Long> holderOfKey =
        coalesce(
            field(select(holder.ID).from(holder).where(holder.UNIQUE_KEY.eq(FREED_KEY))),
            field(
                select(min(field(name("twin", "id"), Long.class)))
                    .from(locked.as("twin"))
                    .where(
                        field(name("twin", JOBS.FREED_UNIQUE_KEY.getName()), String.class)
                            .eq(FREED_KEY))));
    return Statement.of(
        dialect,
        CommandCtes.resultOfEach(
                with(locked, free, toBack, redriven),
                List.of(result, holderOfKey, orderingKey),
                locked,
                redriven)
            .orderBy(CommandCtes.POSITION),
        CommandCtes::arguments,
        row -> {
          RedriveResult typed =
              switch (Result.valueOf(row.text(result))) {
                case REDRIVEN -> new RedriveResult.Redriven();
                case CONFLICT -> new RedriveResult.Conflict(new JobId(row.number(holderOfKey)));
                case NOT_DEAD -> new RedriveResult.NotDead();
                case BUSY -> new RedriveResult.Busy();
                case GONE -> new RedriveResult.Gone();
              };
          return new KeyedResult<>(typed, row.textOrNull(orderingKey));
        });
  }

  /**
   * Returns the CTE that assigns new positions, in their current order, to the jobs that do not
   * hold their ordering keys.
   */
  private static CommonTableExpression<?> toBack(
      CommonTableExpression<?> locked, CommonTableExpression<?> free) {
    Table<?> inOrder =
        select(CommandCtes.idOf(locked))
            .from(locked)
            .where(CommandCtes.idOf(locked).in(select(CommandCtes.idOf(free)).from(free)))
            .and(CommandCtes.orderingKeyOf(locked).isNotNull())
            .and(field(name("locked", JOBS.ORDERING_HEAD.getName()), Boolean.class).isNull())
            .orderBy(field(name("locked", "position"), Long.class))
            .asTable("in_order");
    return name("to_back")
        .asMaterialized(
            select(CommandCtes.idOf(inOrder), NextId.of(JOBS_ID_SEQ).as("position")).from(inOrder));
  }

  private static CommonTableExpression<?> free(CommonTableExpression<?> locked) {
    Jobs holder = JOBS.as("holder");
    return name("free")
        .asMaterialized(
            select(min(CommandCtes.idOf(locked)).as("id"))
                .from(locked)
                .where(CommandCtes.statusOf(locked).eq(JobPredicates.literal(JobStatus.DEAD)))
                .and(notExists(selectOne().from(holder).where(holder.UNIQUE_KEY.eq(FREED_KEY))))
                .groupBy(coalesce(FREED_KEY, CommandCtes.idOf(locked).cast(String.class))));
  }

  private static CommonTableExpression<?> redriven(
      CommonTableExpression<?> free, CommonTableExpression<?> toBack) {
    Field<Long> position =
        field(
            select(field(name("to_back", "position"), Long.class))
                .from(toBack)
                .where(CommandCtes.idOf(toBack).eq(JOBS.ID)));
    return name("redriven")
        .as(
            update(JOBS)
                .set(
                    JOBS.STATUS,
                    when(
                            JOBS.ORDERING_KEY.isNotNull().and(JOBS.ORDERING_HEAD.isNull()),
                            JobPredicates.literal(JobStatus.WAITING))
                        .otherwise(JobPredicates.literal(JobStatus.PENDING)))
                .set(JOBS.ORDERING_POSITION, coalesce(position, JOBS.ORDERING_POSITION))
                .set(JOBS.SCHEDULED_AT, DatabaseClock.NOW)
                .set(JOBS.UNCOUNTED_ATTEMPTS, JOBS.ATTEMPTS)
                .set(JOBS.DIED_AT, castNull(JOBS.DIED_AT))
                // It is already null in the locked row. But PostgreSQL first checks the constraints
                // with the row of the snapshot, in which the job may have been running.
                .set(JOBS.CURRENT_EXECUTION_ID, castNull(JOBS.CURRENT_EXECUTION_ID))
                .set(JOBS.LEASE_EXPIRES_AT, castNull(JOBS.LEASE_EXPIRES_AT))
                .set(JOBS.CANCEL_REQUESTED_AT, castNull(JOBS.CANCEL_REQUESTED_AT))
                .set(JOBS.UNIQUE_KEY, coalesce(JOBS.UNIQUE_KEY, JOBS.FREED_UNIQUE_KEY))
                .set(JOBS.FREED_UNIQUE_KEY, castNull(JOBS.FREED_UNIQUE_KEY))
                .set(JOBS.UPDATED_AT, DatabaseClock.NOW)
                .where(JOBS.ID.eq(any(array(select(CommandCtes.idOf(free)).from(free)))))
                .returning(JOBS.ID, JOBS.ORDERING_KEY));
  }
}
