package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.JobCount;
import dev.skipjack.sql.NoRequest;
import dev.skipjack.sql.Statement;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.SQLDataType;

/**
 * Estimates the counts of live jobs from a random sample of the table's pages.
 *
 * <pre>{@code
 * SELECT queue, kind, status, round(count(*) / share)
 *   FROM jobs TABLESAMPLE SYSTEM (100 * share) GROUP BY queue, kind, status
 *  where share = least(1, 500 / (pg_relation_size('jobs') / block_size))
 * }</pre>
 *
 * <p>It reads about 500 pages, regardless of the size of the table. The estimate for a group with a
 * hundredth of the rows of a large table is accurate to within ten percent, unless the jobs of the
 * group were all enqueued together and therefore share pages. {@code reltuples} is no alternative,
 * because it distinguishes neither queues nor kinds, and is as old as the last ANALYZE.
 *
 * <p>The SQL is a template, because jOOQ's DSL has neither TABLESAMPLE nor the size of a relation.
 * Locks nothing.
 */
final class CountSampleStatement {

  private CountSampleStatement() {}

  /**
   * Creates the statement.
   *
   * @param dialect renders the statement, and the name of the table, which PostgreSQL expects as
   *     {@code text}
   */
  static Statement<NoRequest, JobCount> of(DSLContext dialect) {
    Field<Double> share =
        field(
            "least(1, {0} * current_setting('block_size')::float8 / greatest(1, pg_relation_size({1}::regclass)))",
            SQLDataType.DOUBLE, inline(ReadBounds.SAMPLED_PAGES), inline(dialect.render(JOBS)));
    Field<Double> estimate = field("round({0} / {1})", SQLDataType.DOUBLE, count(), share);
    return Statement.of(
        dialect,
        select(JOBS.QUEUE, JOBS.KIND, JOBS.STATUS, estimate)
            .from(table("{0} tablesample system (100 * {1})", JOBS, share))
            .groupBy(JOBS.QUEUE, JOBS.KIND, JOBS.STATUS),
        row ->
            new JobCount(
                row.text(JOBS.QUEUE),
                row.text(JOBS.KIND),
                JobStatus.of(row.text(JOBS.STATUS)),
                (long) row.real(estimate),
                true));
  }
}
