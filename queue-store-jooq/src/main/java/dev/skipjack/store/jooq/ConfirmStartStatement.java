package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.Statement;
import java.time.Instant;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jooq.impl.SQLDataType;

/**
 * Confirms, after the commit of a caller's transaction, that a job which this transaction inserted
 * as running may start. Returns no row if the job does not exist, because a savepoint was rolled
 * back, or if another execution holds it. Returns false if the queue was paused, made fair or
 * limited meanwhile, or if more jobs come first than the worker has other free slots.
 *
 * <pre>{@code
 * SELECT <neither paused nor fair nor limited> AND <due jobs of the priority> + <jobs of a higher priority> <= :spare AS may_start
 *   FROM jobs LEFT JOIN job_queues ON job_queues.queue = jobs.queue
 *  WHERE jobs.id = :id AND jobs.current_execution_id = :execution
 * }</pre>
 *
 * <p>Locks nothing. Unlike {@link DirectStartStatement}, it counts only those jobs of the same
 * priority that became due no later than the job.
 */
final class ConfirmStartStatement {

  private static final Param<Long> ID = param("id", Long.class);
  private static final Param<Long> EXECUTION = param("execution", Long.class);
  private static final Field<String> QUEUE =
      field("{0}", SQLDataType.CLOB, param("queue", String.class));
  private static final Field<Short> PRIORITY =
      field("cast({0} as smallint)", SQLDataType.SMALLINT, param("priority", Integer.class));
  private static final Field<Instant> DUE =
      field(
          "cast({0} as timestamp with time zone)",
          SQLDataType.INSTANT, param("scheduled_at", String.class));

  private ConfirmStartStatement() {}

  /**
   * The job to confirm.
   *
   * @param spare how many jobs may come first, because the worker has free slots for them
   */
  record Request(ClaimedJob job, int spare) {}

  static Statement<Request, Boolean> of(DSLContext dialect) {
    Field<Boolean> mayStart =
        field(LaneCheck.isServed().and(LaneCheck.othersHaveSlots(QUEUE, PRIORITY, DUE)))
            .as("may_start");
    return Statement.of(
        dialect,
        select(mayStart)
            .from(JOBS)
            .leftJoin(JOB_QUEUES)
            .on(JOB_QUEUES.QUEUE.eq(JOBS.QUEUE))
            .where(JOBS.ID.eq(ID))
            .and(JOBS.CURRENT_EXECUTION_ID.eq(EXECUTION)),
        request ->
            new Arguments()
                .number("id", request.job().execution().jobId().value())
                .number("execution", request.job().execution().id().value())
                .text("queue", request.job().queue())
                .integer("priority", request.job().priority())
                .text("scheduled_at", request.job().scheduledAt().toString())
                .integer("spare", LaneCheck.spare(request.spare())),
        row -> row.isTrue(mayStart)); // null if the queue is paused without an end
  }
}
