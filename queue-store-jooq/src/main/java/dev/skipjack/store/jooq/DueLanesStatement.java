package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static dev.skipjack.sql.Existence.notExists;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.castNull;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.function;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.lateral;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.withRecursive;

import dev.skipjack.api.spi.DueLane;
import dev.skipjack.api.spi.DueLanes;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.PausePredicates;
import dev.skipjack.sql.ReadOnlyServer;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Record1;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Lists the lanes with a due job, except those of paused queues, and the queues that are paused,
 * fair or limited.
 *
 * <pre>{@code
 * WITH RECURSIVE lane (queue, priority) AS (
 *     SELECT wanted.queue, (SELECT priority FROM jobs WHERE status = 'pending' AND queue = wanted.queue
 *                            ORDER BY priority DESC LIMIT 1)
 *       FROM unnest(:queues) AS wanted (queue)
 *      WHERE NOT EXISTS (SELECT 1 FROM job_queues WHERE queue = wanted.queue AND <paused now>)
 *   UNION ALL
 *     SELECT lane.queue, (SELECT priority FROM jobs WHERE status = 'pending' AND queue = lane.queue
 *                            AND priority < lane.priority ORDER BY priority DESC LIMIT 1)
 *       FROM lane WHERE lane.priority IS NOT NULL)
 * SELECT lane.queue, lane.priority, oldest.waited, NULL, NULL
 *   FROM lane
 *  CROSS JOIN LATERAL (
 *         SELECT now() - scheduled_at AS waited FROM jobs
 *          WHERE status = 'pending' AND queue = lane.queue AND priority = lane.priority AND scheduled_at <= now()
 *          ORDER BY scheduled_at LIMIT 1) AS oldest
 *  WHERE lane.priority IS NOT NULL
 * UNION ALL
 * SELECT queue, NULL, NULL, <paused now>, limit_name IS NOT NULL
 *   FROM job_queues WHERE queue = ANY (:queues) AND (<paused now> OR fair OR limit_name IS NOT NULL)
 * UNION ALL
 * SELECT NULL, NULL, NULL, NULL, NULL WHERE current_setting('transaction_read_only') <> 'off'
 * }</pre>
 *
 * <p>The recursion jumps through the index from one priority to the next lower one. It reads two
 * entries for each lane: one for the priority and one for the oldest job. A DISTINCT would read
 * every pending job. Locks nothing.
 *
 * <p>The last part detects a standby or a former primary. Without it, the statement would succeed
 * there, and the worker would stay connected.
 */
final class DueLanesStatement {

  private static final Param<String[]> QUEUES = Texts.array("queues");
  private static final Field<String> QUEUE = field(name("lane", "queue"), String.class);
  private static final Field<Short> PRIORITY = field(name("lane", "priority"), Short.class);

  private static final Field<Long> WAITED = field(name("waited"), Long.class);

  private static final Field<Boolean> IS_PAUSED = field(name("is_paused"), Boolean.class);
  private static final Field<Boolean> IS_LIMITED = field(name("is_limited"), Boolean.class);

  /** A due lane, or a queue that is paused, fair or limited if the lane is null. */
  record LaneOrQueue(String queue, @Nullable DueLane lane, boolean isPaused, boolean isLimited) {}

  private DueLanesStatement() {}

