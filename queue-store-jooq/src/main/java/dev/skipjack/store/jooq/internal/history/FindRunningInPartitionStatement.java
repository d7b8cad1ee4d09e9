package dev.skipjack.store.jooq.internal.history;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_EXECUTIONS;
import static dev.skipjack.sql.Existence.exists;
import static org.jooq.impl.DSL.boolOr;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import java.sql.SQLException;
import java.util.OptionalLong;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.ResultQuery;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/**
 * Returns whether any attempt in the next batch of an audit partition is running.
 *
 * <pre>{@code
 * SELECT COALESCE(bool_or(status = 'running' AND EXISTS (
 *          SELECT 1 FROM jobs WHERE status = 'running' AND current_execution_id = page.id)), false), count(*), max(id)
 *   FROM (SELECT id, status FROM job_executions
 *          WHERE started_at >= :from AND started_at < :to AND id > :after ORDER BY id LIMIT :batch) AS page
 * }</pre>
 *
 * <p>It reads the primary key. With an index on running rows, the update that closes a row could
 * not be a HOT update. A partition is read only when it is about to be removed. A running row to
 * which no job refers, for example because a job was deleted manually, does not prevent the
 * removal.
 */
final class FindRunningInPartitionStatement {

  private static final Param<String> FROM = param("from", String.class);
  private static final Param<String> TO = param("to", String.class);
  private static final Param<Long> AFTER = param("after", Long.class);
  private static final Param<Long> BATCH = param("batch", Long.class);

  private static final Field<Boolean> RUNNING = field(name("running"), Boolean.class);
  private static final Field<Integer> READ = count().as("read");
  private static final Field<Long> LAST = max(field(name("page", "id"), Long.class)).as("last");

  private FindRunningInPartitionStatement() {}

  /**
   * A batch of attempts to read.
   *
   * @param after the greatest id of the previous batch
   */
  record Request(Partition partition, long after, int batch) {}

  /**
   * The result for one batch.
   *
   * @param running whether one of its attempts is running
   * @param last the greatest id that was read, or empty if no rows were left
   */
  record Page(boolean running, OptionalLong last) {}

  static Statement<Request, Page> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        query(),
        FindRunningInPartitionStatement::arguments,
        FindRunningInPartitionStatement::read);
  }

  private static ResultQuery<?> query() {
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
                .as(RUNNING),
            READ,
            LAST)
        .from(page);
  }

  private static Arguments arguments(Request request) {
    return new Arguments()
        .text("from", request.partition().start().toString())
        .text("to", request.partition().end().toString())
        .number("after", request.after())
        .number("batch", request.batch());
  }

  private static Page read(Row row) throws SQLException {
    boolean empty = row.integer(READ) == 0;
    return new Page(
        row.flag(RUNNING), empty ? OptionalLong.empty() : OptionalLong.of(row.number(LAST)));
  }
}
