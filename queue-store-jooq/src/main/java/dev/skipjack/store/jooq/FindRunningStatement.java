package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_EXECUTIONS;
import static org.jooq.impl.DSL.boolOr;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.exists;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.store.jooq.internal.sql.Arguments;
import dev.skipjack.store.jooq.internal.sql.JobPredicates;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jooq.Param;
import org.jooq.ResultQuery;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/**
 * Tells whether an attempt runs among the next of one partition of the audit.
 *
 * <pre>{@code
 * SELECT COALESCE(bool_or(status = 'running' AND EXISTS (
 *          SELECT 1 FROM jobs WHERE status = 'running' AND current_execution_id = page.id)), false), count(*), max(id)
 *   FROM (SELECT id, status FROM job_executions
 *          WHERE started_at >= :from AND started_at < :to AND id > :after ORDER BY id LIMIT :batch) AS page
 * }</pre>
 *
 * <p>A walk along the primary key, because an index of the running rows would take HOT from the
 * update that closes them. It is made once, before the partition goes. A row that stays open
 * although no job names it, after a job was deleted by hand for instance, is closed by nothing and
 * keeps nothing.
 */
final class FindRunningStatement {

  private static final Param<String> FROM = param("from", String.class);
  private static final Param<String> TO = param("to", String.class);
  private static final Param<Long> AFTER = param("after", Long.class);
  private static final Param<Long> BATCH = param("batch", Long.class);

  private FindRunningStatement() {}

  /**
   * What was found.
   *
   * @param running whether one of them runs
   * @param read attempts that were looked at
   * @param last the greatest id among them
   */
  record Page(boolean running, long read, long last) {}

  static ResultQuery<?> query() {
    Table<?> page =
        select(JOB_EXECUTIONS.ID, JOB_EXECUTIONS.STATUS)
            .from(JOB_EXECUTIONS)
            .where(JOB_EXECUTIONS.STARTED_AT.ge(cast(FROM, SQLDataType.INSTANT)))
            .and(JOB_EXECUTIONS.STARTED_AT.lt(cast(TO, SQLDataType.INSTANT)))
            .and(JOB_EXECUTIONS.ID.gt(AFTER))
            .orderBy(JOB_EXECUTIONS.ID)
            .limit(BATCH)
            .asTable("page");
    return select(
            coalesce(
                    boolOr(
                        field(name("page", "status"), JOB_EXECUTIONS.STATUS.getDataType())
                            .eq(
                                inline(
                                    ExecutionStatus.RUNNING, JOB_EXECUTIONS.STATUS.getDataType()))
                            .and(
                                exists(
                                    selectOne()
                                        .from(JOBS)
                                        .where(JobPredicates.RUNNING)
                                        .and(
                                            JOBS.CURRENT_EXECUTION_ID.eq(
                                                field(name("page", "id"), Long.class)))))),
                    inline(false))
                .as("running"),
            count().as("read"),
            max(field(name("page", "id"), Long.class)).as("last"))
        .from(page);
  }

  static Arguments arguments(Partition partition, long after, int batch) {
    return new Arguments()
        .text("from", partition.start().toString())
        .text("to", partition.end().toString())
        .number("after", after)
        .number("batch", batch);
  }

  static Page read(ResultSet row) throws SQLException {
    return new Page(row.getBoolean("running"), row.getLong("read"), row.getLong("last"));
  }
}
