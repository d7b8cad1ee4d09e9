package dev.skipjack.steps;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOBS_ARCHIVE;
import static dev.skipjack.model.Tables.JOB_BATCHES;
import static dev.skipjack.sql.Existence.notExists;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.cast;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.deleteFrom;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.insertInto;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.octetLength;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.sum;
import static org.jooq.impl.DSL.update;
import static org.jooq.impl.DSL.when;
import static org.jooq.impl.DSL.with;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.model.tables.JobBatches;
import dev.skipjack.model.tables.records.JobBatchesRecord;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jooq.CommonTableExpression;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.Param;
import org.jooq.UpdateConditionStep;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * The statements on single batches.
 *
 * <pre>{@code
 * INSERT INTO job_batches (name, owner_id) VALUES (:name, :owner) RETURNING id
 *
 * UPDATE job_batches SET total = total + :count WHERE id = :batch AND finished_at IS NULL AND cancelled_at IS NULL RETURNING id
 *
 * UPDATE job_batches SET sealed_at = clock_timestamp(), dead_policy = .., finish_kind = .. WHERE id = :batch AND sealed_at IS NULL RETURNING id
 *
 * UPDATE job_batches SET cancelled_at = clock_timestamp(), sealed_at = coalesce(sealed_at, clock_timestamp())
 *  WHERE id = :batch AND finished_at IS NULL RETURNING id
 * }</pre>
 *
 * <p>An added job changes {@code total}, so concurrent adders of a batch wait for each other until
 * they commit. The ends of jobs do not change the row. Each statement locks one row, or rows in id
 * order, so only transactions that add to several batches in different orders can deadlock.
 */
final class BatchTable {

  private static final Param<Long> BATCH = param("batch", Long.class);
  private static final Param<Long> LIMIT = param("limit", Long.class);

  private static final Param<Long> MOST = param("most", Long.class);

  private static final JobBatches OUTER = JOB_BATCHES.as("outer_batch");

  /** Whether the owner of a batch is another batch, and not a job. */
  private static final Field<Boolean> IS_IN_BATCH =
      field(
              field(select(OUTER.ID).from(OUTER).where(OUTER.ID.eq(JOB_BATCHES.OWNER_ID)))
                  .isNotNull())
          .as("is_in_batch");

  /** The statuses whose jobs are counted. */
  private static final List<JobStatus> COUNTED =
      List.of(JobStatus.PENDING, JobStatus.RUNNING, JobStatus.WAITING, JobStatus.DEAD);

  private BatchTable() {}

  /** A new batch. */
  record NewBatch(String name, @Nullable Long owner) {}

  /** Creates the statement that opens a batch and returns its id. */
  static Statement<NewBatch, Long> open(DSLContext dialect) {
    return Statement.of(
        dialect,
        insertInto(JOB_BATCHES, JOB_BATCHES.NAME, JOB_BATCHES.OWNER_ID)
            .values(Texts.param("name"), cast(param("owner", Long.class), SQLDataType.BIGINT))
            .returning(JOB_BATCHES.ID),
        batch -> new Arguments().text("name", batch.name()).numberOrNull("owner", batch.owner()),
        row -> row.number(JOB_BATCHES.ID));
  }

  /**
   * The batch of a join.
   *
   * @param owner the job that joins
   * @param total the number of jobs
   */
  record JoinBatch(String name, long owner, int total) {}

  /**
   * Creates the statement that opens and seals the batch of a join, and returns its id. Its jobs
   * are inserted in the same transaction.
   */
  static Statement<JoinBatch, Long> openSealed(DSLContext dialect) {
    return Statement.of(
        dialect,
        insertInto(
                JOB_BATCHES,
                JOB_BATCHES.NAME,
                JOB_BATCHES.OWNER_ID,
                JOB_BATCHES.TOTAL,
                JOB_BATCHES.SEALED_AT)
            .values(
                Texts.param("name"),
                cast(param("owner", Long.class), SQLDataType.BIGINT),
                cast(param("total", Integer.class), SQLDataType.BIGINT),
                DatabaseClock.NOW)
            .returning(JOB_BATCHES.ID),
        batch ->
            new Arguments()
                .text("name", batch.name())
                .number("owner", batch.owner())
                .integer("total", batch.total()),
        row -> row.number(JOB_BATCHES.ID));
  }

