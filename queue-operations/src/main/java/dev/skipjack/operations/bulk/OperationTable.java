package dev.skipjack.operations.bulk;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_OPERATIONS;
import static org.jooq.impl.DSL.any;
import static org.jooq.impl.DSL.array;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.max;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.val;
import static org.jooq.impl.DSL.when;

import dev.skipjack.api.JobId;
import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobOperation.State;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.operations.OperationPreview;
import dev.skipjack.api.operations.OperationPreview.PayloadChange;
import dev.skipjack.api.operations.PageToken;
import dev.skipjack.model.Routines;
import dev.skipjack.model.tables.records.JobOperationsRecord;
import dev.skipjack.sql.DatabaseClock;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OperationPredicates;
import dev.skipjack.sql.OwnTransactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.JSONB;
import org.jooq.UpdateSetMoreStep;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Reads and writes {@code job_operations}, which has one row for each bulk operation. These
 * statements are rendered at each call, because they run at most a few times per batch.
 */
final class OperationTable {

  private final OwnTransactions transactions;
  private final Lazy<DSLContext> dialect;

  OperationTable(OwnTransactions transactions, Lazy<DSLContext> dialect) {
    this.transactions = transactions;
    this.dialect = dialect;
  }

  /**
   * An operation.
   *
   * @param position the position of its next batch; null for the first one
   * @param run its latest run; null if it was never run
   */
  record Row(JobOperation operation, @Nullable PageToken position, @Nullable UUID run) {

    /** Returns whether the operation is running, and not by another run. */
    boolean isOf(UUID one) {
      return operation.state() == State.RUNNING && one.equals(run);
    }
  }

  /**
   * The results that a transaction adds.
   *
   * @param failed the number of jobs that were locked; negative if fewer are locked than before
   * @param reason why the latest job was skipped or failed; null to keep the reason
   */
  record Counts(long done, long skipped, long failed, @Nullable String reason) {}

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
                    .set(JOB_OPERATIONS.GROUP_KEY, filter.group())
                    .set(JOB_OPERATIONS.TAG, filter.tag())
                    .set(JOB_OPERATIONS.ERROR, filter.error())
                    .set(JOB_OPERATIONS.ERROR_CLASS, filter.errorClass())
                    .set(JOB_OPERATIONS.ERROR_GROUP, filter.errorGroup())
                    .set(JOB_OPERATIONS.SINCE, filter.since())
                    .set(
                        JOB_OPERATIONS.PAYLOAD_PATH,
                        payload == null ? null : payload.path().toArray(String[]::new))
                    .set(JOB_OPERATIONS.PAYLOAD_VALUE, payload == null ? null : payload.value())
                    .set(JOB_OPERATIONS.PAYLOAD_PATCH, JSONB.jsonbOrNull(preview.payloadPatch()))
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

  /** Stops an operation if it is running. Returns whether it was. */
  boolean stop(long id) {
    return changeState(id, State.STOPPED, JOB_OPERATIONS.STATE.eq(State.RUNNING.literal()), null);
  }

  /** Begins a run of an operation that has not finished. Earlier runs end. */
  boolean begin(long id, UUID run) {
    return changeState(id, State.RUNNING, JOB_OPERATIONS.STATE.ne(State.FINISHED.literal()), run);
  }

  private boolean changeState(long id, State to, Condition from, @Nullable UUID run) {
    return run(
        transactions.bounded(),
        dsl ->
            dsl.update(JOB_OPERATIONS)
                    .set(JOB_OPERATIONS.STATE, to.literal())
                    .set(
                        JOB_OPERATIONS.RUN_ID,
                        coalesce(val(run, SQLDataType.UUID), JOB_OPERATIONS.RUN_ID))
                    .set(JOB_OPERATIONS.UPDATED_AT, DatabaseClock.NOW)
                    .where(JOB_OPERATIONS.ID.eq(id))
                    .and(from)
                    .execute()
                == 1);
  }

