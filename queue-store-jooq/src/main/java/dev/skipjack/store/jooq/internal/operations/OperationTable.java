package dev.skipjack.store.jooq.internal.operations;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_OPERATIONS;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.val;
import static org.jooq.impl.DSL.when;

import dev.skipjack.api.JobOperation;
import dev.skipjack.api.JobOperation.State;
import dev.skipjack.api.JobQuery;
import dev.skipjack.api.OperationAction;
import dev.skipjack.api.OperationPreview;
import dev.skipjack.api.PageToken;
import dev.skipjack.model.tables.records.JobOperationsRecord;
import dev.skipjack.store.jooq.internal.sql.DatabaseClock;
import dev.skipjack.store.jooq.internal.sql.Lazy;
import dev.skipjack.store.jooq.internal.sql.OwnTransactions;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jooq.DSLContext;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes {@code job_operations}, which has one row for each bulk operation. Only
 * operators change these rows, so plain statements are fast enough.
 */
final class OperationTable {

  private final OwnTransactions transactions;
  private final Lazy<DSLContext> dialect;

  OperationTable(OwnTransactions transactions, Lazy<DSLContext> dialect) {
    this.transactions = transactions;
    this.dialect = dialect;
  }

  /** An operation and the position of its next batch. */
  record Row(JobOperation operation, @Nullable PageToken position) {}

  /**
   * The result of a batch.
   *
   * @param reason why the latest job was skipped or failed; null if none was
   * @param next the position of the next batch; null if this was the last one
   */
  record Batch(
      long done, long skipped, long failed, @Nullable String reason, @Nullable PageToken next) {}

  /** Returns the id of the newest job, or 0 if there is none. */
  long newestJob() {
    return run(
        dsl -> dsl.select(coalesce(max(JOBS.ID), inline(0L))).from(JOBS).fetchSingle().value1());
  }

  Instant now() {
    return run(dsl -> dsl.select(DatabaseClock.NOW).fetchSingle().value1());
  }

  Row insert(OperationPreview preview, String actor) {
    JobQuery filter = preview.filter();
    JobQuery.@Nullable PayloadField payload = filter.payload();
    return run(
        dsl ->
            row(
                dsl.insertInto(JOB_OPERATIONS)
                    .set(JOB_OPERATIONS.ACTOR, actor)
                    .set(JOB_OPERATIONS.ACTION, preview.action().literal())
                    .set(JOB_OPERATIONS.QUEUE, filter.queue())
                    .set(JOB_OPERATIONS.KIND, filter.kind())
                    .set(JOB_OPERATIONS.STATUS, filter.status())
                    .set(JOB_OPERATIONS.TAG, filter.tag())
                    .set(JOB_OPERATIONS.ERROR, filter.error())
                    .set(JOB_OPERATIONS.SINCE, filter.since())
                    .set(
                        JOB_OPERATIONS.PAYLOAD_PATH,
                        payload == null ? null : payload.path().toArray(String[]::new))
                    .set(JOB_OPERATIONS.PAYLOAD_VALUE, payload == null ? null : payload.value())
                    .set(JOB_OPERATIONS.NEWEST_ID, preview.newestId())
                    .set(JOB_OPERATIONS.DIED_BEFORE, preview.diedBefore())
                    .returning()
                    .fetchSingle()));
  }

  Optional<Row> find(long id) {
    return run(
        dsl ->
            dsl.selectFrom(JOB_OPERATIONS)
                .where(JOB_OPERATIONS.ID.eq(id))
                .fetchOptional()
                .map(OperationTable::row));
  }

  List<JobOperation> list(int limit) {
    return run(
        dsl ->
            dsl.selectFrom(JOB_OPERATIONS)
                .orderBy(JOB_OPERATIONS.ID.desc())
                .limit(limit)
                .fetch(found -> row(found).operation()));
  }