  /**
   * Creates the statement that makes the batch of a join unfinished again and returns it, because a
   * dead job of it was redriven after it had finished. Such a batch has no callbacks.
   */
  static Statement<Long, Long> reopen(DSLContext dialect) {
    return Statement.of(
        dialect,
        update(JOB_BATCHES)
            .setNull(JOB_BATCHES.FINISHED_AT)
            .setNull(JOB_BATCHES.SUCCEEDED)
            .where(JOB_BATCHES.ID.eq(BATCH))
            .and(JOB_BATCHES.FINISHED_AT.isNotNull())
            .returning(JOB_BATCHES.ID),
        batch -> new Arguments().number("batch", batch),
        row -> row.number(JOB_BATCHES.ID));
  }

  /** The number of jobs and batches that are added to a batch. */
  record Growth(long batch, long count) {}

  /**
   * Creates the statement that counts added jobs and returns the batch, unless it has finished or
   * was cancelled.
   */
  static Statement<Growth, Long> grow(DSLContext dialect) {
    return grow(dialect, grown().and(JOB_BATCHES.CANCELLED_AT.isNull()));
  }

  /** Creates a statement like {@link #grow}, which also counts callbacks of a cancelled batch. */
  static Statement<Growth, Long> growByCallbacks(DSLContext dialect) {
    return grow(dialect, grown());
  }

  private static UpdateConditionStep<JobBatchesRecord> grown() {
    return update(JOB_BATCHES)
        .set(JOB_BATCHES.TOTAL, JOB_BATCHES.TOTAL.plus(param("count", Long.class)))
        .where(JOB_BATCHES.ID.eq(BATCH))
        .and(JOB_BATCHES.FINISHED_AT.isNull());
  }

  private static Statement<Growth, Long> grow(
      DSLContext dialect, UpdateConditionStep<JobBatchesRecord> update) {
    return Statement.of(
        dialect,
        update.returning(JOB_BATCHES.ID),
        growth -> new Arguments().number("batch", growth.batch()).number("count", growth.count()),
        row -> row.number(JOB_BATCHES.ID));
  }

  /** The end of the additions to a batch. */
  record Seal(long batch, DeadPolicy policy, Map<Callback.Event, Callback> callbacks) {}

  /** Creates the statement that seals a batch and returns it, unless it was sealed before. */
  static Statement<Seal, Long> seal(DSLContext dialect) {
    Map<Field<?>, Object> values = new LinkedHashMap<>();
    values.put(JOB_BATCHES.SEALED_AT, DatabaseClock.NOW);
    values.put(JOB_BATCHES.DEAD_POLICY, Texts.param("policy"));
    for (Callback.Event event : Callback.Event.values()) {
      String prefix = prefix(event);
      values.put(event.kind, Texts.param(prefix + "kind"));
      values.put(event.queue, Texts.param(prefix + "queue"));
      values.put(
          event.payload, field("cast({0} as jsonb)", JSONB.class, Texts.param(prefix + "payload")));
      values.put(
          event.payloadVersion,
          cast(param(prefix + "payload_version", Integer.class), SQLDataType.INTEGER));
      values.put(
          event.priority, cast(param(prefix + "priority", Integer.class), SQLDataType.SMALLINT));
      values.put(
          event.maxAttempts,
          cast(param(prefix + "max_attempts", Integer.class), SQLDataType.INTEGER));
    }
    return Statement.of(
        dialect,
        update(JOB_BATCHES)
            .set(values)
            .where(JOB_BATCHES.ID.eq(BATCH))
            .and(JOB_BATCHES.SEALED_AT.isNull())
            .returning(JOB_BATCHES.ID),
        BatchTable::arguments,
        row -> row.number(JOB_BATCHES.ID));
  }

  private static String prefix(Callback.Event event) {
    return event.name().toLowerCase(Locale.ROOT) + "_";
  }

  private static Arguments arguments(Seal seal) {
    Arguments arguments =
        new Arguments().number("batch", seal.batch()).text("policy", seal.policy().literal());
    for (Callback.Event event : Callback.Event.values()) {
      Callback callback = seal.callbacks().get(event);
      String prefix = prefix(event);
      arguments
          .text(prefix + "kind", callback == null ? null : callback.kind())
          .text(prefix + "queue", callback == null ? null : callback.queue())
          .text(prefix + "payload", callback == null ? null : callback.payload())
          .integer(
              prefix + "payload_version",
              callback == null ? null : (Integer) callback.payloadVersion())
          .integer(prefix + "priority", callback == null ? null : callback.priority())
          .integer(prefix + "max_attempts", callback == null ? null : callback.maxAttempts());
    }
    return arguments;
  }