  /**
   * Begins a run of the abandoned operation that was written longest ago. A locked row is skipped,
   * because its batch is being written or another worker is taking it over. Only the id is read,
   * because other values of the row may be odd.
   *
   * @return the id of the operation, or empty if no operation is abandoned
   */
  Optional<Long> takeOver(UUID run) {
    return run(
        dsl ->
            dsl.update(JOB_OPERATIONS)
                .set(JOB_OPERATIONS.RUN_ID, run)
                .set(JOB_OPERATIONS.UPDATED_AT, DatabaseClock.NOW)
                .where(
                    JOB_OPERATIONS.ID.eq(
                        any(
                            array(
                                select(JOB_OPERATIONS.ID)
                                    .from(JOB_OPERATIONS)
                                    .where(OperationPredicates.ABANDONED)
                                    .orderBy(JOB_OPERATIONS.UPDATED_AT)
                                    .limit(inline(1))
                                    .forNoKeyUpdate()
                                    .skipLocked()))))
                .returning(JOB_OPERATIONS.ID)
                .fetchOptional()
                .map(JobOperationsRecord::getId));
  }

  /**
   * Changes a batch of jobs and adds its results, in one transaction. The row is locked first, so
   * that a run that was taken over changes no job, and an operation is stopped only between two
   * batches.
   *
   * @param next the position of the next batch; null if this is the last one
   * @param work changes the jobs on the connection that it is given
   * @return the operation, or empty if it is not running, or by another run
   */
  Optional<Row> change(
      long id, UUID run, @Nullable PageToken next, Function<Connection, Counts> work) {
    return locked(
        isOf(id, run).and(JOB_OPERATIONS.STATE.eq(State.RUNNING.literal())),
        work,
        (dsl, counts) -> record(dsl, id, counts, next));
  }

  /**
   * Changes jobs of a batch that has been recorded, and adds the results, in one transaction.
   *
   * @param work changes the jobs on the connection that it is given
   * @return the operation, or empty if it has been stopped or taken over
   */
  Optional<Row> changeAgain(long id, UUID run, Function<Connection, Counts> work) {
    return locked(
        isOf(id, run).and(JOB_OPERATIONS.STATE.ne(State.STOPPED.literal())),
        work,
        (dsl, counts) ->
            row(counted(dsl, counts).where(JOB_OPERATIONS.ID.eq(id)).returning().fetchSingle()));
  }

  private static Condition isOf(long id, UUID run) {
    return JOB_OPERATIONS.ID.eq(id).and(JOB_OPERATIONS.RUN_ID.eq(run));
  }

  private Optional<Row> locked(
      Condition which,
      Function<Connection, Counts> work,
      BiFunction<DSLContext, Counts, Row> record) {
    return onConnection(
        transactions.bounded(),
        connection -> {
          DSLContext dsl = dialect.get().configuration().derive(connection).dsl();
          if (!isLocked(dsl, which)) {
            return Optional.empty();
          }
          // While a statement waits for a key, it blocks all jobs of the batch.
          dsl.execute("SET LOCAL lock_timeout = '100ms'");
          return Optional.of(record.apply(dsl, work.apply(connection)));
        });
  }

  /** Runs work in a savepoint of the transaction that is open on the connection. */
  <R> R inSavepoint(Connection connection, Supplier<R> work) {
    return transactions.within(() -> connection).onConnection(same -> work.get());
  }

  /** Records why the latest job failed, or the run could not go on, unless it was taken over. */
  void explain(long id, UUID run, String reason) {
    int unused =
        run(
            transactions.bounded(),
            dsl -> counted(dsl, new Counts(0, 0, 0, reason)).where(isOf(id, run)).execute());
  }

  private static boolean isLocked(DSLContext dsl, Condition which) {
    return dsl.selectOne()
        .from(JOB_OPERATIONS)
        .where(which)
        .forNoKeyUpdate()
        .fetchOptional()
        .isPresent();
  }

