package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOBS_ARCHIVE;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static dev.skipjack.sql.Existence.notExists;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.insertInto;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;

import dev.skipjack.api.JobStatus;
import dev.skipjack.store.jooq.internal.steps.StepCtes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jooq.CommonTableExpression;
import org.jooq.Field;
import org.jooq.types.YearToSecond;
import org.jspecify.annotations.Nullable;

/**
 * Archives the jobs that a statement deletes because they have ended:
 *
 * <pre>{@code
 * archived AS (INSERT INTO jobs_archive (...) SELECT ... FROM <deleted>
 *               WHERE NOT EXISTS (SELECT 1 FROM job_queues WHERE queue = <deleted>.queue AND archive_retention = interval '0'))
 * }</pre>
 */
final class Archive {

  /** The columns of the archive and the source of each. */
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
          new Copied(JOBS_ARCHIVE.UNCOUNTED_ATTEMPTS, JOBS.UNCOUNTED_ATTEMPTS),
          new Copied(JOBS_ARCHIVE.MAX_ATTEMPTS, JOBS.MAX_ATTEMPTS),
          new Copied(JOBS_ARCHIVE.WORKER_ID, JOBS.LOCKED_BY),
          new Copied(JOBS_ARCHIVE.LAST_ERROR, JOBS.LAST_ERROR),
          new Copied(JOBS_ARCHIVE.UNIQUE_LABEL, JOBS.UNIQUE_LABEL),
          new Copied(JOBS_ARCHIVE.ORDERING_KEY, JOBS.ORDERING_KEY),
          new Copied(JOBS_ARCHIVE.GROUP_KEY, JOBS.GROUP_KEY),
          new Copied(JOBS_ARCHIVE.TAGS, JOBS.TAGS),
          new Copied(JOBS_ARCHIVE.HEADERS, JOBS.HEADERS));

  private Archive() {}

  /**
   * Returns the fields that a DELETE must return so that {@link #of} can archive its rows. The
   * field {@code execution_id} is null for a job that is not running.
   */
  static List<Field<?>> columns() {
    List<Field<?>> columns = new ArrayList<>();
    COPIED.forEach(copied -> columns.add(copied.source()));
    columns.add(JOBS.CURRENT_EXECUTION_ID.as(AttemptCtes.EXECUTION_ID));
    return columns;
  }

  /**
   * Returns a CTE that archives the rows of {@code deleted} with the given status, except those of
   * queues that keep no ended jobs.
   */
  static CommonTableExpression<?> of(CommonTableExpression<?> deleted, JobStatus status) {
    Map<Field<?>, Field<?>> values = values(deleted);
    values.put(JOBS_ARCHIVE.STATUS, inline(status, JOBS_ARCHIVE.STATUS));
    return archived(deleted, values);
  }

  /**
   * Returns a CTE like {@link #of(CommonTableExpression, JobStatus)}, which also archives the steps
   * of the jobs.
   *
   * @param memos the memos of the jobs, from {@link StepCtes#memos}
   */
  static CommonTableExpression<?> withSteps(
      CommonTableExpression<?> deleted, CommonTableExpression<?> memos, JobStatus status) {
    Map<Field<?>, Field<?>> values = values(deleted);
    values.put(JOBS_ARCHIVE.STATUS, inline(status, JOBS_ARCHIVE.STATUS));
    values.put(JOBS_ARCHIVE.STEPS, steps(deleted, memos));
    return archived(deleted, values);
  }

  private static Field<?> steps(CommonTableExpression<?> deleted, CommonTableExpression<?> memos) {
    return StepCtes.folded(memos, field(name(deleted.getName(), "id"), Long.class));
  }

  /**
   * Returns a CTE like {@link #of(CommonTableExpression, JobStatus)}, with further values for each
   * job.
   *
   * @param lastError the error to store instead of the job's own
   * @param memos the memos of the jobs, from {@link StepCtes#memos}; null if they have none
   */
  static CommonTableExpression<?> of(
      CommonTableExpression<?> deleted,
      Field<?> status,
      Field<?> result,
      Field<String> lastError,
      @Nullable CommonTableExpression<?> memos) {
    Map<Field<?>, Field<?>> values = values(deleted);
    if (memos != null) {
      values.put(JOBS_ARCHIVE.STEPS, steps(deleted, memos));
    }
    values.put(JOBS_ARCHIVE.LAST_ERROR, lastError);
    values.put(JOBS_ARCHIVE.STATUS, status);
    values.put(JOBS_ARCHIVE.RESULT, result);
    return archived(deleted, values);
  }

  /**
   * Returns the columns of the archive whose values are copied from the job's row, with these
   * values.
   */
  private static Map<Field<?>, Field<?>> values(CommonTableExpression<?> deleted) {
    Map<Field<?>, Field<?>> values = new LinkedHashMap<>();
    for (Copied copied : COPIED) {
      values.put(
          copied.target(),
          field(name(deleted.getName(), copied.source().getName()), copied.source().getDataType()));
    }
    values.put(
        JOBS_ARCHIVE.EXECUTION_ID,
        field(name(deleted.getName(), AttemptCtes.EXECUTION_ID), Long.class));
    return values;
  }

  private static CommonTableExpression<?> archived(
      CommonTableExpression<?> deleted, Map<Field<?>, Field<?>> values) {
    return name("archived")
        .as(
            insertInto(JOBS_ARCHIVE, values.keySet())
                .select(
                    select(values.values())
                        .from(deleted)
                        .where(
                            notExists(
                                selectOne()
                                    .from(JOB_QUEUES)
                                    .where(
                                        JOB_QUEUES.QUEUE.eq(
                                            field(name(deleted.getName(), "queue"), String.class)))
                                    .and(
                                        JOB_QUEUES.ARCHIVE_RETENTION.eq(
                                            inline(YearToSecond.valueOf(Duration.ZERO)))))))
                .returning(JOBS_ARCHIVE.ID));
  }

  private record Copied(Field<?> target, Field<?> source) {}
}
