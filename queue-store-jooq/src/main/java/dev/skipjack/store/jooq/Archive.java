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
import org.jooq.Condition;
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
 *
 * <p>A statement whose jobs may have an owner also copies the owner, and archives owned jobs of
 * every queue: {@code NOT EXISTS (... AND <deleted>.owner_id IS NULL)}. The results of a join and
 * the outcome of a batch are read from the archive.
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
   *
   * @param owned whether the jobs may have an owner
   */
  static List<Field<?>> columns(boolean owned) {
    List<Field<?>> columns = new ArrayList<>();
    COPIED.forEach(copied -> columns.add(copied.source()));
    columns.add(JOBS.CURRENT_EXECUTION_ID.as(AttemptCtes.EXECUTION_ID));
    if (owned) {
      columns.add(JOBS.OWNER_ID);
    }
    return columns;
  }

  /**
   * Returns a CTE that archives the rows of {@code deleted} with the given status, except those of
   * queues that keep no ended jobs.
   *
   * @param owned as for {@link #columns}
   */
  static CommonTableExpression<?> of(
      CommonTableExpression<?> deleted, JobStatus status, boolean owned) {
    Map<Field<?>, Field<?>> values = values(deleted, owned);
    values.put(JOBS_ARCHIVE.STATUS, inline(status, JOBS_ARCHIVE.STATUS));
    return archived(deleted, values, which(deleted, owned));
  }

  /**
   * Returns a CTE that archives those rows of {@code deleted} that have an owner, as cancelled. For
   * jobs that are otherwise deleted without a trace.
   */
  static CommonTableExpression<?> ofOwned(CommonTableExpression<?> deleted) {
    Map<Field<?>, Field<?>> values = values(deleted, true);
    values.put(JOBS_ARCHIVE.STATUS, inline(JobStatus.CANCELLED, JOBS_ARCHIVE.STATUS));
    return archived(deleted, values, ownerOf(deleted).isNotNull());
  }

  /**
   * Returns a CTE like {@link #of(CommonTableExpression, JobStatus, boolean)} for jobs that may
   * have an owner, which also archives the steps of the jobs.
   *
   * @param memos the memos of the jobs, from {@link StepCtes#memos}
   */
  static CommonTableExpression<?> withSteps(
      CommonTableExpression<?> deleted, CommonTableExpression<?> memos, JobStatus status) {
    Map<Field<?>, Field<?>> values = values(deleted, true);
    values.put(JOBS_ARCHIVE.STATUS, inline(status, JOBS_ARCHIVE.STATUS));
    values.put(JOBS_ARCHIVE.STEPS, steps(deleted, memos));
    return archived(deleted, values, which(deleted, true));
  }

  private static Field<?> steps(CommonTableExpression<?> deleted, CommonTableExpression<?> memos) {
    return StepCtes.folded(memos, field(name(deleted.getName(), "id"), Long.class));
  }

  /**
   * Returns a CTE like {@link #of(CommonTableExpression, JobStatus, boolean)}, with further values
   * for each job.
   *
   * @param lastError the error to store instead of the job's own
   * @param memos the memos of the jobs, from {@link StepCtes#memos}; null if they have none
   */
  static CommonTableExpression<?> of(
      CommonTableExpression<?> deleted,
      Field<?> status,
      Field<?> result,
      Field<String> lastError,
      boolean owned,
      @Nullable CommonTableExpression<?> memos) {
    Map<Field<?>, Field<?>> values = values(deleted, owned);
    if (memos != null) {
      values.put(JOBS_ARCHIVE.STEPS, steps(deleted, memos));
    }
    values.put(JOBS_ARCHIVE.LAST_ERROR, lastError);
    values.put(JOBS_ARCHIVE.STATUS, status);
    values.put(JOBS_ARCHIVE.RESULT, result);
    return archived(deleted, values, which(deleted, owned));
  }

  /**
   * Returns the columns of the archive whose values are copied from the job's row, with these
   * values.
   */
  private static Map<Field<?>, Field<?>> values(CommonTableExpression<?> deleted, boolean owned) {
    Map<Field<?>, Field<?>> values = new LinkedHashMap<>();
    for (Copied copied : COPIED) {
      values.put(
          copied.target(),
          field(name(deleted.getName(), copied.source().getName()), copied.source().getDataType()));
    }
    values.put(
        JOBS_ARCHIVE.EXECUTION_ID,
        field(name(deleted.getName(), AttemptCtes.EXECUTION_ID), Long.class));
    if (owned) {
      values.put(JOBS_ARCHIVE.OWNER_ID, ownerOf(deleted));
    }
    return values;
  }

  private static Field<Long> ownerOf(CommonTableExpression<?> deleted) {
    return field(name(deleted.getName(), JOBS.OWNER_ID.getName()), Long.class);
  }

  private static Condition which(CommonTableExpression<?> deleted, boolean owned) {
    Condition keepsNone =
        JOB_QUEUES
            .QUEUE
            .eq(field(name(deleted.getName(), "queue"), String.class))
            .and(JOB_QUEUES.ARCHIVE_RETENTION.eq(inline(YearToSecond.valueOf(Duration.ZERO))));
    return notExists(
        selectOne()
            .from(JOB_QUEUES)
            .where(owned ? keepsNone.and(ownerOf(deleted).isNull()) : keepsNone));
  }

  private static CommonTableExpression<?> archived(
      CommonTableExpression<?> deleted, Map<Field<?>, Field<?>> values, Condition which) {
    return name("archived")
        .as(
            insertInto(JOBS_ARCHIVE, values.keySet())
                .select(select(values.values()).from(deleted).where(which))
                .returning(JOBS_ARCHIVE.ID));
  }

  private record Copied(Field<?> target, Field<?> source) {}
}
