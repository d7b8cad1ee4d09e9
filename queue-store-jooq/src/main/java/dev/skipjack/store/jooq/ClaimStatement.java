package dev.skipjack.store.jooq;

import static dev.skipjack.model.Sequences.JOB_EXECUTION_ID_SEQ;
import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_EXECUTIONS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.insertInto;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.least;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Headers;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.api.spi.UniqueUntil;
import dev.skipjack.model.tables.records.JobsRecord;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.NextId;
import dev.skipjack.sql.PausePredicates;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.sql.SQLException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Record1;
import org.jooq.ResultQuery;
import org.jooq.Table;
import org.jooq.UpdateSetMoreStep;
import org.jooq.impl.SQLDataType;

/**
 * Claims due jobs and opens their audit rows.
 *
 * <pre>{@code
 * WITH claimed AS (
 *   UPDATE jobs
 *      SET status = 'running', current_execution_id = nextval('job_execution_id_seq'), locked_by = :worker,
 *          started_at = clock_timestamp(), lease_expires_at = clock_timestamp() + :lease, attempts = attempts + 1, ...
 *    WHERE id = ANY (ARRAY(
 *            SELECT due.id
 *              FROM unnest(:queues, :priorities, :low_water, :caps) AS lane (queue, priority, low_water, cap)
 *             CROSS JOIN LATERAL (
 *                    SELECT id FROM jobs
 *                     WHERE status = 'pending' AND queue = lane.queue AND priority = lane.priority
 *                       AND kind = ANY (:kinds) AND scheduled_at >= lane.low_water AND scheduled_at <= now()
 *                     ORDER BY scheduled_at, id LIMIT lane.cap FOR NO KEY UPDATE SKIP LOCKED) AS due
 *             WHERE (SELECT queue FROM job_queues WHERE queue = lane.queue
 *                       AND (<paused now> OR fair OR limit_name IS NOT NULL)) IS NULL
 *             LIMIT :limit))
 *   RETURNING ...),
 * opened AS (INSERT INTO job_executions (...) SELECT ... FROM claimed)
 * SELECT ... FROM claimed
 * }</pre>
 *
 * <p>The lanes are served in the given order, so strict, weighted and fair orders are permutations
 * computed in Java, and the same plan serves one queue or ten thousand. The ids are an array
 * because PostgreSQL may run an {@code IN (... LIMIT)} subquery more than once and take too many
 * rows, and because a join turns into a sequential scan under a generic plan (docs/adr/0001).
 *
 * <p>The statement itself checks whether a queue is paused, fair or limited, because the caller's
 * list of lanes may be seconds old. So it never claims from a queue that has just become limited.
 * This costs one lookup in a small table per lane.
 *
 * <p>Locks the chosen rows in lane order without waiting. Rows that another worker has locked are
 * skipped, so no order can deadlock. The lock is {@code NO KEY} because {@code FOR UPDATE SKIP
 * LOCKED} would skip a row that an uncommitted foreign key refers to. The outer update does not
 * repeat {@code status = 'pending'}: the row is locked by this statement, and the predicate could
 * make the planner choose the wrong index.
 *
 * <p>RETURNING guarantees no order: callers sort by lane, scheduled_at and id.
 */
final class ClaimStatement {

  private static final Param<String> WORKER = param("worker", String.class);
  private static final Param<Long> LEASE = param("lease", Long.class);
  private static final Param<String[]> QUEUES = Texts.array("queues");
  private static final Param<Short[]> PRIORITIES = param("priorities", Short[].class);
  private static final Param<Instant[]> LOW_WATER =
      param("low_water", SQLDataType.INSTANT.getArrayDataType());
  private static final Param<Integer[]> CAPS = param("caps", Integer[].class);
  private static final Param<String[]> KINDS = Texts.array("kinds");
  private static final Param<Long> LIMIT = param("limit", Long.class);

  private ClaimStatement() {}

  static Statement<ClaimRequest, ClaimedJob> of(DSLContext dialect) {
    return of(dialect, JOBS.PAYLOAD);
  }

  /**
   * Creates the statement that claims without reading payloads, for jobs whose payload cannot be
   * sent.
   */
  static Statement<ClaimRequest, ClaimedJob> withoutPayload(DSLContext dialect) {
    return of(dialect, noPayload());
  }

  /** Returns an empty column instead of that of the payload. */
  static Field<?> noPayload() {
    return castNull(JOBS.PAYLOAD).as(JOBS.PAYLOAD);
  }