  /**
   * Changes the state of an operation if it is {@code from}. Returns whether the state was changed.
   */
  boolean move(long id, State from, State to) {
    return run(
        dsl ->
            dsl.update(JOB_OPERATIONS)
                    .set(JOB_OPERATIONS.STATE, to.literal())
                    .set(JOB_OPERATIONS.UPDATED_AT, DatabaseClock.NOW)
                    .where(JOB_OPERATIONS.ID.eq(id))
                    .and(JOB_OPERATIONS.STATE.eq(from.literal()))
                    .execute()
                == 1);
  }

  /**
   * Adds the result of a batch, unless another process has recorded the same batch. An operation
   * that was stopped in the meantime remains stopped, unless the batch was its last one.
   *
   * @return the operation, or empty if another process has recorded the batch
   */
  Optional<Row> record(Row before, Batch batch) {
    PageToken position = before.position();
    boolean last = batch.next() == null;
    return run(
        dsl ->
            dsl.update(JOB_OPERATIONS)
                .set(JOB_OPERATIONS.DONE, JOB_OPERATIONS.DONE.plus(batch.done()))
                .set(JOB_OPERATIONS.SKIPPED, JOB_OPERATIONS.SKIPPED.plus(batch.skipped()))
                .set(JOB_OPERATIONS.FAILED, JOB_OPERATIONS.FAILED.plus(batch.failed()))
                .set(
                    JOB_OPERATIONS.LAST_REASON,
                    coalesce(val(batch.reason(), SQLDataType.CLOB), JOB_OPERATIONS.LAST_REASON))
                .set(
                    JOB_OPERATIONS.POSITION,
                    last ? JOB_OPERATIONS.POSITION : val(textOf(batch.next()), SQLDataType.CLOB))
                .set(
                    JOB_OPERATIONS.STATE,
                    last ? inline(State.FINISHED.literal()) : JOB_OPERATIONS.STATE)
                .set(
                    JOB_OPERATIONS.FINISHED_AT,
                    when(inline(last), DatabaseClock.NOW).otherwise(JOB_OPERATIONS.FINISHED_AT))
                .set(JOB_OPERATIONS.UPDATED_AT, DatabaseClock.NOW)
                .where(JOB_OPERATIONS.ID.eq(before.operation().id()))
                .and(JOB_OPERATIONS.STATE.ne(State.FINISHED.literal()))
                .and(
                    JOB_OPERATIONS.POSITION.isNotDistinctFrom(
                        val(textOf(position), SQLDataType.CLOB)))
                .returning()
                .fetchOptional()
                .map(OperationTable::row));
  }

  private static @Nullable String textOf(@Nullable PageToken token) {
    return token == null ? null : token.text();
  }

  private static Row row(JobOperationsRecord found) {
    JobQuery filter = JobQuery.live().limit(JooqJobOperations.BATCH);
    filter = found.getQueue() == null ? filter : filter.queue(found.getQueue());
    filter = found.getKind() == null ? filter : filter.kind(found.getKind());
    filter = found.getStatus() == null ? filter : filter.status(found.getStatus());
    filter = found.getTag() == null ? filter : filter.tag(found.getTag());
    filter = found.getError() == null ? filter : filter.error(found.getError());
    Instant since = found.getSince();
    filter = since == null ? filter : filter.since(since);
    filter =
        found.getPayloadPath() == null
            ? filter
            : filter.payload(
                new JobQuery.PayloadField(
                    List.of(found.getPayloadPath()), found.getPayloadValue()));
    return new Row(
        new JobOperation(
            found.getId(),
            found.getActor(),
            OperationAction.of(found.getAction()),
            filter,
            found.getNewestId(),
            found.getDiedBefore(),
            found.getDone(),
            found.getSkipped(),
            found.getFailed(),
            found.getLastReason(),
            State.of(found.getState()),
            found.getCreatedAt(),
            found.getUpdatedAt(),
            found.getFinishedAt()),
        found.getPosition() == null ? null : new PageToken(found.getPosition()));
  }

  private <R> R run(Function<DSLContext, R> statement) {
    return transactions.onConnection(
        connection -> {
          try {
            return statement.apply(dialect.get().configuration().derive(connection).dsl());
          } catch (DataAccessException failure) {
            SQLException cause = failure.getCause(SQLException.class);
            if (cause == null) {
              throw failure;
            }
            throw cause;
          }
        });
  }
}
