package dev.skipjack.demo;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOBS_ARCHIVE;
import static dev.skipjack.model.Tables.JOB_EXECUTIONS;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.percentileCont;

import dev.skipjack.api.JobStatus;
import dev.skipjack.demo.DemoSchema.Deliveries;
import dev.skipjack.demo.DemoSchema.RefusedSends;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;

/** Reads the numbers of the report from the database. */
final class SummaryNumbers {

  private final DSLContext db;
  private final Condition received;
  private final Condition refused;

  /**
   * @param run the run whose deliveries count; empty to count those of all runs
   */
  SummaryNumbers(DataSource dataSource, Optional<UUID> run) {
    this.db = DemoSchema.on(dataSource);
    this.received = run.map(Deliveries.RUN::eq).orElse(noCondition());
    this.refused = run.map(RefusedSends.RUN::eq).orElse(noCondition());
  }

  /**
   * Reads the numbers.
   *
   * @param begin the time, by the database's clock, from which ended jobs count as ended while this
   *     process ran
   */
  Summary.Numbers read(Instant begin) {
    Condition second = RefusedSends.ATTEMPT.eq(DeliverySender.SECOND);
    var refusals =
        db.select(
                count().filterWhere(second.and(RefusedSends.REFUSED_BY.eq(DeliverySender.BY_KEY))),
                count()
                    .filterWhere(second.and(RefusedSends.REFUSED_BY.eq(DeliverySender.BY_TABLE))),
                count().filterWhere(second.not()))
            .from(RefusedSends.TABLE)
            .where(refused)
            .fetchSingle();
    Condition completed = JOBS_ARCHIVE.STATUS.eq(inline(JobStatus.COMPLETED));
    Condition dead = JOBS.STATUS.eq(inline(JobStatus.DEAD));
    var jobs =
        db.select(
                count(),
                count().filterWhere(completed),
                count().filterWhere(completed.and(JOBS_ARCHIVE.ATTEMPTS.gt(inline(1)))),
                count().filterWhere(dead))
            .from(Deliveries.TABLE)
            .leftJoin(JOBS)
            .on(JOBS.ID.eq(Deliveries.JOB_ID))
            .leftJoin(JOBS_ARCHIVE)
            .on(JOBS_ARCHIVE.ID.eq(Deliveries.JOB_ID))
            .where(received)
            .fetchSingle();
    var pickup = pickup();
    return new Summary.Numbers(
        jobs.value1(),
        refusals.value1(),
        refusals.value2(),
        refusals.value3(),
        jobs.value2(),
        jobs.value3(),
        jobs.value4(),
        endedSince(begin),
        pickup.p50(),
        pickup.p99());
  }

  private record Pickup(double p50, double p99) {}

  private Pickup pickup() {
    Field<Double> millis =
        millisBetween(
            coalesce(JOBS.CREATED_AT, JOBS_ARCHIVE.CREATED_AT), JOB_EXECUTIONS.STARTED_AT);
    return db.select(
            coalesce(percentileCont(0.5).withinGroupOrderBy(millis), inline(0)),
            coalesce(percentileCont(0.99).withinGroupOrderBy(millis), inline(0)))
        .from(Deliveries.TABLE)
        .join(JOB_EXECUTIONS)
        .on(JOB_EXECUTIONS.JOB_ID.eq(Deliveries.JOB_ID))
        .and(JOB_EXECUTIONS.ATTEMPT.eq(inline(1)))
        .leftJoin(JOBS)
        .on(JOBS.ID.eq(Deliveries.JOB_ID))
        .leftJoin(JOBS_ARCHIVE)
        .on(JOBS_ARCHIVE.ID.eq(Deliveries.JOB_ID))
        .where(received)
        .fetchSingle(row -> new Pickup(row.value1().doubleValue(), row.value2().doubleValue()));
  }

  private long endedSince(Instant begin) {
    return db.fetchCount(
            JOBS_ARCHIVE,
            JOBS_ARCHIVE.KIND.eq(WebhookJob.TYPE.kind()).and(JOBS_ARCHIVE.FINISHED_AT.ge(begin)))
        + (long)
            db.fetchCount(JOBS, JOBS.KIND.eq(WebhookJob.TYPE.kind()).and(JOBS.DIED_AT.ge(begin)));
  }

  /**
   * Returns the milliseconds between two times. Uses plain SQL because jOOQ's DSL extracts only
   * whole seconds.
   */
  private static Field<Double> millisBetween(Field<Instant> from, Field<Instant> to) {
    return field(
        "cast(extract(epoch from {0} - {1}) * 1000 as double precision)", Double.class, to, from);
  }
}