  private static Statement<ClaimRequest, ClaimedJob> of(DSLContext dialect, Field<?> payload) {
    return Statement.of(dialect, query(payload), ClaimStatement::arguments, ClaimStatement::read);
  }

  private static ResultQuery<?> query(Field<?> payload) {
    CommonTableExpression<?> claimed = claimed(payload);
    CommonTableExpression<?> opened = opened(claimed, noCondition());
    return with(claimed, opened).select().from(claimed);
  }

  /**
   * Returns a CTE that inserts the audit rows of those jobs in {@code claimed} that match {@code
   * which}.
   */
  static CommonTableExpression<?> opened(CommonTableExpression<?> claimed, Condition which) {
    return opened(auditValues(claimed), claimed, which);
  }

  /**
   * Returns a CTE that inserts the audit rows of all jobs in {@code claimed}, with their groups.
   */
  static CommonTableExpression<?> openedWithGroup(CommonTableExpression<?> claimed) {
    Map<Field<?>, Field<?>> values = auditValues(claimed);
    values.put(JOB_EXECUTIONS.GROUP_KEY, column(claimed, JOBS.GROUP_KEY));
    return opened(values, claimed, noCondition());
  }

  private static Map<Field<?>, Field<?>> auditValues(CommonTableExpression<?> claimed) {
    Map<Field<?>, Field<?>> values = new LinkedHashMap<>();
    values.put(JOB_EXECUTIONS.ID, column(claimed, JOBS.CURRENT_EXECUTION_ID));
    values.put(JOB_EXECUTIONS.JOB_ID, column(claimed, JOBS.ID));
    values.put(JOB_EXECUTIONS.STARTED_AT, column(claimed, JOBS.STARTED_AT));
    values.put(JOB_EXECUTIONS.ATTEMPT, column(claimed, JOBS.ATTEMPTS));
    values.put(JOB_EXECUTIONS.QUEUE, column(claimed, JOBS.QUEUE));
    values.put(JOB_EXECUTIONS.KIND, column(claimed, JOBS.KIND));
    values.put(JOB_EXECUTIONS.WORKER_ID, column(claimed, JOBS.LOCKED_BY));
    return values;
  }

  private static CommonTableExpression<?> opened(
      Map<Field<?>, Field<?>> values, CommonTableExpression<?> claimed, Condition which) {
    return name("opened")
        .as(
            insertInto(JOB_EXECUTIONS, values.keySet())
                .select(select(values.values()).from(claimed).where(which))
                .returning(JOB_EXECUTIONS.ID));
  }

  private static CommonTableExpression<?> claimed(Field<?> payload) {
    ArrayRows lane =
        ArrayRows.named("lane")
            .column("queue", QUEUES)
            .column("priority", PRIORITIES)
            .column("low_water", LOW_WATER)
            .column("cap", CAPS);
    Table<Record1<Long>> due =
        select(JOBS.ID)
            .from(JOBS)
            .where(JobPredicates.PENDING)
            .and(JOBS.QUEUE.eq(lane.field("queue", String.class)))
            .and(JOBS.PRIORITY.eq(lane.field("priority", Short.class)))
            .and(JOBS.KIND.eq(any(KINDS)))
            .and(JOBS.SCHEDULED_AT.ge(lane.field("low_water", Instant.class)))
            .and(JOBS.SCHEDULED_AT.le(DatabaseClock.TRANSACTION_START))
            .orderBy(JOBS.SCHEDULED_AT, JOBS.ID)
            .limit(lane.field("cap", Integer.class))
            .forNoKeyUpdate()
            .skipLocked()
            .asTable("due");
    return name("claimed")
        .as(
            begun()
                .where(
                    JOBS.ID.eq(
                        any(
                            array(
                                select(due.field(JOBS.ID))
                                    .from(lane.table())
                                    .crossJoin(lateral(due))
                                    .where(isServed(lane.field("queue", String.class)))
                                    .limit(LIMIT)))))
                .returning(returned(payload)));
  }

  /**
   * Begins an update that starts an attempt of each job for {@code :worker}, with the lease {@code
   * :lease}.
   */
  static UpdateSetMoreStep<JobsRecord> begun() {
    return begun(castNull(JOBS.LIMIT_NAME));
  }

