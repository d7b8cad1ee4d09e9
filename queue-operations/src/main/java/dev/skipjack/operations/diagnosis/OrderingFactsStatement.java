package dev.skipjack.operations.diagnosis;

import static dev.skipjack.model.Tables.JOBS;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.condition;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.selectCount;
import static org.jooq.impl.DSL.selectOne;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.OrderingPolicy;
import dev.skipjack.model.tables.Jobs;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.OrderingPolicies;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.sql.SQLException;
import java.util.Objects;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a job waits for in its ordering key: the head, and the jobs that wait before it.
 *
 * <pre>{@code
 * SELECT (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE status = 'waiting' AND ordering_key = :key
 *                                  AND coalesce(ordering_position, id) < :position LIMIT 10001) AS before) AS before,
 *        head.id, head.status, head.last_error, <the policy that applies to the head> AS policy
 *   FROM one row LEFT JOIN jobs AS head ON head.ordering_key = :key AND head.ordering_head
 * }</pre>
 *
 * <p>Locks nothing.
 */
final class OrderingFactsStatement {

  private static final Jobs HEAD = JOBS.as("head");
  private static final Field<String> KEY = Texts.param("key");
  private static final Field<String> POLICY =
      OrderingPolicies.of(
              HEAD.QUEUE.coerce(SQLDataType.CLOB), HEAD.ORDERING_POLICY.coerce(SQLDataType.CLOB))
          .as("policy");

  private OrderingFactsStatement() {}

  /**
   * The jobs that a job waits for in its ordering key.
   *
   * @param before the number of jobs of the key that wait before the job, up to 10,001
   * @param head the job that holds the key; null if there is none
   */
  record Facts(int before, @Nullable Head head) {}

  /**
   * The job that holds an ordering key.
   *
   * @param policy what happens to the jobs behind it once it is dead
   */
  record Head(JobId id, JobStatus status, @Nullable String lastError, OrderingPolicy policy) {}

  static Statement<JobFacts, Facts> of(DSLContext dialect) {
    Table<?> waiting =
        selectOne()
            .from(JOBS)
            .where(JobPredicates.WAITING)
            .and(JOBS.ORDERING_KEY.eq(KEY))
            .and(coalesce(JOBS.ORDERING_POSITION, JOBS.ID).lt(param("position", Long.class)))
            .limit(inline(QueueFactsStatement.WINDOW))
            .asTable("before");
    Field<Integer> before = field(selectCount().from(waiting)).as("before");
    return Statement.of(
        dialect,
        DSL.select(before, HEAD.ID, HEAD.STATUS, HEAD.LAST_ERROR, POLICY)
            .from(selectOne().asTable("one"))
            .leftJoin(HEAD)
            .on(HEAD.ORDERING_KEY.eq(KEY))
            .and(condition(HEAD.ORDERING_HEAD)),
        job ->
            new Arguments()
                .text("key", Objects.requireNonNull(job.orderingKey()))
                .number("position", job.position()),
        row -> new Facts(row.integer(before), head(row)));
  }

  private static @Nullable Head head(Row row) throws SQLException {
    Long id = row.numberOrNull(HEAD.ID);
    return id == null
        ? null
        : new Head(
            new JobId(id),
            JobStatus.of(row.text(HEAD.STATUS)),
            row.textOrNull(HEAD.LAST_ERROR),
            OrderingPolicy.of(row.text(POLICY)));
  }
}