  static Statement<List<String>, LaneOrQueue> of(DSLContext dialect) {
    CommonTableExpression<?> lanes = lanes();
    Table<Record1<Long>> oldest =
        select(waitedMicros().as(WAITED))
            .from(JOBS)
            .where(JobPredicates.PENDING)
            .and(JOBS.QUEUE.eq(QUEUE))
            .and(JOBS.PRIORITY.eq(PRIORITY))
            .and(JOBS.SCHEDULED_AT.le(DatabaseClock.TRANSACTION_START))
            .orderBy(JOBS.SCHEDULED_AT)
            .limit(inline(1))
            .asTable("oldest");
    return Statement.of(
        dialect,
        withRecursive(lanes)
            .select(
                QUEUE,
                PRIORITY,
                oldest.field("waited", Long.class),
                castNull(SQLDataType.BOOLEAN).as(IS_PAUSED),
                castNull(SQLDataType.BOOLEAN).as(IS_LIMITED))
            .from(lanes)
            .crossJoin(lateral(oldest))
            .where(PRIORITY.isNotNull())
            .unionAll(
                select(
                        JOB_QUEUES.QUEUE,
                        castNull(SQLDataType.SMALLINT),
                        castNull(SQLDataType.BIGINT),
                        field(PausePredicates.PAUSED),
                        field(JOB_QUEUES.LIMIT_NAME.isNotNull()))
                    .from(JOB_QUEUES)
                    .where(JOB_QUEUES.QUEUE.eq(any(QUEUES)))
                    .and(
                        PausePredicates.PAUSED
                            .or(JOB_QUEUES.FAIR)
                            .or(JOB_QUEUES.LIMIT_NAME.isNotNull())))
            .unionAll(
                select(
                        castNull(SQLDataType.CLOB),
                        castNull(SQLDataType.SMALLINT),
                        castNull(SQLDataType.BIGINT),
                        castNull(SQLDataType.BOOLEAN),
                        castNull(SQLDataType.BOOLEAN))
                    .where(readOnly().ne(inline("off")))),
        queues -> new Arguments().texts("queues", queues, queue -> queue),
        DueLanesStatement::read);
  }

  private static Field<String> readOnly() {
    return function(
        name("pg_catalog", "current_setting"), SQLDataType.CLOB, inline("transaction_read_only"));
  }

  private static CommonTableExpression<?> lanes() {
    ArrayRows wanted = ArrayRows.named("wanted").column("queue", QUEUES);
    Field<String> wantedQueue = wanted.field("queue", String.class);
    return name("lane")
        .fields("queue", "priority")
        .as(
            select(wantedQueue, highestPriority(wantedQueue, noCondition()))
                .from(wanted.table())
                .where(
                    notExists(
                        selectOne()
                            .from(JOB_QUEUES)
                            .where(JOB_QUEUES.QUEUE.eq(wantedQueue))
                            .and(PausePredicates.PAUSED)))
                .unionAll(
                    select(QUEUE, highestPriority(QUEUE, JOBS.PRIORITY.lt(PRIORITY)))
                        .from(table(name("lane")))
                        .where(PRIORITY.isNotNull())));
  }

  private static Field<Short> highestPriority(Field<String> queue, Condition below) {
    return field(
        select(JOBS.PRIORITY)
            .from(JOBS)
            .where(JobPredicates.PENDING)
            .and(JOBS.QUEUE.eq(queue))
            .and(below)
            .orderBy(JOBS.PRIORITY.desc())
            .limit(inline(1)));
  }

  /**
   * Returns the time that has passed since a job became due, in microseconds. It is a template,
   * because jOOQ's DSL cannot express a difference of instants as a number.
   */
  private static Field<Long> waitedMicros() {
    return field(
        "(extract(epoch from {0} - {1}) * 1000000)::bigint",
        SQLDataType.BIGINT, DatabaseClock.TRANSACTION_START, JOBS.SCHEDULED_AT);
  }

  private static LaneOrQueue read(Row row) throws SQLException {
    if (row.textOrNull(QUEUE) == null) {
      ReadOnlyServer.requireOff("on");
    }
    String queue = row.text(QUEUE);
    Integer priority = row.integerOrNull(PRIORITY);
    return new LaneOrQueue(
        queue,
        priority == null
            ? null
            : new DueLane(
                new Lane(queue, priority), Duration.of(row.number(WAITED), ChronoUnit.MICROS)),
        row.isTrue(IS_PAUSED),
        row.isTrue(IS_LIMITED));
  }

  static DueLanes collect(List<LaneOrQueue> rows) {
    List<DueLane> lanes = new ArrayList<>(rows.size());
    List<String> paused = new ArrayList<>();
    Set<String> grouped = new HashSet<>();
    Set<String> limited = new HashSet<>();
    for (LaneOrQueue row : rows) {
      DueLane lane = row.lane();
      if (lane != null) {
        lanes.add(lane);
      } else if (row.isPaused()) {
        paused.add(row.queue());
      } else {
        grouped.add(row.queue());
        if (row.isLimited()) {
          limited.add(row.queue());
        }
      }
    }
    return new DueLanes(lanes, paused, grouped, limited);
  }
}
