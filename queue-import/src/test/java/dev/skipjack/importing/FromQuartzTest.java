package dev.skipjack.importing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quartz.CronScheduleBuilder.cronSchedule;
import static org.quartz.JobBuilder.newJob;
import static org.quartz.TriggerBuilder.newTrigger;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.TimeZone;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;

/** Tests the code of docs/guides/from-another-queue.md. */
@QueueTest
class FromQuartzTest {

  record Invoice(int number) {}

  private final List<Integer> sent = new CopyOnWriteArrayList<>();

  private void mail(Invoice invoice) {
    sent.add(invoice.number());
  }

  // In SendInvoiceJob.execute: context.getMergedJobDataMap().getInt("number")
  void schedule(Scheduler scheduler, Date due) throws SchedulerException {
    scheduler.scheduleJob(
        newJob(SendInvoiceJob.class).usingJobData("number", 7).build(),
        newTrigger().startAt(due).build());
    scheduler.scheduleJob(
        newJob(SendInvoiceJob.class).usingJobData("number", 0).build(),
        newTrigger()
            .withIdentity("every-morning")
            .withSchedule(
                cronSchedule("0 0 8 ? * 2-6").inTimeZone(TimeZone.getTimeZone("Europe/Berlin")))
            .build());
  }

  // snippet: after
  static final JobType<Invoice> SEND_INVOICE = JobType.of("send-invoice", Invoice.class);

  static final Schedule MORNING =
      Schedule.cron("0 8 * * MON-FRI")
          .zone("Europe/Berlin")
          .named("every-morning")
          .enqueue(SEND_INVOICE, new Invoice(0));

  void enqueue(JobQueue queue, Instant due) {
    queue.enqueue(SEND_INVOICE, new Invoice(7), job -> job.at(due));
  }

  // end of snippet

  Worker worker(JobQueue queue) {
    return Worker.on(queue)
        .schedule(MORNING)
        .handle(
            SEND_INVOICE,
            (invoice, context) -> {
              mail(invoice);
              return Outcome.completed();
            })
        .queue("default", 10)
        .build();
  }

  @Test
  void theCodeBeforeAndAfterDoesTheSame(QueueDatabase database)
      throws SQLException, IOException, SchedulerException {
    JobQueue queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
    QuartzFixture.createTables(database);
    Scheduler scheduler = QuartzFixture.open(database.dataSource(), false);
    schedule(scheduler, Date.from(Instant.now()));
    scheduler.shutdown();
    enqueue(queue, Instant.now());

    ImportReport report =
        Importer.from(Source.quartz("qrtz_")).into(queue).build().run(database.dataSource());
    try (Worker worker = worker(queue)) {
      worker.runUntilIdle();
    }

    assertThat(report.jobs()).isEqualTo(1);
    assertThat(report.schedules()).isEqualTo(1);
    assertThat(sent).containsExactly(7, 7);
    assertThat(queue.schedules().find("every-morning").orElseThrow().nextFires().get(0))
        .isEqualTo(MORNING.timing().next(Instant.now()).orElseThrow());
  }
}
