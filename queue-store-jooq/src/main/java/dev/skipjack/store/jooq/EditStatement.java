package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.greatest;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.EditResult;
import dev.skipjack.api.operations.JobEdit;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.ArrayRows;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.time.Instant;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Applies one change to jobs that are pending, wait for their ordering keys or are dead.
 *
 * <pre>{@code
 * WITH locked AS MATERIALIZED (SELECT id, status FROM jobs WHERE id = ANY (:ids) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED),
 * edited AS (UPDATE jobs SET priority = coalesce(change.priority, priority),
 *                            scheduled_at = greatest(clock_timestamp(), change.scheduled_at | clock_timestamp() + change.delay), ...
 *              FROM unnest(...) AS change
 *             WHERE id = ANY (ARRAY(SELECT id FROM locked WHERE status IN ('pending', 'waiting', 'dead')))
 *               AND (status <> 'dead' OR no due time is given) RETURNING id)
 * SELECT CASE WHEN edited .. WHEN locked (another state) .. WHEN EXISTS (the row) THEN 'BUSY' ELSE 'GONE' END FROM given ...
 * }</pre>
 *
 * <p>A job that waits for its ordering key keeps its position. If it cannot be promoted because
 * this statement has locked it, a sweep promotes it later.
 *
 * <p>A due time for a dead job is refused, because a redrive would replace it. A due time in the
 * past becomes the current time, because claims with a low-water mark would not find the job
 * otherwise. {@link CommandCtes} explains the lock order.
 */
final class EditStatement {

  private static final Param<Short[]> PRIORITY = param("priority", Short[].class);
  private static final Param<Instant[]> SCHEDULED_AT =
      param("scheduled_at", SQLDataType.INSTANT.getArrayDataType());
  private static final Param<Long[]> DELAY = param("delay", Long[].class);
  private static final Param<String[]> PAYLOAD = Texts.array("payload");

  private EditStatement() {}

  /**
   * A change of jobs.
   *
   * @param payload the new payload of {@code edit} as JSON, or null to keep the old one
   */
  record Request(List<JobId> jobs, JobEdit edit, @Nullable String payload) {}

  static Statement<Request, EditResult> of(DSLContext dialect) {
    ArrayRows change =
        ArrayRows.named("change")
            .column("priority", PRIORITY)
            .column("scheduled_at", SCHEDULED_AT)
            .column("delay", DELAY)
            .column("payload", PAYLOAD);
    Field<Instant> wanted =
        coalesce(
            change.field("scheduled_at", Instant.class),
            DatabaseClock.plusMicros(DatabaseClock.NOW, change.field("delay", Long.class)));
    CommonTableExpression<?> locked = CommandCtes.lockedForUpdateOnly(JOBS.ID, JOBS.STATUS);
    CommonTableExpression<?> edited =
        name("edited")
            .as(
                update(JOBS)
                    .set(
                        JOBS.PRIORITY,
                        coalesce(change.field("priority", Short.class), JOBS.PRIORITY))
                    .set(
                        JOBS.SCHEDULED_AT,
                        when(wanted.isNotNull(), greatest(DatabaseClock.NOW, wanted))
                            .otherwise(JOBS.SCHEDULED_AT))
                    .set(
                        JOBS.PAYLOAD,
                        coalesce(
                            cast(change.field("payload", String.class), JOBS.PAYLOAD),
                            JOBS.PAYLOAD))
                    .set(JOBS.UPDATED_AT, DatabaseClock.NOW)
                    .from(change.table())
                    .where(
                        CommandCtes.isLockedAsOneOf(
                            locked, JobStatus.PENDING, JobStatus.WAITING, JobStatus.DEAD))
                    .and(JOBS.STATUS.ne(JobPredicates.literal(JobStatus.DEAD)).or(wanted.isNull()))
                    .returning(JOBS.ID));
    Field<String> result =
        CommandCtes.result(
            edited,
            EditResult.EDITED,
            locked,
            EditResult.NOT_PENDING,
            EditResult.BUSY,
            EditResult.GONE);
    return Statement.of(
        dialect,
        CommandCtes.resultOfEach(with(locked, edited), List.of(result), locked, edited)
            .orderBy(CommandCtes.POSITION),
        EditStatement::arguments,
        row -> EditResult.valueOf(row.text(result)));
  }

  private static Arguments arguments(Request request) {
    List<JobEdit> one = List.of(request.edit());
    return CommandCtes.arguments(request.jobs())
        .smallints("priority", one, e -> e.priority().isPresent() ? e.priority().getAsInt() : null)
        .timestamps("scheduled_at", one, e -> e.scheduledAt().map(Instant::toString).orElse(null))
        .bigints("delay", one, e -> e.delay().map(DatabaseClock::micros).orElse(null))
        .texts("payload", one, e -> request.payload());
  }
}
