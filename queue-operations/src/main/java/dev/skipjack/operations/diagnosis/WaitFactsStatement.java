package dev.skipjack.operations.diagnosis;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOB_BATCHES;
import static dev.skipjack.model.Tables.JOB_STEPS;
import static dev.skipjack.model.Tables.JOB_WAITS;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.param;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectCount;
import static org.jooq.impl.DSL.selectOne;

import dev.skipjack.api.JobStatus;
import dev.skipjack.sql.Arguments;
import dev.skipjack.sql.JobPredicates;
import dev.skipjack.sql.Row;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.Texts;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Objects;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Param;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a suspended job waits for: a signal, the jobs of a join, or the end of a sleep.
 *
 * <pre>{@code
 * SELECT job_waits.address, job_waits.since, job_waits.ends_at, job_batches.id, job_batches.total,
 *        (SELECT count(*) FROM (SELECT 1 FROM jobs WHERE owner_id = job_batches.id AND status = 'pending' LIMIT 1001)) AS pending, ...,
 *        (SELECT at FROM job_steps WHERE job_id = :job AND name = :name AND type = 'sleep') AS slept_at
 *   FROM one row LEFT JOIN job_waits ON job_id = :job AND name = :name
 *                LEFT JOIN job_batches ON owner_id = :job AND succeeded IS NULL AND name = :name
 *  LIMIT 1
 * }</pre>
 *
 * <p>It does not select the results of steps, so that a role without the right to read them can run
 * it. Locks nothing.
 */
final class WaitFactsStatement {

  /** The bound of the number of jobs of each status. A count that is equal means that or more. */
  static final int WINDOW = 1_001;

  private static final Param<Long> JOB = param("job", Long.class);
  private static final Field<String> NAME = Texts.param("name");
  private static final Field<Integer> PENDING = count(JobStatus.PENDING);
  private static final Field<Integer> RUNNING = count(JobStatus.RUNNING);
  private static final Field<Integer> WAITING = count(JobStatus.WAITING);
  private static final Field<Integer> DEAD = count(JobStatus.DEAD);
  private static final Field<Instant> SLEPT_AT =
      field(
              select(JOB_STEPS.AT)
                  .from(JOB_STEPS)
                  .where(JOB_STEPS.JOB_ID.eq(JOB))
                  .and(JOB_STEPS.NAME.eq(NAME))
                  .and(JOB_STEPS.TYPE.eq(inline("sleep"))))
          .as("slept_at");

  private WaitFactsStatement() {}

  /**
   * What a job waits for.
   *
   * @param signal the open wait for a signal; null if there is none
   * @param join the unfinished batch that the job joins; null if there is none
   * @param sleptAt when the job recorded the sleep of that name; null if it recorded none
   */
  record Facts(@Nullable Signal signal, @Nullable Join join, @Nullable Instant sleptAt) {}

  /** An open wait for a signal. */
  record Signal(String address, Instant since, Instant endsAt) {}

  /**
   * The batch of a join.
   *
   * @param live the number of its jobs that have not ended, without dead ones
   * @param dead the number of its dead jobs
   */
  record Join(long batch, long total, int live, int dead) {}

  static Statement<JobFacts, Facts> of(DSLContext dialect) {
    return Statement.of(
        dialect,
        select(
                JOB_WAITS.ADDRESS,
                JOB_WAITS.SINCE,
                JOB_WAITS.ENDS_AT,
                JOB_BATCHES.ID,
                JOB_BATCHES.TOTAL,
                PENDING,
                RUNNING,
                WAITING,
                DEAD,
                SLEPT_AT)
            .from(selectOne().asTable("one"))
            .leftJoin(JOB_WAITS)
            .on(JOB_WAITS.JOB_ID.eq(JOB))
            .and(JOB_WAITS.NAME.eq(NAME))
            .leftJoin(JOB_BATCHES)
            .on(JOB_BATCHES.OWNER_ID.eq(JOB))
            .and(JOB_BATCHES.SUCCEEDED.isNull())
            .and(JOB_BATCHES.NAME.eq(NAME))
            .limit(inline(1)),
        job ->
            new Arguments()
                .number("job", job.id().value())
                .text("name", Objects.requireNonNull(job.awaits())),
        WaitFactsStatement::read);
  }

  private static Field<Integer> count(JobStatus status) {
    return field(
            selectCount()
                .from(
                    selectOne()
                        .from(JOBS)
                        .where(JOBS.OWNER_ID.eq(JOB_BATCHES.ID))
                        .and(JOBS.STATUS.eq(JobPredicates.literal(status)))
                        .limit(inline(WINDOW))
                        .asTable("counted")))
        .as(status.literal());
  }

  private static Facts read(Row row) throws SQLException {
    String address = row.textOrNull(JOB_WAITS.ADDRESS);
    Long batch = row.numberOrNull(JOB_BATCHES.ID);
    return new Facts(
        address == null
            ? null
            : new Signal(address, row.instant(JOB_WAITS.SINCE), row.instant(JOB_WAITS.ENDS_AT)),
        batch == null
            ? null
            : new Join(
                batch,
                row.number(JOB_BATCHES.TOTAL),
                row.integer(PENDING) + row.integer(RUNNING) + row.integer(WAITING),
                row.integer(DEAD)),
        row.instantOrNull(SLEPT_AT));
  }
}
