package dev.skipjack.store.jooq.internal.history;

import static dev.skipjack.model.Tables.JOB_CHANGES;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.deleteFrom;
import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.with;

import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jooq.CommonTableExpression;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Table;

/**
 * Finds and deletes old records of single changes, which have no index by time: their ids rise with
 * it.
 *
 * <pre>{@code
 * SELECT max(id) FROM (SELECT id, changed_at FROM job_changes ORDER BY id LIMIT :batch) AS first
 *  WHERE changed_at < now() - :kept
 *
 * WITH pruned AS (DELETE FROM job_changes WHERE id <= :last AND changed_at < now() - :kept RETURNING id)
 * SELECT count(*) FROM pruned
 * }</pre>
 *
 * <p>Only the second statement needs the right to delete, and it runs only if there is something to
 * delete. No other statement changes these rows, so it waits only for another worker's maintenance.
 */
final class PruneChangesStatement {

  private static final Param<Long> BATCH = param("batch", Long.class);
  private static final Param<Long> LAST = param("last", Long.class);
  private static final Param<Long> KEPT = param("kept", Long.class);
  private static final Field<Instant> BEFORE =
      DatabaseClock.minusMicros(DatabaseClock.TRANSACTION_START, KEPT);

  private PruneChangesStatement() {}

  /**
   * @param kept how long records are kept
   * @param number the number of records to read, or the id of the last one to delete
   */
  record Request(Duration kept, long number) {}

  /**
   * Creates the statement that returns the id of the last old record among the first ones, or
   * empty.
   */
  static Statement<Request, Optional<Long>> search(DSLContext dialect) {
    Table<?> first =
        select(JOB_CHANGES.ID, JOB_CHANGES.CHANGED_AT)
            .from(JOB_CHANGES)
            .orderBy(JOB_CHANGES.ID)
            .limit(BATCH)
            .asTable("first");
    Field<Long> last = max(first.field(JOB_CHANGES.ID));
    return Statement.of(
        dialect,
        select(last).from(first).where(first.field(JOB_CHANGES.CHANGED_AT).lt(BEFORE)),
        request -> arguments("batch", request),
        row -> Optional.ofNullable(row.numberOrNull(last)));
  }

  /** Creates the statement that deletes the old records up to an id, and returns their number. */
  static Statement<Request, Integer> delete(DSLContext dialect) {
    Field<Integer> count = count();
    CommonTableExpression<?> pruned =
        name("pruned")
            .as(
                deleteFrom(JOB_CHANGES)
                    .where(JOB_CHANGES.ID.le(LAST))
                    .and(JOB_CHANGES.CHANGED_AT.lt(BEFORE))
                    .returning(JOB_CHANGES.ID));
    return Statement.of(
        dialect,
        with(pruned).select(count).from(table(name("pruned"))),
        request -> arguments("last", request),
        row -> row.integer(count));
  }

  private static Arguments arguments(String number, Request request) {
    return new Arguments()
        .number(number, request.number())
        .number("kept", DatabaseClock.micros(request.kept()));
  }
}
