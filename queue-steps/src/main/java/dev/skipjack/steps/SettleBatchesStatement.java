package dev.skipjack.steps;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_BATCHES;
import static dev.skipjack.sql.Existence.exists;
import static dev.skipjack.sql.Existence.notExists;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.least;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.model.tables.JobBatches;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jspecify.annotations.Nullable;

/**
 * Finishes batches whose jobs have all ended, and notes the first dead job of others.
 *
 * <pre>{@code
 * WITH ready AS MATERIALIZED (
 *   SELECT id, owner_id, name, <all jobs have ended> AS has_ended, <it has a dead job> AS has_dead, <all have succeeded> AS has_succeeded
 *     FROM job_batches
 *    WHERE id = ANY (:batches) AND sealed_at IS NOT NULL AND finished_at IS NULL
 *      AND (<all jobs have ended> OR <first dead job>)
 *      AND total = (SELECT seen.total FROM job_batches AS seen WHERE seen.id = job_batches.id)
 *    ORDER BY id FOR NO KEY UPDATE SKIP LOCKED),
 * parent AS MATERIALIZED (SELECT id FROM jobs WHERE id = ANY (ARRAY(SELECT owner_id FROM ready WHERE has_ended))
 *                          ORDER BY id FOR NO KEY UPDATE SKIP LOCKED),
 * settled AS (UPDATE job_batches SET finished_at = .., succeeded = .., first_dead_at = .., cancelled_at = ..
 *               FROM ready WHERE job_batches.id = ready.id AND job_batches.id = ANY (ARRAY(SELECT id FROM ready))
 *                AND (NOT has_ended OR owner_id IS NULL OR <the owner is in parent> OR <no job has its id>) RETURNING ...),
 * resumed AS (UPDATE jobs SET signals = signals + 1, scheduled_at = CASE WHEN status = 'pending' AND <it awaits one of settled> THEN clock_timestamp() ELSE scheduled_at END
 *              WHERE id = ANY (ARRAY(SELECT id FROM parent)) AND id = ANY (ARRAY(SELECT owner_id FROM settled WHERE is_finished)) RETURNING ...)
 * SELECT ... FROM settled LEFT JOIN resumed ON resumed.id = settled.owner_id
 * }</pre>
 *
 * <p>One winner: concurrent calls skip the locked row, and later calls find {@code finished_at}. A
 * job that is added to a sealed batch changes {@code total} in the transaction that inserts it. If
 * that transaction commits between the snapshot of this statement and its lock, PostgreSQL
 * evaluates the condition on {@code total} again with the new row and the old snapshot, and the
 * batch does not finish. If it has not committed yet, its lock on the row makes this statement skip
 * the batch.
 *
 * <p>Locks batches in id order and then waiting jobs in id order, without waiting, so no order can
 * deadlock. A batch whose waiting job is locked does not finish, and is left to the next sweep. The
 * caller enqueues the callbacks in the same transaction.
 */
final class SettleBatchesStatement {

  private static final Param<Long[]> BATCHES = param("batches", Long[].class);

  private static final Field<Boolean> HAS_ENDED = ready("has_ended", Boolean.class);
  private static final Field<Boolean> HAS_DEAD = ready("has_dead", Boolean.class);
  private static final Field<Boolean> IS_FINISHED =
      field(name("settled", "is_finished"), Boolean.class);
  private static final Field<Boolean> IS_FIRST_DEAD =
      field(name("settled", "is_first_dead"), Boolean.class);
  private static final Field<Boolean> IS_DUE = field(name("resumed", "is_due"), Boolean.class);

  private SettleBatchesStatement() {}

  /**
   * A batch that has changed.
   *
   * @param owner the batch that contains it, or the job that waits for it; null if there is none
   * @param isFinished whether it has finished now
   * @param isFirstDead whether its first dead job was noted now
   * @param isCancelled whether its remaining jobs must be cancelled
   * @param callbacks the callbacks of what has happened
   * @param resumed a wake-up for the job that waits for it, if it is now due
   */
  record Settled(
      long id,
      @Nullable Long owner,
      boolean isFinished,
      boolean isFirstDead,
      boolean isCancelled,
      List<Callback> callbacks,
      @Nullable WakeUp resumed) {}

