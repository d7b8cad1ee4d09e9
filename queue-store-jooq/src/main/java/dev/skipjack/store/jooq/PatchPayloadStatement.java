package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.octetLength;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.model.Routines;
import dev.skipjack.operations.bulk.PatchResult;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.Param;

/**
 * Applies a JSON merge patch to the payloads of jobs that are not running.
 *
 * <pre>{@code
 * WITH locked AS MATERIALIZED (SELECT id, status, payload FROM jobs WHERE id = ANY (:ids) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED),
 * merged AS MATERIALIZED (SELECT id, merge_patch(payload, :patch) AS payload FROM locked
 *                          WHERE status = ANY (:statuses) AND jsonb_typeof(payload) = 'object'),
 * patched AS (UPDATE jobs SET payload = merged.payload, updated_at = clock_timestamp() FROM merged
 *              WHERE jobs.id = merged.id AND (octet_length(merged.payload::text) <= :most OR it is no larger than before) RETURNING jobs.id)
 * SELECT CASE WHEN patched .. WHEN merged (too large) .. WHEN locked (no object, or another status) .. WHEN EXISTS (the row) THEN 'BUSY' ELSE 'GONE' END
 *   FROM given ...
 * }</pre>
 *
 * <p>The payloads never leave the server, which keeps numbers exact. The patch is applied to the
 * locked rows, so that a concurrent edit is not lost. {@link CommandCtes} explains the lock order.
 */
final class PatchPayloadStatement {

  private static final Field<JSONB> PATCH = cast(Texts.param("patch"), JOBS.PAYLOAD);
  private static final Param<String[]> STATUSES = Texts.array("statuses");
  private static final Param<Long> MOST = param("most", Long.class);

  private PatchPayloadStatement() {}

  /**
   * A patch of jobs.
   *
   * @param statuses the statuses of the jobs to change, which do not include running
   * @param most the maximum size of a payload that the patch makes larger, in bytes as PostgreSQL
   *     writes it
   */
  record Request(List<JobId> jobs, String patch, List<JobStatus> statuses, long most) {}

  static Statement<Request, PatchResult> of(DSLContext dialect) {
    CommonTableExpression<?> locked =
        CommandCtes.lockedForUpdateOnly(JOBS.ID, JOBS.STATUS, JOBS.PAYLOAD);
    Condition eligible = CommandCtes.statusOf(locked).coerce(String.class).eq(any(STATUSES));
    CommonTableExpression<?> merged =
        name("merged")
            .asMaterialized(
                select(
                        CommandCtes.idOf(locked),
                        Routines.mergePatch(payloadOf(locked), PATCH).as("payload"))
                    .from(locked)
                    .where(eligible)
                    .and(isObject(payloadOf(locked))));
    CommonTableExpression<?> patched =
        name("patched")
            .as(
                update(JOBS)
                    .set(JOBS.PAYLOAD, payloadOf(merged))
                    .set(JOBS.UPDATED_AT, DatabaseClock.NOW)
                    .from(merged)
                    .where(JOBS.ID.eq(CommandCtes.idOf(merged)))
                    .and(JOBS.ID.eq(any(array(select(CommandCtes.idOf(merged)).from(merged)))))
                    .and(
                        sizeOf(payloadOf(merged))
                            .le(MOST)
                            .or(sizeOf(payloadOf(merged)).le(sizeOf(JOBS.PAYLOAD))))
                    .returning(JOBS.ID));
    Field<String> result =
        CommandCtes.result(patched, PatchResult.PATCHED)
            .when(CommandCtes.isIn(merged), CommandCtes.literal(PatchResult.TOO_LARGE))
            .when(eligible, CommandCtes.literal(PatchResult.NO_OBJECT))
            .when(CommandCtes.isIn(locked), CommandCtes.literal(PatchResult.OTHER_STATUS))
            .when(CommandCtes.exists(), CommandCtes.literal(PatchResult.BUSY))
            .otherwise(CommandCtes.literal(PatchResult.GONE));
    return Statement.of(
        dialect,
        CommandCtes.resultOfEach(
                with(locked, merged, patched), List.of(result), locked, merged, patched)
            .orderBy(CommandCtes.POSITION),
        PatchPayloadStatement::arguments,
        row -> PatchResult.valueOf(row.text(result)));
  }

  private static Field<JSONB> payloadOf(CommonTableExpression<?> table) {
    return field(name(table.getName(), JOBS.PAYLOAD.getName()), JOBS.PAYLOAD.getDataType());
  }

  private static Field<Long> sizeOf(Field<JSONB> payload) {
    return octetLength(payload.cast(String.class)).cast(Long.class);
  }

  private static Condition isObject(Field<JSONB> payload) {
    return field("jsonb_typeof({0})", String.class, payload).eq(inline("object"));
  }

  private static Arguments arguments(Request request) {
    return CommandCtes.arguments(request.jobs())
        .text("patch", request.patch())
        .texts("statuses", request.statuses(), JobStatus::literal)
        .number("most", request.most());
  }
}