  /** Returns the beginning of an update that adds results. */
  private static UpdateSetMoreStep<JobOperationsRecord> counted(DSLContext dsl, Counts counts) {
    return dsl.update(JOB_OPERATIONS)
        .set(JOB_OPERATIONS.DONE, JOB_OPERATIONS.DONE.plus(counts.done()))
        .set(JOB_OPERATIONS.SKIPPED, JOB_OPERATIONS.SKIPPED.plus(counts.skipped()))
        .set(JOB_OPERATIONS.FAILED, JOB_OPERATIONS.FAILED.plus(counts.failed()))
        .set(
            JOB_OPERATIONS.LAST_REASON,
            coalesce(val(counts.reason(), SQLDataType.CLOB), JOB_OPERATIONS.LAST_REASON))
        .set(JOB_OPERATIONS.UPDATED_AT, DatabaseClock.NOW);
  }

  private static Row record(DSLContext dsl, long id, Counts counts, @Nullable PageToken next) {
    boolean last = next == null;
    return row(
        counted(dsl, counts)
            .set(
                JOB_OPERATIONS.POSITION,
                last ? JOB_OPERATIONS.POSITION : val(textOf(next), SQLDataType.CLOB))
            .set(
                JOB_OPERATIONS.STATE,
                last ? inline(State.FINISHED.literal()) : JOB_OPERATIONS.STATE)
            .set(
                JOB_OPERATIONS.FINISHED_AT,
                when(inline(last), DatabaseClock.NOW).otherwise(JOB_OPERATIONS.FINISHED_AT))
            .where(JOB_OPERATIONS.ID.eq(id))
            .returning()
            .fetchSingle());
  }

  /** Returns the payloads of jobs before and after a patch, ordered by id. */
  List<PayloadChange> changes(List<JobId> jobs, String patch) {
    Field<JSONB> patched =
        when(
                field("jsonb_typeof({0})", String.class, JOBS.PAYLOAD).eq(inline("object")),
                Routines.mergePatch(JOBS.PAYLOAD, val(JSONB.jsonb(patch))))
            .as("patched");
    return run(
        dsl ->
            dsl.select(JOBS.ID, JOBS.PAYLOAD, patched)
                .from(JOBS)
                .where(JOBS.ID.in(jobs.stream().map(JobId::value).toList()))
                .orderBy(JOBS.ID)
                .fetch(
                    row ->
                        new PayloadChange(
                            new JobId(row.value1()),
                            row.value2().data(),
                            row.value3() == null ? null : row.value3().data())));
  }

  private static @Nullable String textOf(@Nullable PageToken token) {
    return token == null ? null : token.text();
  }

  private static Row row(JobOperationsRecord found) {
    JobQuery filter = JobQuery.live().limit(OperationRun.BATCH);
    filter = found.getQueue() == null ? filter : filter.queue(found.getQueue());
    filter = found.getKind() == null ? filter : filter.kind(found.getKind());
    filter = found.getStatus() == null ? filter : filter.status(found.getStatus());
    filter = found.getGroupKey() == null ? filter : filter.group(found.getGroupKey());
    filter = found.getTag() == null ? filter : filter.tag(found.getTag());
    filter = found.getError() == null ? filter : filter.error(found.getError());
    filter = found.getErrorClass() == null ? filter : filter.errorClass(found.getErrorClass());
    filter = found.getErrorGroup() == null ? filter : filter.errorGroup(found.getErrorGroup());
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
            found.getPayloadPatch() == null ? null : found.getPayloadPatch().data(),
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
        found.getPosition() == null ? null : new PageToken(found.getPosition()),
        found.getRunId());
  }

  private <R> R run(Function<DSLContext, R> statement) {
    return run(transactions, statement);
  }

  private <R> R run(OwnTransactions transactions, Function<DSLContext, R> statement) {
    return run(transactions, dialect, statement);
  }

  /** Runs statements that are rendered at each call. */
  static <R> R run(
      OwnTransactions transactions, Lazy<DSLContext> dialect, Function<DSLContext, R> statement) {
    return onConnection(
        transactions,
        connection -> statement.apply(dialect.get().configuration().derive(connection).dsl()));
  }

  private static <R> R onConnection(OwnTransactions transactions, Function<Connection, R> work) {
    return transactions.onConnection(
        connection -> {
          try {
            return work.apply(connection);
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
