package dev.skipjack.operations.read;

import static dev.skipjack.model.Tables.JOBS_ARCHIVE;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.row;
import static org.jooq.impl.DSL.rowNumber;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.table;

import dev.skipjack.sql.Statement;
import java.time.Instant;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.ResultQuery;
import org.jooq.SortOrder;
import org.jooq.impl.SQLDataType;

/**
 * Lists archived jobs, latest finished first.
 *
 * <pre>{@code
 * seen AS MATERIALIZED (SELECT finished_at AS at, id, <filters> AS matches, row_number() OVER (ORDER BY finished_at DESC, id DESC) AS place
 *                         FROM jobs_archive
 *                        WHERE (finished_at, id) < (:after_at, :after) AND finished_at <= :after_at AND finished_at >= :since
 *                        ORDER BY finished_at DESC, id DESC LIMIT :most)
 * }</pre>
 *
 * <p>{@link PageQuery} explains the rest. The statement reads {@code jobs_archive_finished_at_idx}
 * backwards, one partition after the other. PostgreSQL prunes partitions by comparisons of single
 * values but not of rows, so the instant is compared a second time. For the same reason, the rows
 * of the page are fetched from the partitions between its first and its last instant. Locks
 * nothing.
 */
final class ListArchivedStatement {

  private ListArchivedStatement() {}

  static Statement<PageQuery.Request, PageQuery.Entry> of(DSLContext dialect, JobFilter filter) {
    return PageQuery.statement(dialect, JobSummaries.ARCHIVED, query(filter));
  }

  private static ResultQuery<?> query(JobFilter filter) {
    Field<Instant> at = field(name("page", "at"), SQLDataType.INSTANT);
    return PageQuery.byInstant(SortOrder.DESC)
        .query(
            select(
                    JOBS_ARCHIVE.FINISHED_AT.as("at"),
                    JOBS_ARCHIVE.ID,
                    field(filter.onArchived()).as("matches"),
                    rowNumber()
                        .over()
                        .orderBy(JOBS_ARCHIVE.FINISHED_AT.desc(), JOBS_ARCHIVE.ID.desc())
                        .cast(Long.class)
                        .as("place"))
                .from(JOBS_ARCHIVE)
                .where(
                    row(JOBS_ARCHIVE.FINISHED_AT, JOBS_ARCHIVE.ID)
                        .lt(row(PageQuery.AFTER_AT, PageQuery.AFTER)))
                .and(JOBS_ARCHIVE.FINISHED_AT.le(PageQuery.AFTER_AT))
                .and(JobFilter.ended())
                .orderBy(JOBS_ARCHIVE.FINISHED_AT.desc(), JOBS_ARCHIVE.ID.desc())
                .limit(PageQuery.MOST),
            PageQuery.MOST,
            JobSummaries.ARCHIVED,
            JOBS_ARCHIVE
                .FINISHED_AT
                .ge(select(min(at)).from(table(name("page"))))
                .and(JOBS_ARCHIVE.FINISHED_AT.le(select(max(at)).from(table(name("page"))))),
            JOBS_ARCHIVE.FINISHED_AT.desc(),
            JOBS_ARCHIVE.ID.desc());
  }
}
