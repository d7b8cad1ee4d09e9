package dev.skipjack.examples.schedules;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.schedule.Missed;
import dev.skipjack.api.schedule.Overlap;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.ScheduleState;
import dev.skipjack.api.schedule.Schedules;
import dev.skipjack.api.schedule.Timing;
import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerEvent;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

/**
 * A sales report is made at nine on each working day in Berlin, and the stock is counted every
 * hour.
 *
 * <p>What goes wrong: no worker runs for five days. The next worker makes one report, and counts
 * the stock for the last three missed hours, the oldest first. Then an operator moves the report to
 * ten o'clock and pauses the stock count. The next deployment keeps both changes.
 */
public final class Reports {

  /** The maximum number of seconds to wait for a job, even if the machine is very busy. */
  private static final int PATIENCE = 60;

  private final DataSource dataSource;
  private final JobQueue queue;
  private final BlockingQueue<String> done = new LinkedBlockingQueue<>();
  private final Semaphore completed = new Semaphore(0);

  private Reports(DataSource dataSource) {
    this.dataSource = dataSource;
    this.queue = JobQueue.on(dataSource);
  }

  // snippet: declare
  record Report(String of) {}

  record Count(String hour) {}

  static final JobType<Report> REPORT = JobType.of("report", Report.class);
  static final JobType<Count> COUNT = JobType.of("count-stock", Count.class);

  /** Nine o'clock in Berlin on working days, except two holidays. */
  static final Schedule MORNING_REPORT =
      Schedule.cron("0 9 * * MON-FRI")
          .zone("Europe/Berlin")
          .except(Set.of(LocalDate.of(2026, 12, 25), LocalDate.of(2027, 1, 1)))
          .named("morning-report")
          .enqueue(REPORT, new Report("sales"), job -> job.priority(5))
          .overlap(Overlap.SKIP_WHILE_LIVE);

  /** Every hour, with a payload from the planned time. Makes up for at most three missed fires. */
  static final Schedule STOCK_COUNT =
      Schedule.every(Duration.ofHours(1))
          .named("stock-count")
          .enqueueFrom(COUNT, fire -> new Count(fire.toString()))
          .missed(Missed.all(3));

  Worker.Builder worker() {
    return Worker.on(queue)
        .schedule(MORNING_REPORT, STOCK_COUNT)
        .handle(REPORT, this::report)
        .handle(COUNT, (count, context) -> done("stock counted for " + count.hour()))
        .queue("default", 1);
  }

  /** The planned time identifies the day of the report, however late the job runs. */
  Outcome report(Report report, JobContext context) {
    Instant planned = context.scheduledFor().orElseThrow();
    return done("report of %s for %s".formatted(report.of(), planned));
  }

  // end of snippet

  // snippet: run-time
  void operate() {
    Schedules schedules = queue.schedules();
    schedules.pause("stock-count");
    schedules.change("morning-report", Timing.cron("0 10 * * MON-FRI").zone("Europe/Berlin"));
    schedules.fireNow("morning-report");
  }

  String describe(String schedule) {
    ScheduleState state = queue.schedules().find(schedule).orElseThrow();
    return "%s: %s, paused %s, changed at run time %s"
        .formatted(schedule, state.timing(), state.isPaused(), state.isChangedAtRunTime());
  }

  // end of snippet

  private Outcome done(String what) {
    done.add(what);
    return Outcome.completed();
  }

  private String awaitJob() throws InterruptedException {
    return String.valueOf(done.poll(PATIENCE, TimeUnit.SECONDS));
  }

  private void heard(WorkerEvent event) {
    if (event instanceof WorkerEvent.Succeeded) {
      completed.release();
    }
  }

  /**
   * Waits until the outcomes of jobs are written, which takes a moment after their handlers have
   * returned. Until then, the report is live, so that another one would be skipped.
   */
  private void awaitCompleted(int jobs) throws InterruptedException {
    if (!completed.tryAcquire(jobs, PATIENCE, TimeUnit.SECONDS)) {
      throw new IllegalStateException("The jobs are not completed.");
    }
  }

  /** Sets the next fires to {@code then}, as if no worker had run since. */
  private void leaveUnattendedSince(Instant then) {
    DSL.using(dataSource, SQLDialect.POSTGRES)
        .execute(
            "UPDATE skipjack.job_schedules SET next_at = {0}, due_at = {0}, last_at = NULL",
            DSL.val(then));
  }

  /**
   * Runs the example.
   *
   * @param args a JDBC URL; without one an embedded PostgreSQL is started
   */
  public static void main(String[] args) throws InterruptedException {
    try (ExampleDatabase database = ExampleDatabase.open(args)) {
      run(database.dataSource(), System.out);
    }
  }

  @SuppressWarnings("try") // the worker fires schedules by itself
  static void run(DataSource dataSource, PrintStream out) throws InterruptedException {
    Reports reports = new Reports(dataSource);
    reports.deploy();
    out.println(reports.describe("morning-report"));

    reports.leaveUnattendedSince(Instant.now().minus(Duration.ofDays(5)));
    try (Worker worker = reports.worker().listener(reports::heard).start()) {
      for (int job = 0; job < 4; job++) {
        out.println("after the outage: " + reports.awaitJob());
      }
      reports.awaitCompleted(4);
      reports.operate();
      out.println("on request: " + reports.awaitJob());
    }

    reports.deploy();
    out.println(reports.describe("morning-report"));
    out.println(reports.describe("stock-count"));
  }

  /** Declares the schedules, as each worker does when it starts. */
  private void deploy() {
    queue.schedules().declare(List.of(MORNING_REPORT, STOCK_COUNT));
  }
}