  /**
   * Creates the statement that requests the cancellation of a batch and returns it, unless it has
   * finished. The batch is sealed, so that it finishes.
   */
  static Statement<Long, Long> cancel(DSLContext dialect) {
    return Statement.of(
        dialect,
        cancelled(JOB_BATCHES.ID.eq(BATCH)).returning(JOB_BATCHES.ID),
        batch -> new Arguments().number("batch", batch),
        row -> row.number(JOB_BATCHES.ID));
  }

  /**
   * Creates the statement that requests the cancellation of the batches in a batch, and returns
   * those to which this is new.
   */
  static Statement<Long, Long> cancelInner(DSLContext dialect) {
    CommonTableExpression<?> inner =
        name("inner_batch")
            .asMaterialized(
                select(JOB_BATCHES.ID)
                    .from(JOB_BATCHES)
                    .where(JOB_BATCHES.OWNER_ID.eq(BATCH))
                    .and(JOB_BATCHES.SUCCEEDED.isNull())
                    .and(JOB_BATCHES.CANCELLED_AT.isNull())
                    .orderBy(JOB_BATCHES.ID)
                    .forNoKeyUpdate()
                    .skipLocked());
    CommonTableExpression<?> cancelled =
        name("cancelled")
            .as(
                cancelled(
                        JOB_BATCHES.ID.eq(
                            any(
                                array(
                                    select(field(name("inner_batch", "id"), Long.class))
                                        .from(inner)))))
                    .returning(JOB_BATCHES.ID));
    Field<Long> id = field(name("cancelled", "id"), Long.class);
    return Statement.of(
        dialect,
        with(inner, cancelled).select(id).from(cancelled),
        batch -> new Arguments().number("batch", batch),
        row -> row.number(id));
  }

  private static UpdateConditionStep<JobBatchesRecord> cancelled(Condition which) {
    return update(JOB_BATCHES)
        .set(JOB_BATCHES.CANCELLED_AT, coalesce(JOB_BATCHES.CANCELLED_AT, DatabaseClock.NOW))
        .set(JOB_BATCHES.SEALED_AT, coalesce(JOB_BATCHES.SEALED_AT, DatabaseClock.NOW))
        .where(which)
        .and(JOB_BATCHES.FINISHED_AT.isNull());
  }

  /** A page of the jobs of a batch, in the order of {@code jobs_owner_idx}. */
  record JobsOf(long batch, int limit) {}

  /**
   * Creates the statement that reads live jobs of a batch whose cancellation was not requested,
   * those that are not running first.
   */
  static Statement<JobsOf, JobId> uncancelled(DSLContext dialect) {
    return jobs(
        dialect,
        JOBS.STATUS.gt(JobPredicates.literal(JobStatus.DEAD)),
        JOBS.CANCEL_REQUESTED_AT.isNull());
  }

  private static Statement<JobsOf, JobId> jobs(
      DSLContext dialect, Condition status, Condition which) {
    return Statement.of(
        dialect,
        select(JOBS.ID)
            .from(JOBS)
            .where(JOBS.OWNER_ID.eq(BATCH))
            .and(status)
            .and(which)
            .orderBy(JOBS.STATUS, JOBS.ID)
            .limit(LIMIT),
        page -> new Arguments().number("batch", page.batch()).number("limit", page.limit()),
        row -> new JobId(row.number(JOBS.ID)));
  }

  /** A page of the dead jobs of a batch, with ids below {@code before}. */
  record DeadOf(long batch, long before, int limit) {}

