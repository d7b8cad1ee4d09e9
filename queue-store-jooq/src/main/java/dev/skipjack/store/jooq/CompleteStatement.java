package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOBS_ARCHIVE;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.deleteFrom;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.insertInto;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.notExists;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.store.jooq.spi.Arguments;
import dev.skipjack.store.jooq.spi.ArrayRows;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.Record1;
import org.jooq.ResultQuery;
import org.jooq.types.YearToSecond;

/**
 * Ends attempts well: the jobs move to the archive, unless their queue keeps none, and their audit
 * rows are closed.
 *
 * <pre>{@code
 * WITH locked AS MATERIALIZED (...),
 * ended    AS (DELETE FROM jobs WHERE id = ANY (ARRAY(SELECT id FROM locked)) RETURNING ...),
 * archived AS (INSERT INTO jobs_archive (...) SELECT ... FROM ended
 *               WHERE NOT EXISTS (SELECT 1 FROM job_queues WHERE queue = ended.queue AND archive_retention = interval '0')),
 * closed   AS (UPDATE job_executions SET status = 'succeeded', ...)
 * SELECT verdict FROM given LEFT JOIN ended ...
 * }</pre>
 *
 * <p>One statement, because a copy and a delete in two lose what crosses the line between them.
 * {@link AttemptCtes} tells the lock order.
 */
final class CompleteStatement {

  /** Columns of the archive and where each comes from. */
  private static final List<Copied> COPIED =
      List.of(
          new Copied(JOBS_ARCHIVE.ID, JOBS.ID),
          new Copied(JOBS_ARCHIVE.QUEUE, JOBS.QUEUE),
          new Copied(JOBS_ARCHIVE.KIND, JOBS.KIND),
          new Copied(JOBS_ARCHIVE.PAYLOAD, JOBS.PAYLOAD),
          new Copied(JOBS_ARCHIVE.PAYLOAD_VERSION, JOBS.PAYLOAD_VERSION),
          new Copied(JOBS_ARCHIVE.PRIORITY, JOBS.PRIORITY),
          new Copied(JOBS_ARCHIVE.SCHEDULED_AT, JOBS.SCHEDULED_AT),
          new Copied(JOBS_ARCHIVE.CREATED_AT, JOBS.CREATED_AT),
          new Copied(JOBS_ARCHIVE.STARTED_AT, JOBS.STARTED_AT),
          new Copied(JOBS_ARCHIVE.ATTEMPTS, JOBS.ATTEMPTS),
          new Copied(JOBS_ARCHIVE.FORGIVEN, JOBS.FORGIVEN),
          new Copied(JOBS_ARCHIVE.MAX_ATTEMPTS, JOBS.MAX_ATTEMPTS),
          new Copied(JOBS_ARCHIVE.WORKER_ID, JOBS.LOCKED_BY),
          new Copied(JOBS_ARCHIVE.LAST_ERROR, JOBS.LAST_ERROR),
          new Copied(JOBS_ARCHIVE.UNIQUE_LABEL, JOBS.UNIQUE_LABEL),
          new Copied(JOBS_ARCHIVE.ORDERING_KEY, JOBS.ORDERING_KEY),
          new Copied(JOBS_ARCHIVE.TAGS, JOBS.TAGS),
          new Copied(JOBS_ARCHIVE.TRACE_CONTEXT, JOBS.TRACE_CONTEXT));

  private static final Param<Long> JOB_ID = param("job_id", Long.class);
  private static final Param<Long> EXECUTION_ID = param("execution_id", Long.class);

  private CompleteStatement() {}

  /** For a batch, in a transaction of its own. */
  static ResultQuery<?> query() {
    ArrayRows given = AttemptCtes.given();
    CommonTableExpression<Record1<Long>> locked = AttemptCtes.locked();
    CommonTableExpression<?> ended = ended(AttemptCtes.isLocked(locked));
    return with(locked, ended, archived(ended), closed(ended))
        .select(AttemptCtes.verdict(given, ended))
        .from(given.table())
        .leftJoin(ended)
        .on(AttemptCtes.answers(given, ended))
        .orderBy(given.field("position", Long.class));
  }

  /**
   * For one attempt, in the handler's transaction: waits for the row, answers how many attempts it
   * ended. To be planned at each run, because the transaction is the caller's.
   */
  static ResultQuery<?> queryForOne() {
    CommonTableExpression<?> ended =
        ended(JOBS.ID.eq(JOB_ID).and(JOBS.CURRENT_EXECUTION_ID.eq(EXECUTION_ID)));
    return with(ended, archived(ended), closed(ended)).select(count()).from(ended);
  }

  static Arguments argumentsForOne(Execution execution) {
    return new Arguments()
        .number("job_id", execution.jobId().value())
        .number("execution_id", execution.id().value());
  }

  private static CommonTableExpression<?> ended(Condition which) {
    List<Field<?>> columns = new ArrayList<>();
    COPIED.forEach(copied -> columns.add(copied.source()));
    columns.add(JOBS.CURRENT_EXECUTION_ID.as(AttemptCtes.EXECUTION_ID));
    return name("ended").as(deleteFrom(JOBS).where(which).returning(columns));
  }

  private static CommonTableExpression<?> archived(CommonTableExpression<?> ended) {
    List<Field<?>> targets = new ArrayList<>();
    List<Field<?>> values = new ArrayList<>();
    for (Copied copied : COPIED) {
      targets.add(copied.target());
      values.add(
          field(name(ended.getName(), copied.source().getName()), copied.source().getDataType()));
    }
    targets.add(JOBS_ARCHIVE.EXECUTION_ID);
    values.add(field(name(ended.getName(), AttemptCtes.EXECUTION_ID), Long.class));
    targets.add(JOBS_ARCHIVE.STATUS);
    values.add(inline(JobStatus.COMPLETED, JOBS_ARCHIVE.STATUS));
    return name("archived")
        .as(
            insertInto(JOBS_ARCHIVE, targets)
                .select(
                    select(values)
                        .from(ended)
                        .where(
                            notExists(
                                selectOne()
                                    .from(JOB_QUEUES)
                                    .where(
                                        JOB_QUEUES.QUEUE.eq(
                                            field(name("ended", "queue"), String.class)))
                                    .and(
                                        JOB_QUEUES.ARCHIVE_RETENTION.eq(
                                            inline(YearToSecond.valueOf(Duration.ZERO)))))))
                .returning(JOBS_ARCHIVE.ID));
  }

  private static CommonTableExpression<?> closed(CommonTableExpression<?> ended) {
    return AttemptCtes.closed(ended, AttemptCtes.literal(ExecutionStatus.SUCCEEDED));
  }

  private record Copied(Field<?> target, Field<?> source) {}
}