  static Statement<Collection<Long>, Settled> of(DSLContext dialect) {
    CommonTableExpression<?> ready = readyBatches();
    CommonTableExpression<?> parent = parent(ready);
    CommonTableExpression<?> settled = settled(ready, parent);
    CommonTableExpression<?> resumed = resumed(settled, parent);
    List<Field<?>> columns = new ArrayList<>();
    columns.add(of(settled, JOB_BATCHES.ID));
    columns.add(of(settled, JOB_BATCHES.OWNER_ID));
    columns.add(of(settled, JOB_BATCHES.SUCCEEDED));
    columns.add(of(settled, JOB_BATCHES.CANCELLED_AT));
    columns.add(IS_FINISHED);
    columns.add(IS_FIRST_DEAD);
    for (Callback.Event event : Callback.Event.values()) {
      event.columns().forEach(column -> columns.add(of(settled, column)));
    }
    columns.addAll(
        List.of(of(resumed, JOBS.QUEUE), of(resumed, JOBS.PRIORITY), of(resumed, JOBS.KIND)));
    columns.add(IS_DUE);
    return Statement.of(
        dialect,
        with(ready, parent, settled, resumed)
            .select(columns)
            .from(settled)
            .leftJoin(resumed)
            .on(of(resumed, JOBS.ID).eq(of(settled, JOB_BATCHES.OWNER_ID)))
            .orderBy(of(settled, JOB_BATCHES.ID)),
        batches -> new Arguments().bigints("batches", batches, id -> id),
        SettleBatchesStatement::read);
  }

  private static CommonTableExpression<?> readyBatches() {
    JobBatches seen = JOB_BATCHES.as("seen");
    Condition hasEnded = BatchPredicates.hasEnded(JOB_BATCHES);
    return name("ready")
        .asMaterialized(
            select(
                    JOB_BATCHES.ID,
                    JOB_BATCHES.OWNER_ID,
                    field(hasEnded).as(HAS_ENDED.getName()),
                    field(BatchPredicates.hasDead(JOB_BATCHES.ID)).as(HAS_DEAD.getName()),
                    field(BatchPredicates.hasFirstDead(JOB_BATCHES)).as(IS_FIRST_DEAD.getName()))
                .from(JOB_BATCHES)
                .where(JOB_BATCHES.ID.eq(any(BATCHES)))
                .and(BatchPredicates.OPEN)
                .and(hasEnded.or(BatchPredicates.hasFirstDead(JOB_BATCHES)))
                .and(
                    JOB_BATCHES.TOTAL.eq(
                        select(seen.TOTAL).from(seen).where(seen.ID.eq(JOB_BATCHES.ID))))
                .orderBy(JOB_BATCHES.ID)
                .forNoKeyUpdate()
                .skipLocked());
  }

  private static CommonTableExpression<?> parent(CommonTableExpression<?> ready) {
    return name("parent")
        .asMaterialized(
            select(JOBS.ID)
                .from(JOBS)
                .where(
                    JOBS.ID.eq(
                        any(
                            array(
                                select(ready("owner_id", Long.class))
                                    .from(ready)
                                    .where(HAS_ENDED)))))
                .orderBy(JOBS.ID)
                .forNoKeyUpdate()
                .skipLocked());
  }

  private static CommonTableExpression<?> settled(
      CommonTableExpression<?> ready, CommonTableExpression<?> parent) {
    Field<Long> id = ready("id", Long.class);
    Field<Long> owner = ready("owner_id", Long.class);
    Field<Instant> never = field("cast(null as timestamptz)", Instant.class);
    Field<Boolean> isFirstDead = ready(IS_FIRST_DEAD.getName(), Boolean.class);
    Condition cancelsRest =
        HAS_DEAD.isTrue().and(JOB_BATCHES.DEAD_POLICY.eq(inline(DeadPolicy.CANCEL_REST.literal())));
    List<Field<?>> returned = new ArrayList<>();
    returned.add(JOB_BATCHES.ID);
    returned.add(JOB_BATCHES.OWNER_ID);
    returned.add(JOB_BATCHES.NAME);
    returned.add(JOB_BATCHES.SUCCEEDED);
    returned.add(JOB_BATCHES.CANCELLED_AT);
    returned.add(HAS_ENDED.as(IS_FINISHED.getName()));
    returned.add(ready(IS_FIRST_DEAD.getName(), Boolean.class));
    for (Callback.Event event : Callback.Event.values()) {
      returned.addAll(event.columns());
    }
    return name("settled")
        .as(
            update(JOB_BATCHES)
                .set(JOB_BATCHES.FINISHED_AT, when(HAS_ENDED, DatabaseClock.NOW).otherwise(never))
                .set(
                    JOB_BATCHES.SUCCEEDED, when(HAS_ENDED, field(BatchPredicates.hasSucceeded(id))))
                .set(
                    JOB_BATCHES.FIRST_DEAD_AT,
                    when(isFirstDead, DatabaseClock.NOW).otherwise(JOB_BATCHES.FIRST_DEAD_AT))
                .set(
                    JOB_BATCHES.CANCELLED_AT,
                    when(cancelsRest, coalesce(JOB_BATCHES.CANCELLED_AT, DatabaseClock.NOW))
                        .otherwise(JOB_BATCHES.CANCELLED_AT))
                .from(ready)
                .where(JOB_BATCHES.ID.eq(id))
                .and(JOB_BATCHES.ID.eq(any(array(select(id).from(ready)))))
                .and(
                    HAS_ENDED
                        .isFalse()
                        .or(owner.isNull())
                        .or(owner.eq(any(array(select(of(parent, JOBS.ID)).from(parent)))))
                        .or(notExists(selectOne().from(JOBS).where(JOBS.ID.eq(owner)))))
                .returningResult(returned));
  }