  /** Creates the statement that reads dead jobs of a batch. */
  static Statement<DeadOf, JobId> dead(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(JOBS.ID)
            .from(JOBS)
            .where(JOBS.OWNER_ID.eq(BATCH))
            .and(JOBS.STATUS.lt(JobPredicates.literal(JobStatus.PENDING)))
            .and(JOBS.ID.lt(param("before", Long.class)))
            .orderBy(JOBS.STATUS.desc(), JOBS.ID.desc())
            .limit(LIMIT),
        page ->
            new Arguments()
                .number("batch", page.batch())
                .number("before", page.before())
                .number("limit", page.limit()),
        row -> new JobId(row.number(JOBS.ID)));
  }

  /**
   * A request for the state of batches.
   *
   * @param id the batch, or the one after which the list begins
   * @param batches the maximum number of batches
   * @param most the number at which the jobs of a status are no longer counted
   */
  record StatusOf(long id, int batches, int most) {}

  /** Creates the statement that reads a batch and counts its jobs, up to a limit. */
  static Statement<StatusOf, BatchStatus> status(DSLContext dialect) {
    return status(dialect, JOB_BATCHES.ID.eq(BATCH));
  }

  /** Creates a statement like {@link #status}, for the next batches that have not finished. */
  static Statement<StatusOf, BatchStatus> unfinished(DSLContext dialect) {
    return status(dialect, JOB_BATCHES.ID.gt(BATCH).and(JOB_BATCHES.FINISHED_AT.isNull()));
  }

  private static Statement<StatusOf, BatchStatus> status(DSLContext dialect, Condition which) {
    Map<JobStatus, Field<Integer>> counts = new EnumMap<>(JobStatus.class);
    for (JobStatus status : COUNTED) {
      counts.put(status, countOf(status).as(status.literal()));
    }
    return Statement.of(
        dialect,
        select(
                JOB_BATCHES.ID,
                JOB_BATCHES.NAME,
                JOB_BATCHES.OWNER_ID,
                IS_IN_BATCH,
                JOB_BATCHES.TOTAL,
                JOB_BATCHES.DEAD_POLICY,
                JOB_BATCHES.CREATED_AT,
                JOB_BATCHES.SEALED_AT,
                JOB_BATCHES.FINISHED_AT,
                JOB_BATCHES.FIRST_DEAD_AT,
                JOB_BATCHES.CANCELLED_AT,
                JOB_BATCHES.SUCCEEDED)
            .select(counts.values())
            .from(JOB_BATCHES)
            .where(which)
            .orderBy(JOB_BATCHES.ID)
            .limit(LIMIT),
        request ->
            new Arguments()
                .number("batch", request.id())
                .number("limit", request.batches())
                .number("most", request.most()),
        row -> read(row, counts));
  }

  private static Field<Integer> countOf(JobStatus status) {
    return field(
        select(count())
            .from(
                select(JOBS.ID)
                    .from(JOBS)
                    .where(JOBS.OWNER_ID.eq(JOB_BATCHES.ID))
                    .and(JOBS.STATUS.ge(JobPredicates.literal(status)))
                    .and(JOBS.STATUS.le(JobPredicates.literal(status)))
                    .orderBy(JOBS.STATUS, JOBS.ID)
                    .limit(MOST)
                    .asTable("some_jobs")));
  }

  private static BatchStatus read(Row row, Map<JobStatus, Field<Integer>> counts)
      throws SQLException {
    Map<JobStatus, Integer> jobs = new EnumMap<>(JobStatus.class);
    for (Map.Entry<JobStatus, Field<Integer>> count : counts.entrySet()) {
      jobs.put(count.getKey(), row.integer(count.getValue()));
    }
    Optional<Long> owner =
        Optional.ofNullable(row.numberOrNull(JOB_BATCHES.OWNER_ID)).filter(id -> id > 0);
    boolean isInBatch = row.flag(IS_IN_BATCH);
    return new BatchStatus(
        new BatchId(row.number(JOB_BATCHES.ID)),
        row.text(JOB_BATCHES.NAME),
        owner.filter(id -> isInBatch).map(BatchId::new),
        owner.filter(id -> !isInBatch).map(JobId::new),
        row.number(JOB_BATCHES.TOTAL),
        jobs,
        DeadPolicy.of(row.text(JOB_BATCHES.DEAD_POLICY)),
        row.instant(JOB_BATCHES.CREATED_AT),
        Optional.ofNullable(row.instantOrNull(JOB_BATCHES.SEALED_AT)),
        Optional.ofNullable(row.instantOrNull(JOB_BATCHES.FINISHED_AT)),
        Optional.ofNullable(row.instantOrNull(JOB_BATCHES.FIRST_DEAD_AT)),
        Optional.ofNullable(row.instantOrNull(JOB_BATCHES.CANCELLED_AT)),
        row.isTrue(JOB_BATCHES.SUCCEEDED));
  }

  /**
   * Creates the statement that deletes batches that finished long ago, and counts them. The batch
   * of a join is kept as long as the job that joins.
   */
  static Statement<Duration, Integer> prune(DSLContext dialect) {
    CommonTableExpression<?> old =
        name("old")
            .asMaterialized(
                select(JOB_BATCHES.ID)
                    .from(JOB_BATCHES)
                    .where(JOB_BATCHES.FINISHED_AT.isNotNull())
                    .and(
                        JOB_BATCHES.FINISHED_AT.lt(
                            DatabaseClock.minusMicros(
                                DatabaseClock.STATEMENT_START, param("age", Long.class))))
                    .and(notExists(selectOne().from(JOBS).where(JOBS.ID.eq(JOB_BATCHES.OWNER_ID))))
                    .orderBy(JOB_BATCHES.FINISHED_AT)
                    .limit(inline(1_000))
                    .forUpdate()
                    .skipLocked());
    CommonTableExpression<?> pruned =
        name("pruned")
            .as(
                deleteFrom(JOB_BATCHES)
                    .where(
                        JOB_BATCHES.ID.eq(
                            any(array(select(field(name("old", "id"), Long.class)).from(old)))))
                    .returning(JOB_BATCHES.ID));
    Field<Integer> count = count();
    return Statement.of(
        dialect,
        with(old, pruned).select(count).from(pruned),
        age -> new Arguments().number("age", DatabaseClock.micros(age)),
        row -> row.integer(count));
  }

  /**
   * A job of a batch that has ended.
   *
   * @param result the result as JSON, or null if there is none
   * @param error the message of the latest attempt that did not succeed, or null if there was none
   * @param isTooLarge whether the result was left out, because all results are too large
   */
  record Child(
      long id,
      JobStatus status,
      @Nullable String result,
      @Nullable String error,
      boolean isTooLarge) {}

  /**
   * A request for the results of a batch.
   *
   * @param largest the maximum size of all results, in bytes as PostgreSQL writes them
   */
  record ResultsOf(long batch, long largest) {}

  /** Creates the statement that reads the dead jobs of a batch. */
  static Statement<Long, Child> died(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(JOBS.ID, JOBS.LAST_ERROR)
            .from(JOBS)
            .where(JOBS.OWNER_ID.eq(BATCH))
            .and(JOBS.STATUS.lt(JobPredicates.literal(JobStatus.PENDING)))
            .orderBy(JOBS.STATUS, JOBS.ID),
        batch -> new Arguments().number("batch", batch),
        row ->
            new Child(
                row.number(JOBS.ID), JobStatus.DEAD, null, row.textOrNull(JOBS.LAST_ERROR), false));
  }

  /** Creates the statement that reads the archived jobs of a batch. */
  static Statement<ResultsOf, Child> archived(DSLContext dialect) {
    Field<String> text = cast(JOBS_ARCHIVE.RESULT, SQLDataType.CLOB);
    Condition fits =
        sum(coalesce(octetLength(text), inline(0)))
            .over()
            .orderBy(JOBS_ARCHIVE.ID)
            .le(cast(param("largest", Long.class), SQLDataType.NUMERIC));
    Field<String> result = when(fits, text).as("result_that_fits");
    Field<Boolean> isTooLarge = field(fits.not()).as("is_too_large");
    return Statement.of(
        dialect,
        select(JOBS_ARCHIVE.ID, JOBS_ARCHIVE.STATUS, result, JOBS_ARCHIVE.LAST_ERROR, isTooLarge)
            .from(JOBS_ARCHIVE)
            .where(JOBS_ARCHIVE.OWNER_ID.eq(BATCH))
            .orderBy(JOBS_ARCHIVE.ID),
        request ->
            new Arguments().number("batch", request.batch()).number("largest", request.largest()),
        row ->
            new Child(
                row.number(JOBS_ARCHIVE.ID),
                JobStatus.of(row.text(JOBS_ARCHIVE.STATUS)),
                row.textOrNull(result),
                row.textOrNull(JOBS_ARCHIVE.LAST_ERROR),
                row.isTrue(isTooLarge)));
  }
}
