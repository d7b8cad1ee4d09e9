package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.deleteFrom;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.PruneResult;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.ordering.KeyedResult;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;

/**
 * Deletes dead jobs without archiving them, except those with an owner, which are archived as
 * cancelled.
 *
 * <pre>{@code
 * WITH locked AS MATERIALIZED (SELECT id, status FROM jobs WHERE id = ANY (:ids) ORDER BY id FOR UPDATE SKIP LOCKED),
 * pruned AS (DELETE FROM jobs WHERE id = ANY (ARRAY(SELECT id FROM locked WHERE status = 'dead')) RETURNING ...),
 * archived AS (INSERT INTO jobs_archive (...) SELECT ... FROM pruned WHERE owner_id IS NOT NULL)
 * SELECT CASE WHEN pruned .. WHEN locked (another state) .. WHEN EXISTS (the row) THEN 'BUSY' ELSE 'GONE' END, pruned.ordering_key FROM given ...
 * }</pre>
 *
 * <p>{@link CommandCtes} explains the lock order. If a job blocked its ordering key, the caller
 * promotes the next job after the commit.
 */
final class PruneStatement {

  private PruneStatement() {}

  static Statement<List<JobId>, KeyedResult<PruneResult>> of(DSLContext dialect) {
    CommonTableExpression<?> locked = CommandCtes.locked(JOBS.ID, JOBS.STATUS);
    CommonTableExpression<?> pruned =
        name("pruned")
            .as(
                deleteFrom(JOBS)
                    .where(CommandCtes.isLockedAs(locked, JobStatus.DEAD))
                    .returning(Archive.columns(true)));
    Field<String> result =
        CommandCtes.result(
            pruned,
            PruneResult.PRUNED,
            locked,
            PruneResult.NOT_DEAD,
            PruneResult.BUSY,
            PruneResult.GONE);
    Field<String> orderingKey = CommandCtes.orderingKeyOf(pruned);
    Field<Long> owner = CommandCtes.ownerOf(pruned);
    return Statement.of(
        dialect,
        CommandCtes.resultOfEach(
                with(locked, pruned, Archive.ofOwned(pruned)),
                List.of(result, orderingKey, owner),
                locked,
                pruned)
            .orderBy(CommandCtes.POSITION),
        CommandCtes::arguments,
        row ->
            new KeyedResult<>(
                PruneResult.valueOf(row.text(result)),
                row.textOrNull(orderingKey),
                row.numberOrNull(owner)));
  }
}