  private static CommonTableExpression<?> resumed(
      CommonTableExpression<?> settled, CommonTableExpression<?> parent) {
    // Several batches of one job may finish at once.
    Condition isDue =
        JOBS.STATUS
            .eq(JobPredicates.literal(JobStatus.PENDING))
            .and(
                exists(
                    selectOne()
                        .from(settled)
                        .where(of(settled, JOB_BATCHES.OWNER_ID).eq(JOBS.ID))
                        .and(of(settled, JOB_BATCHES.NAME).eq(JOBS.AWAITS))
                        .and(IS_FINISHED)));
    return name("resumed")
        .as(
            update(JOBS)
                // The counter saturates, so that no stored value makes the statement fail.
                .set(
                    JOBS.SIGNALS,
                    least(coalesce(JOBS.SIGNALS, inline(0)), inline(Integer.MAX_VALUE - 1))
                        .plus(inline(1)))
                .set(JOBS.SCHEDULED_AT, when(isDue, DatabaseClock.NOW).otherwise(JOBS.SCHEDULED_AT))
                .set(JOBS.UPDATED_AT, DatabaseClock.NOW)
                .where(JOBS.ID.eq(any(array(select(of(parent, JOBS.ID)).from(parent)))))
                .and(
                    JOBS.ID.eq(
                        any(
                            array(
                                select(of(settled, JOB_BATCHES.OWNER_ID))
                                    .from(settled)
                                    .where(IS_FINISHED)))))
                .returningResult(
                    JOBS.ID,
                    JOBS.QUEUE,
                    JOBS.PRIORITY,
                    JOBS.KIND,
                    field(isDue).as(IS_DUE.getName())));
  }

  private static Settled read(Row row) throws SQLException {
    boolean isFinished = row.flag(IS_FINISHED);
    boolean isFirstDead = row.flag(IS_FIRST_DEAD);
    Map<Callback.Event, Boolean> happened = new EnumMap<>(Callback.Event.class);
    happened.put(Callback.Event.FIRST_DEAD, isFirstDead);
    happened.put(Callback.Event.FINISH, isFinished);
    happened.put(Callback.Event.SUCCESS, isFinished && row.isTrue(JOB_BATCHES.SUCCEEDED));
    List<Callback> callbacks = new ArrayList<>();
    for (Callback.Event event : Callback.Event.values()) {
      Callback callback = Boolean.TRUE.equals(happened.get(event)) ? event.read(row) : null;
      if (callback != null) {
        callbacks.add(callback);
      }
    }
    String queue = row.textOrNull(JOBS.QUEUE);
    return new Settled(
        row.number(JOB_BATCHES.ID),
        row.numberOrNull(JOB_BATCHES.OWNER_ID),
        isFinished,
        isFirstDead,
        row.instantOrNull(JOB_BATCHES.CANCELLED_AT) != null && !isFinished,
        callbacks,
        queue != null && row.isTrue(IS_DUE)
            ? new WakeUp(new Lane(queue, row.integer(JOBS.PRIORITY)), row.text(JOBS.KIND))
            : null);
  }

  private static <T> Field<T> ready(String column, Class<T> type) {
    return field(name("ready", column), type);
  }

  private static <T> Field<T> of(CommonTableExpression<?> table, Field<T> column) {
    return field(name(table.getName(), column.getName()), column.getDataType());
  }
}