  /** Begins an update like {@link #begun()}, under the given limit. */
  static UpdateSetMoreStep<JobsRecord> begun(Field<String> limit) {
    return update(JOBS)
        .set(JOBS.STATUS, JobPredicates.literal(JobStatus.RUNNING))
        .set(JOBS.CURRENT_EXECUTION_ID, NextId.of(JOB_EXECUTION_ID_SEQ))
        .set(JOBS.LOCKED_BY, WORKER)
        .set(JOBS.STARTED_AT, DatabaseClock.NOW)
        .set(JOBS.LEASE_EXPIRES_AT, DatabaseClock.plusMicros(DatabaseClock.NOW, LEASE))
        // The counter saturates: an overflow would make every claim of its lane fail.
        .set(JOBS.ATTEMPTS, least(JOBS.ATTEMPTS, inline(Integer.MAX_VALUE - 1)).plus(inline(1)))
        .set(
            JOBS.UNIQUE_KEY,
            when(
                JOBS.UNIQUE_UNTIL.isDistinctFrom(inline(UniqueUntil.STARTED, JOBS.UNIQUE_UNTIL)),
                JOBS.UNIQUE_KEY))
        .set(JOBS.LIMIT_NAME, limit)
        .set(JOBS.UPDATED_AT, DatabaseClock.NOW);
  }

  /** Returns the columns that {@link #read} needs. */
  static List<Field<?>> returned(Field<?> payload) {
    return List.of(
        JOBS.ID,
        JOBS.CURRENT_EXECUTION_ID,
        JOBS.QUEUE,
        JOBS.KIND,
        payload,
        JOBS.PAYLOAD_VERSION,
        JOBS.PRIORITY,
        JOBS.ATTEMPTS,
        JOBS.UNCOUNTED_ATTEMPTS,
        JOBS.MAX_ATTEMPTS,
        JOBS.SCHEDULED_AT,
        JOBS.STARTED_AT,
        JOBS.LOCKED_BY,
        JOBS.HEADERS,
        JOBS.ORDERING_KEY);
  }

  /**
   * Returns the condition that a queue is neither paused nor fair nor limited. Jobs of fair and
   * limited queues start only by the claim of groups. The condition compares a value, because the
   * planner would turn NOT EXISTS into a join with all queues.
   */
  static Condition isServed(Field<String> queue) {
    return field(
            select(JOB_QUEUES.QUEUE)
                .from(JOB_QUEUES)
                .where(JOB_QUEUES.QUEUE.eq(queue))
                .and(
                    PausePredicates.PAUSED
                        .or(JOB_QUEUES.FAIR)
                        .or(JOB_QUEUES.LIMIT_NAME.isNotNull())))
        .isNull();
  }

  private static Arguments arguments(ClaimRequest request) {
    return new Arguments()
        .text("worker", request.worker().toString())
        .number("lease", DatabaseClock.micros(request.lease()))
        .texts("queues", request.lanes(), share -> share.lane().queue())
        .smallints("priorities", request.lanes(), share -> share.lane().priority())
        .timestamps("low_water", request.lanes(), ClaimStatement::lowWater)
        .integers("caps", request.lanes(), LaneShare::cap)
        .texts("kinds", request.kinds(), kind -> kind)
        .number("limit", request.limit());
  }

  private static String lowWater(LaneShare share) {
    Instant low = share.lowWater();
    return low == null || low.isBefore(Instant.EPOCH) ? "-infinity" : low.toString();
  }

  /** Reads a claimed job from the columns of {@link #returned}. */
  static ClaimedJob read(Row row) throws SQLException {
    Map<String, String> headers = Headers.parse(row.textOrNull(JOBS.HEADERS));
    return new ClaimedJob(
        new Execution(
            new JobId(row.number(JOBS.ID)),
            new ExecutionId(row.number(JOBS.CURRENT_EXECUTION_ID)),
            row.instant(JOBS.STARTED_AT),
            row.textOrNull(JOBS.ORDERING_KEY),
            Headers.owner(headers),
            false),
        row.text(JOBS.QUEUE),
        row.text(JOBS.KIND),
        Objects.requireNonNullElse(row.textOrNull(JOBS.PAYLOAD), ""),
        row.integer(JOBS.PAYLOAD_VERSION),
        row.integer(JOBS.PRIORITY),
        row.integer(JOBS.ATTEMPTS) - row.integer(JOBS.UNCOUNTED_ATTEMPTS),
        row.integer(JOBS.UNCOUNTED_ATTEMPTS),
        row.integer(JOBS.MAX_ATTEMPTS),
        row.instant(JOBS.SCHEDULED_AT),
        headers);
  }

  private static <T> Field<T> column(Table<?> table, Field<T> field) {
    return table.field(field.getName(), field.getDataType());
  }
}
