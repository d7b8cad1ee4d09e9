package dev.skipjack.demo;

import static dev.skipjack.model.Tables.JOBS;
import static dev.skipjack.model.Tables.JOBS_ARCHIVE;
import static dev.skipjack.model.Tables.JOB_EXECUTIONS;
import static org.jooq.impl.DSL.coalesce;
import static org.jooq.impl.DSL.count;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.select;

import dev.skipjack.api.JobStatus;
import dev.skipjack.demo.DemoSchema.Deliveries;
import dev.skipjack.demo.DemoSchema.Effects;
import dev.skipjack.demo.DemoSchema.RefusedSends;
import dev.skipjack.demo.DemoSchema.Runs;
import java.util.UUID;
import java.util.function.Consumer;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jspecify.annotations.Nullable;

/**
 * All data in the database about one delivery.
 *
 * @param fate the fate, recomputed rather than read from data that the handler wrote
 * @param secondSend the second send, also recomputed
 * @param planned the second send according to the delivery's row
 * @param runFinished whether the run that received the delivery made all its sends
 * @param live status of the delivery's live job; null if there is none
 * @param archived status of the delivery's archived job; null if there is none
 * @param attempts the number of the job's attempts
 * @param audited the number of the job's audit rows
 * @param effects the number of the delivery's effect rows
 * @param refused the number of second sends that were refused
 */
record DeliveryFacts(
    UUID delivery,
    Fate fate,
    SecondSend secondSend,
    SecondSend planned,
    boolean runFinished,
    @Nullable JobStatus live,
    @Nullable JobStatus archived,
    int attempts,
    int audited,
    int effects,
    int refused) {

  /**
   * The number of rows fetched at once. It is limited because the data may not fit into the heap.
   */
  private static final int FETCH = 1_000;

  private static final Field<Integer> ROWS = field(name("rows"), Integer.class);

  /**
   * Reads every delivery of the database. Must run in a transaction; otherwise the driver loads all
   * rows at once.
   */
  static void forEach(DSLContext db, Consumer<DeliveryFacts> reader) {
    var audit =
        select(JOB_EXECUTIONS.JOB_ID, count().as(ROWS))
            .from(JOB_EXECUTIONS)
            .where(JOB_EXECUTIONS.KIND.eq(WebhookJob.TYPE.kind()))
            .groupBy(JOB_EXECUTIONS.JOB_ID)
            .asTable("audit");
    var effects =
        select(Effects.DELIVERY, count().as(ROWS))
            .from(Effects.TABLE)
            .groupBy(Effects.DELIVERY)
            .asTable("effect");
    var refused =
        select(RefusedSends.DELIVERY, count().as(ROWS))
            .from(RefusedSends.TABLE)
            .where(RefusedSends.ATTEMPT.eq(DeliverySender.SECOND))
            .groupBy(RefusedSends.DELIVERY)
            .asTable("refused");
    Field<Boolean> runFinished = field(Runs.FINISHED_AT.isNotNull()).as("run_finished");
    Field<Integer> attempts =
        coalesce(JOBS.ATTEMPTS, JOBS_ARCHIVE.ATTEMPTS, inline(0)).as("attempts");
    Field<Integer> audited = coalesce(audit.field(ROWS), inline(0)).as("audited");
    Field<Integer> effectRows = coalesce(effects.field(ROWS), inline(0)).as("effects");
    Field<Integer> refusedRows = coalesce(refused.field(ROWS), inline(0)).as("refused");
    try (var rows =
        db.select(
                Deliveries.DELIVERY,
                Deliveries.SALT,
                Deliveries.SECOND_SEND,
                runFinished,
                JOBS.STATUS,
                JOBS_ARCHIVE.STATUS,
                attempts,
                audited,
                effectRows,
                refusedRows)
            .from(Deliveries.TABLE)
            .leftJoin(Runs.TABLE)
            .on(Runs.RUN.eq(Deliveries.RUN))
            .leftJoin(JOBS)
            .on(JOBS.ID.eq(Deliveries.JOB_ID))
            .leftJoin(JOBS_ARCHIVE)
            .on(JOBS_ARCHIVE.ID.eq(Deliveries.JOB_ID))
            .leftJoin(audit)
            .on(audit.field(JOB_EXECUTIONS.JOB_ID).eq(Deliveries.JOB_ID))
            .leftJoin(effects)
            .on(effects.field(Effects.DELIVERY).eq(Deliveries.DELIVERY))
            .leftJoin(refused)
            .on(refused.field(RefusedSends.DELIVERY).eq(Deliveries.DELIVERY))
            .fetchSize(FETCH)
            .fetchLazy()) {
      for (var row : rows) {
        UUID delivery = row.get(Deliveries.DELIVERY);
        long salt = row.get(Deliveries.SALT);
        reader.accept(
            new DeliveryFacts(
                delivery,
                Fate.of(delivery, salt),
                SecondSend.of(delivery, salt),
                SecondSend.of(row.get(Deliveries.SECOND_SEND)),
                row.get(runFinished),
                row.get(JOBS.STATUS),
                row.get(JOBS_ARCHIVE.STATUS),
                row.get(attempts),
                row.get(audited),
                row.get(effectRows),
                row.get(refusedRows)));
      }
    }
  }

  boolean dead() {
    return live == JobStatus.DEAD;
  }
}
