package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOB_DEPTHS;
import static dev.skipjack.model.Tables.JOB_OPERATIONS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static dev.skipjack.model.Tables.JOB_WORKERS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.excluded;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.insertInto;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.spi.WorkerInstructions;
import dev.skipjack.api.spi.WorkerRow;
import dev.skipjack.model.Routines;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Existence;
import dev.skipjack.sql.OperationPredicates;
import dev.skipjack.sql.PausePredicates;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import dev.skipjack.store.jooq.internal.schedule.SchedulePredicates;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Records a worker's heartbeat and returns its instructions.
 *
 * <pre>{@code
 * WITH announced AS (INSERT INTO job_workers (...) VALUES (...)
 *                    ON CONFLICT (boot_id) DO UPDATE SET ..., seen_at = clock_timestamp() RETURNING boot_id)
 * SELECT ARRAY(SELECT queue::text FROM job_queues WHERE queue = ANY (:queues) AND <paused now>), schema_version(),
 *        current_setting('server_encoding'), (<microseconds until the first schedule is due>),
 *        NOT EXISTS (SELECT FROM job_depths WHERE minute = date_trunc('minute', clock_timestamp())),
 *        EXISTS (SELECT FROM job_operations WHERE state = 'running' AND updated_at NOT BETWEEN <2 minutes before and after now>)
 * }</pre>
 *
 * <p>The names of the queues are cast, because the driver cannot read arrays of a domain.
 * Everything is in one statement, so that an idle worker costs little. The statement rarely waits:
 * only this worker writes its row, and pruning locks the row only after a day without a heartbeat.
 */
final class AnnounceStatement {

  private static final Param<String[]> QUEUES = Texts.array("queues");
  private static final Param<String[]> KINDS = Texts.array("kinds");
  private static final Param<Long> PID = param("pid", Long.class);

  private AnnounceStatement() {}

  static Statement<WorkerRow, WorkerInstructions> of(DSLContext dialect) {
    Field<String[]> pausedQueues =
        array(
            select(cast(JOB_QUEUES.QUEUE, SQLDataType.CLOB))
                .from(JOB_QUEUES)
                .where(JOB_QUEUES.QUEUE.eq(any(QUEUES)))
                .and(PausePredicates.PAUSED));
    Field<Integer> schemaVersion = Routines.schemaVersion();
    Field<String> encoding = field("current_setting('server_encoding')", SQLDataType.CLOB);
    Field<Long> nextFireIn = SchedulePredicates.nextFireIn();
    Field<Boolean> depthsDue =
        field(
            Existence.notExists(
                selectOne()
                    .from(JOB_DEPTHS)
                    .where(JOB_DEPTHS.MINUTE.eq(DatabaseClock.minuteOf(DatabaseClock.NOW)))));
    Field<Boolean> operationsDue =
        field(
            Existence.exists(
                selectOne().from(JOB_OPERATIONS).where(OperationPredicates.ABANDONED)));
    return Statement.of(
        dialect,
        with(announced())
            .select(pausedQueues, schemaVersion, encoding, nextFireIn, depthsDue, operationsDue),
        AnnounceStatement::arguments,
        row ->
            new WorkerInstructions(
                Set.copyOf(row.texts(pausedQueues)),
                row.integer(schemaVersion),
                row.text(encoding),
                duration(row.numberOrNull(nextFireIn)),
                row.flag(depthsDue),
                row.flag(operationsDue)));
  }

  private static @Nullable Duration duration(@Nullable Long micros) {
    return micros == null ? null : Duration.of(micros, ChronoUnit.MICROS);
  }

  private static CommonTableExpression<?> announced() {
    Field<?> bootId = cast(Texts.param("boot_id"), SQLDataType.UUID);
    return name("announced")
        .as(
            insertInto(
                    JOB_WORKERS,
                    JOB_WORKERS.NAME,
                    JOB_WORKERS.BOOT_ID,
                    JOB_WORKERS.HOST,
                    JOB_WORKERS.PID,
                    JOB_WORKERS.QUEUES,
                    JOB_WORKERS.KINDS,
                    JOB_WORKERS.SETTINGS)
                .select(
                    select(
                        Texts.param("name"),
                        bootId.coerce(JOB_WORKERS.BOOT_ID),
                        Texts.param("host"),
                        PID,
                        QUEUES,
                        KINDS,
                        cast(Texts.param("settings"), JOB_WORKERS.SETTINGS)))
                .onConflict(JOB_WORKERS.BOOT_ID)
                .doUpdate()
                .set(JOB_WORKERS.NAME, excluded(JOB_WORKERS.NAME))
                .set(JOB_WORKERS.HOST, excluded(JOB_WORKERS.HOST))
                .set(JOB_WORKERS.PID, excluded(JOB_WORKERS.PID))
                .set(JOB_WORKERS.QUEUES, excluded(JOB_WORKERS.QUEUES))
                .set(JOB_WORKERS.KINDS, excluded(JOB_WORKERS.KINDS))
                .set(JOB_WORKERS.SETTINGS, excluded(JOB_WORKERS.SETTINGS))
                .set(JOB_WORKERS.SEEN_AT, DatabaseClock.NOW)
                .returning(JOB_WORKERS.BOOT_ID));
  }

  private static Arguments arguments(WorkerRow row) {
    return new Arguments()
        .text("name", row.id().name())
        .text("boot_id", row.id().bootId().toString())
        .text("host", row.host())
        .number("pid", row.pid())
        .texts("queues", row.queues(), queue -> queue)
        .texts("kinds", row.kinds(), kind -> kind)
        .text("settings", row.settings());
  }
}
