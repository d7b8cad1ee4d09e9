package dev.skipjack.demo;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOBS_ARCHIVE;
import static dev.skipjack.model.Tables.JOB_EXECUTIONS;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.concat;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.min;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.notExists;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectCount;
import static org.jooq.impl.DSL.selectOne;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.demo.DemoSchema.Deliveries;
import dev.skipjack.demo.DemoSchema.Effects;
import dev.skipjack.demo.DemoSchema.EventCounts;
import dev.skipjack.demo.DemoSchema.RefusedSends;
import dev.skipjack.demo.DemoSchema.Runs;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record1;
import org.jooq.Select;

/** The checks that go beyond single deliveries, of rows that belong to no delivery and of sums. */
final class OrphanChecks {

  private static final String KIND = WebhookJob.TYPE.kind();
  private static final Field<String> WHAT = field(name("what"), String.class);

  private final DSLContext db;

  OrphanChecks(DSLContext db) {
    this.db = db;
  }

  List<Check> run() {
    return List.of(
        check("no job is without its delivery", jobsWithoutDelivery()),
        check("no effect is without its delivery", effectsWithoutDelivery()),
        check("no refused send is without its delivery", refusedWithoutDelivery()),
        check("no audit row is open or without its job", strayAuditRows()),
        check("every send was either stored or refused", unaccountedRuns()),
        check("counts per repository equal the effects", wrongCounts()));
  }

  private Check check(String name, Select<Record1<String>> violations) {
    var found = violations.asTable("found");
    return db.select(count(), min(found.field(WHAT)))
        .from(found)
        .fetchSingle(row -> new Check(name, row.value1(), row.value2()));
  }

  private static Select<Record1<String>> jobsWithoutDelivery() {
    var withoutDelivery =
        notExists(selectOne().from(Deliveries.TABLE).where(Deliveries.JOB_ID.eq(JOBS.ID)));
    var archivedWithoutDelivery =
        notExists(selectOne().from(Deliveries.TABLE).where(Deliveries.JOB_ID.eq(JOBS_ARCHIVE.ID)));
    return select(concat(inline("job "), JOBS.ID).as(WHAT))
        .from(JOBS)
        .where(JOBS.KIND.eq(KIND))
        .and(withoutDelivery)
        .unionAll(
            select(concat(inline("job "), JOBS_ARCHIVE.ID))
                .from(JOBS_ARCHIVE)
                .where(JOBS_ARCHIVE.KIND.eq(KIND))
                .and(archivedWithoutDelivery));
  }

  private static Select<Record1<String>> effectsWithoutDelivery() {
    return select(concat(inline("effect of delivery "), Effects.DELIVERY).as(WHAT))
        .from(Effects.TABLE)
        .whereNotExists(
            selectOne()
                .from(Deliveries.TABLE)
                .where(Deliveries.DELIVERY.eq(Effects.DELIVERY))
                .and(Deliveries.JOB_ID.eq(Effects.JOB_ID)));
  }

  private static Select<Record1<String>> refusedWithoutDelivery() {
    return select(concat(inline("refused send of delivery "), RefusedSends.DELIVERY).as(WHAT))
        .from(RefusedSends.TABLE)
        .whereNotExists(
            selectOne()
                .from(Deliveries.TABLE)
                .where(Deliveries.DELIVERY.eq(RefusedSends.DELIVERY)));
  }

  private static Select<Record1<String>> strayAuditRows() {
    var withoutJob =
        notExists(selectOne().from(JOBS).where(JOBS.ID.eq(JOB_EXECUTIONS.JOB_ID)))
            .and(
                notExists(
                    selectOne()
                        .from(JOBS_ARCHIVE)
                        .where(JOBS_ARCHIVE.ID.eq(JOB_EXECUTIONS.JOB_ID))));
    return select(concat(inline("execution "), JOB_EXECUTIONS.ID).as(WHAT))
        .from(JOB_EXECUTIONS)
        .where(JOB_EXECUTIONS.KIND.eq(KIND))
        .and(JOB_EXECUTIONS.STATUS.eq(inline(ExecutionStatus.RUNNING)).or(withoutJob));
  }

  private static Select<Record1<String>> unaccountedRuns() {
    var stored = field(selectCount().from(Deliveries.TABLE).where(Deliveries.RUN.eq(Runs.RUN)));
    var refused =
        field(selectCount().from(RefusedSends.TABLE).where(RefusedSends.RUN.eq(Runs.RUN)));
    return select(concat(inline("run "), Runs.RUN).as(WHAT))
        .from(Runs.TABLE)
        .where(Runs.FINISHED_AT.isNotNull())
        .and(Runs.SENDS.ne(stored.plus(refused).cast(Long.class)));
  }

  private static Select<Record1<String>> wrongCounts() {
    Field<String> repository = coalesce(Effects.REPOSITORY, inline("")).as("repository");
    Field<Long> rows = count().cast(Long.class).as("effects");
    var effects =
        select(repository, Effects.EVENT, rows)
            .from(Effects.TABLE)
            .groupBy(repository, Effects.EVENT)
            .asTable("handled");
    return select(
            concat(
                    coalesce(EventCounts.REPOSITORY, effects.field(repository)),
                    inline(" "),
                    coalesce(EventCounts.EVENT, effects.field(Effects.EVENT)))
                .as(WHAT))
        .from(EventCounts.TABLE)
        .fullJoin(effects)
        .on(effects.field(repository).eq(EventCounts.REPOSITORY))
        .and(effects.field(Effects.EVENT).eq(EventCounts.EVENT))
        .where(EventCounts.HANDLED.isDistinctFrom(effects.field(rows)));
  }
}
