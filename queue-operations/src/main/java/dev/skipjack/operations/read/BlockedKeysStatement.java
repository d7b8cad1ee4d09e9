package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectCount;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.BlockedKey;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.ResultQuery;
import org.jooq.Table;

/**
 * Lists the ordering keys that a dead job blocks, with the number of jobs that wait behind it.
 *
 * <pre>{@code
 * WITH blocked AS MATERIALIZED (SELECT id, ordering_key, queue, kind, coalesce(died_at, updated_at) AS died_at, last_error FROM jobs
 *                                WHERE ordering_head AND status = 'dead' ORDER BY ordering_key LIMIT 1000)
 * SELECT blocked.*, (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE status = 'waiting' AND ordering_key = blocked.ordering_key LIMIT 1000) AS behind)
 *   FROM blocked ORDER BY ordering_key
 * }</pre>
 *
 * <p>The number of keys and the number of jobs per key are limited. Locks nothing.
 */
final class BlockedKeysStatement {

  private static final Field<Integer> WAITING = field(name("waiting"), Integer.class);

  private BlockedKeysStatement() {}

  static Statement<NoRequest, BlockedKey> of(DSLContext dialect) {
    return Statement.of(dialect, query(), BlockedKeysStatement::read);
  }

  private static ResultQuery<?> query() {
    CommonTableExpression<?> blocked =
        name("blocked")
            .asMaterialized(
                select(
                        JOBS.ID,
                        JOBS.ORDERING_KEY,
                        JOBS.QUEUE,
                        JOBS.KIND,
                        coalesce(JOBS.DIED_AT, JOBS.UPDATED_AT).as(JOBS.DIED_AT),
                        JOBS.LAST_ERROR)
                    .from(JOBS)
                    .where(condition(JOBS.ORDERING_HEAD))
                    .and(JobPredicates.DEAD)
                    .and(JOBS.ORDERING_KEY.isNotNull())
                    .orderBy(JOBS.ORDERING_KEY)
                    .limit(inline(ReadBounds.BLOCKED_KEYS)));
    Field<String> key = of(JOBS.ORDERING_KEY);
    Table<?> behind =
        selectOne()
            .from(JOBS)
            .where(JobPredicates.WAITING)
            .and(JOBS.ORDERING_KEY.eq(key))
            .limit(inline(ReadBounds.WAITING_JOBS))
            .asTable("behind");
    return with(blocked)
        .select(
            of(JOBS.ID),
            key,
            of(JOBS.QUEUE),
            of(JOBS.KIND),
            of(JOBS.DIED_AT),
            of(JOBS.LAST_ERROR),
            field(selectCount().from(behind)).as(WAITING))
        .from(blocked)
        .orderBy(key);
  }

  private static <T> Field<T> of(Field<T> column) {
    return field(name("blocked", column.getName()), column.getDataType());
  }

  private static BlockedKey read(Row row) throws SQLException {
    return new BlockedKey(
        row.text(of(JOBS.ORDERING_KEY)),
        new JobId(row.number(of(JOBS.ID))),
        row.text(of(JOBS.QUEUE)),
        row.text(of(JOBS.KIND)),
        row.instant(of(JOBS.DIED_AT)),
        row.textOrNull(of(JOBS.LAST_ERROR)),
        row.integer(WAITING));
  }
}
