package dev.skipjack.importing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.quartz.CronScheduleBuilder.cronSchedule;
import static org.quartz.JobBuilder.newJob;
import static org.quartz.SimpleScheduleBuilder.simpleSchedule;
import static org.quartz.TriggerBuilder.newTrigger;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.PayloadCodec;
import dev.skipjack.api.schedule.Missed;
import dev.skipjack.api.schedule.Overlap;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.ScheduleState;
import dev.skipjack.api.schedule.Timing;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Set;
import java.util.TimeZone;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.quartz.Job;
import org.quartz.JobDataMap;
import org.quartz.JobDetail;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.TriggerKey;
import org.quartz.impl.calendar.HolidayCalendar;

/** Tests the import from tables that Quartz itself has filled and is using. */
@QueueTest
class QuartzImportTest {

  record Invoice(int number) {}

  /** An object that an attacker put into a job's data. */
  static final class Hostile implements Serializable {
    private static final long serialVersionUID = 1L;
    static volatile boolean created;

    private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
      created = true;
      stream.defaultReadObject();
    }
  }

  private static final JobType<Invoice> SEND_INVOICE = JobType.of("send-invoice", Invoice.class);
  private static final Instant LATER = Instant.parse("2090-01-01T10:00:00Z");

  private static final String[] TABLES = {
    "qrtz_job_details", "qrtz_triggers", "qrtz_simple_triggers", "qrtz_cron_triggers"
  };

  private QueueDatabase database;
  private JobQueue queue;
  private Scheduler scheduler;

  @BeforeEach
  void createTheTables(QueueDatabase database)
      throws SQLException, IOException, SchedulerException {
    this.database = database;
    this.queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
    QuartzFixture.createTables(database);
    SendInvoiceJob.RUNS.clear();
    SendInvoiceJob.STARTED.drainPermits();
    SendInvoiceJob.gate = new CountDownLatch(0);
    scheduler = QuartzFixture.open(database.dataSource(), false);
  }

  @AfterEach
  void shutDown() throws SchedulerException {
    // Tests that start a scheduler wait for its threads themselves.
    scheduler.shutdown(false);
  }

  private ImportReport run() throws SQLException {
    return Importer.from(Source.quartz("qrtz_")).into(queue).build().run(database.dataSource());
  }

  private void schedule(Class<? extends Job> job, JobDataMap data, TriggerBuilder<?> trigger)
      throws SchedulerException {
    Trigger built = trigger.build();
    scheduler.scheduleJob(
        newJob(job).withIdentity(built.getKey().getName()).usingJobData(data).build(), built);
  }

  private static TriggerBuilder<Trigger> trigger(String name) {
    return newTrigger().withIdentity(name);
  }

  private static JobDataMap invoice(int number) {
    JobDataMap data = new JobDataMap();
    data.put("number", number);
    return data;
  }

  @Test
  void aTriggerThatFiresOnceBecomesAJob() throws SQLException, SchedulerException {
    JobDataMap data = invoice(7);
    data.put("to", "ada");
    data.put("urgent", true);
    data.put("on", Date.from(LATER));
    data.put("lines", new ArrayList<>(List.of(1, "two")));
    schedule(
        SendInvoiceJob.class,
        data,
        trigger("once").startAt(Date.from(LATER)).withPriority(9).usingJobData("to", "grace"));

    assertThat(run().jobs()).isEqualTo(1);

    assertThat(
            query(
                "SELECT concat_ws(' ', kind, scheduled_at = '2090-01-01T10:00:00Z', priority,"
                    + " payload) FROM %s.jobs"))
        .containsExactly(
            "send-invoice t 4 {\"on\": \"2090-01-01T10:00:00Z\", \"to\": \"grace\", \"lines\": [1,"
                + " \"two\"], \"number\": 7, \"urgent\": true}");
    assertThat(query("SELECT trigger_name FROM qrtz_triggers")).isEmpty();
    assertThat(query("SELECT trigger_name FROM qrtz_simple_triggers")).isEmpty();
    assertThat(query("SELECT job_name FROM qrtz_job_details")).isEmpty();
  }

  @Test
  void dataThatIsStoredAsPropertiesBecomesStrings() throws SQLException, SchedulerException {
    scheduler.shutdown();
    scheduler = QuartzFixture.open(database.dataSource(), true);
    JobDataMap data = new JobDataMap();
    data.put("number", "7");
    schedule(SendInvoiceJob.class, data, trigger("once").startAt(Date.from(LATER)));

    run();

    assertThat(query("SELECT payload FROM %s.jobs")).containsExactly("{\"number\": \"7\"}");
  }

  @Test
  void cronAndIntervalTriggersBecomeSchedules() throws SQLException, SchedulerException {
    schedule(
        SendInvoiceJob.class,
        invoice(1),
        trigger("Monthly Report")
            .withSchedule(
                cronSchedule("0 30 8 L * ?")
                    .inTimeZone(TimeZone.getTimeZone("Europe/Berlin"))
                    .withMisfireHandlingInstructionDoNothing()));
    schedule(
        ExclusiveJob.class,
        new JobDataMap(),
        newTrigger()
            .withIdentity("sync", "stock")
            .withSchedule(simpleSchedule().withIntervalInHours(24).repeatForever())
            .startAt(Date.from(nextMidnight())));
    schedule(
        ExclusiveJob.class,
        new JobDataMap(),
        trigger("paused")
            .withSchedule(cronSchedule("0 0 3 ? * 2").inTimeZone(TimeZone.getTimeZone("UTC"))));
    scheduler.pauseTrigger(new TriggerKey("paused"));
    Instant next =
        scheduler.getTrigger(new TriggerKey("Monthly Report")).getNextFireTime().toInstant();

    ImportReport report = run();

    assertThat(report.schedules()).isEqualTo(3);
    assertThat(report.stayed()).isEmpty();
    ScheduleState monthly = queue.schedules().find("monthly-report").orElseThrow();
    assertThat(monthly.timing()).isEqualTo(Timing.cron("0 30 8 L * ?").zone("Europe/Berlin"));
    assertThat(monthly.nextFires().get(0)).isEqualTo(next);
    assertThat(monthly.missed()).isEqualTo(Missed.skip());
    assertThat(monthly.overlap()).isEqualTo(Overlap.ALLOW);
    assertThat(monthly.payload()).isEqualTo("{\"number\": 1}");
    ScheduleState sync = queue.schedules().find("stock.sync").orElseThrow();
    assertThat(sync.timing()).isEqualTo(Timing.every(Duration.ofDays(1)));
    assertThat(sync.missed()).isEqualTo(Missed.skip());
    assertThat(sync.overlap()).isEqualTo(Overlap.SKIP_WHILE_LIVE);
    assertThat(sync.kind()).isEqualTo("exclusive");
    ScheduleState paused = queue.schedules().find("paused").orElseThrow();
    assertThat(paused.timing()).isEqualTo(Timing.cron("0 0 3 ? * 1"));
    assertThat(paused.pausedAt()).isNotNull();
    assertThat(query("SELECT trigger_name FROM qrtz_triggers")).isEmpty();
    assertThat(query("SELECT trigger_name FROM qrtz_cron_triggers")).isEmpty();
  }

  private static Instant nextMidnight() {
    return Instant.now().truncatedTo(ChronoUnit.DAYS).plus(1, ChronoUnit.DAYS);
  }

  @Test
  void schedulesThatWouldFireAtOtherTimesStay() throws SQLException, SchedulerException {
    cron(trigger("passed"), "0 0 * * * ?");
    execute("UPDATE qrtz_triggers SET next_fire_time = 1000000000000");
    cron(trigger("later").startAt(Date.from(LATER)), "0 0 3 * * ?");
    schedule(
        SendInvoiceJob.class,
        invoice(1),
        trigger("phase")
            .startAt(Date.from(nextMidnight().plusSeconds(60)))
            .withSchedule(simpleSchedule().withIntervalInHours(24).repeatForever()));
    schedule(
        SendInvoiceJob.class,
        invoice(1),
        trigger("misfire")
            .startAt(Date.from(nextMidnight()))
            .withSchedule(
                simpleSchedule()
                    .withIntervalInHours(24)
                    .repeatForever()
                    .withMisfireHandlingInstructionNowWithExistingCount()));
    schedule(
        SendInvoiceJob.class,
        invoice(1),
        trigger("all")
            .withSchedule(
                cronSchedule("0 0 3 * * ?").withMisfireHandlingInstructionIgnoreMisfires()));
    cron(trigger("zone"), "0 0 3 * * ?");
    execute("UPDATE qrtz_cron_triggers SET time_zone_id = 'Mars' WHERE trigger_name = 'zone'");

    ImportReport report = run();

    assertThat(report.moved()).isEmpty();
    assertThat(report.stayed())
        .extracting(stayed -> stayed.rows() + " " + stayed.reason())
        .anyMatch(line -> line.startsWith("1 its next time has passed"))
        .anyMatch(line -> line.startsWith("2 starts later, or counts from a time of its own"))
        .anyMatch(line -> line.startsWith("1 has misfire instruction -1"))
        .anyMatch(line -> line.startsWith("1 has misfire instruction 2"))
        .anyMatch(line -> line.startsWith("1 has a timing that a schedule cannot have"))
        .hasSize(5);
  }

  @Test
  void aTimeThatPassesDuringTheImportIsNotLost() throws SQLException, SchedulerException {
    cron(trigger("every-second"), "* * * * * ?");
    cron(trigger("hourly"), "0 0 * * * ?");
    DataSource slow =
        InterferingDataSource.changing(
            database.dataSource(),
            """
            DO $$ BEGIN
              WHILE (SELECT min(next_fire_time) FROM qrtz_triggers) >= extract(epoch FROM clock_timestamp()) * 1000
              LOOP END LOOP;
            END $$
            """);
    // The time may even have passed before the import reads it.
    execute(
        "UPDATE qrtz_triggers SET next_fire_time = (1 + ceil(extract(epoch FROM"
            + " clock_timestamp()))) * 1000 WHERE trigger_name = 'every-second'");

    ImportReport report = Importer.from(Source.quartz("qrtz_")).into(queue).build().run(slow);

    assertThat(report.rowsThatStay()).isEqualTo(1);
    assertThat(query("SELECT trigger_name FROM qrtz_triggers")).containsExactly("every-second");
    assertThat(query("SELECT name FROM %s.job_schedules")).containsExactly("hourly");
  }

  @Test
  void anErrorOfTheCodecLosesNothing() throws SQLException, SchedulerException {
    cron(trigger("daily"), "0 0 3 * * ?");
    PayloadCodec broken =
        (PayloadCodec)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {PayloadCodec.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("decode")) {
                    throw new NoSuchMethodError("of another version");
                  }
                  return method.isDefault()
                      ? InvocationHandler.invokeDefault(proxy, method, arguments)
                      : "";
                });
    JobQueue other =
        JobQueue.builder(database.dataSource()).schema(database.schema()).codec(broken).build();

    assertThatThrownBy(
            () ->
                Importer.from(Source.quartz("qrtz_"))
                    .into(other)
                    .build()
                    .run(database.dataSource()))
        .isInstanceOf(NoSuchMethodError.class);

    assertThat(query("SELECT trigger_name FROM qrtz_triggers")).containsExactly("daily");
  }

  @Test
  void onlyTheJobsOfMovedTriggersAreRemoved() throws SQLException, SchedulerException {
    schedule(SendInvoiceJob.class, invoice(1), trigger("once").startAt(Date.from(LATER)));
    execute(
        "INSERT INTO qrtz_job_details SELECT 'other', 'waits', job_group, description,"
            + " job_class_name, is_durable, is_nonconcurrent, is_update_data, requests_recovery,"
            + " job_data FROM qrtz_job_details");

    run();

    assertThat(query("SELECT job_name FROM qrtz_job_details")).containsExactly("waits");
  }

  @Test
  void triggersOfAJobThatMustNotRunTwiceAtOnceStay() throws SQLException, SchedulerException {
    JobDetail job = newJob(ExclusiveJob.class).withIdentity("shared").storeDurably().build();
    scheduler.addJob(job, false);
    for (String name : List.of("first", "second")) {
      scheduler.scheduleJob(trigger(name).startAt(Date.from(LATER)).forJob(job).build());
    }
    schedule(ExclusiveJob.class, new JobDataMap(), trigger("alone").startAt(Date.from(LATER)));

    ImportReport report = run();

    assertThat(report.jobs()).isEqualTo(1);
    assertThat(report.stayed())
        .singleElement()
        .satisfies(
            stayed -> {
              assertThat(stayed.rows()).isEqualTo(2);
              assertThat(stayed.reason()).startsWith("its job runs one at a time");
            });
  }

  /** A scheduler outside a cluster keeps its lock in memory, where the import cannot detect it. */
  @Test
  void aTriggerThatASchedulerIsWritingStays() throws SQLException, SchedulerException {
    PGSimpleDataSource impatient = unpooled();
    impatient.setOptions("-c lock_timeout=100");
    List<String> states = new CopyOnWriteArrayList<>();
    DataSource writing =
        InterferingDataSource.of(
            database.dataSource(),
            (number, session, others) -> {
              if (isMisfiring() && states.isEmpty()) {
                states.add("moved");
                try {
                  Importer.from(Source.quartz("qrtz_")).into(queue).build().run(impatient);
                } catch (SQLException waited) {
                  states.set(0, waited.getSQLState());
                }
              }
            });
    scheduler.shutdown();
    scheduler = QuartzFixture.open(writing, false);
    schedule(SendInvoiceJob.class, invoice(1), trigger("once").startAt(Date.from(LATER)));
    execute("UPDATE qrtz_triggers SET next_fire_time = 1000000000000");

    scheduler.start();
    scheduler.shutdown(true);

    assertThat(states).containsExactly("55P03");
    assertThat(query("SELECT kind FROM %s.jobs")).isEmpty();
  }

  /** Returns whether Quartz has read a trigger that misfired and is about to write it. */
  private static boolean isMisfiring() {
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames.anyMatch(
                    frame -> frame.getMethodName().equals("doUpdateOfMisfiredTrigger")));
  }

  @Test
  void triggersThatCannotBeMovedStayAndAreListed() throws SQLException, SchedulerException {
    scheduler.addCalendar("holidays", new HolidayCalendar(), false, false);
    queue
        .schedules()
        .add(
            Schedule.every(Duration.ofHours(1))
                .named("taken")
                .enqueue(SEND_INVOICE, new Invoice(1)));
    cron(trigger("calendar").modifiedByCalendar("holidays"), "0 0 3 * * ?");
    cron(trigger("end").endAt(Date.from(LATER)), "0 0 3 * * ?");
    cron(trigger("taken"), "0 0 3 * * ?");
    cron(trigger("backwards"), "0 0 3 ? * FRI-MON");
    schedule(
        SendInvoiceJob.class,
        invoice(1),
        trigger("thrice").withSchedule(simpleSchedule().withIntervalInHours(1).withRepeatCount(2)));
    schedule(SendInvoiceJob.class, invoice(1), trigger("still").startAt(Date.from(LATER)));
    scheduler.pauseTrigger(new TriggerKey("still"));
    JobDataMap hostile = new JobDataMap();
    hostile.put("object", new Hostile());
    schedule(SendInvoiceJob.class, hostile, trigger("hostile").startAt(Date.from(LATER)));

    ImportReport report = run();

    assertThat(report.moved()).isEmpty();
    assertThat(report.stayed())
        .extracting(
            stayed ->
                stayed.ids().get(0).replaceAll("/.*/.*|DEFAULT/", "") + ": " + stayed.reason())
        .anySatisfy(line -> assertThat(line).contains("uses a calendar: declare a schedule"))
        .anySatisfy(line -> assertThat(line).contains("has an end: declare a schedule"))
        .anySatisfy(line -> assertThat(line).contains("Schedule 'taken' exists already."))
        .anySatisfy(line -> assertThat(line).contains("has a timing that a schedule cannot have"))
        .anySatisfy(line -> assertThat(line).contains("repeats a number of times"))
        .anySatisfy(line -> assertThat(line).contains("paused: resume it first"))
        .anySatisfy(
            line -> assertThat(line).contains("data contains an object that is not converted"))
        .hasSize(7);
    assertThat(Hostile.created).isFalse();
    assertThat(query("SELECT trigger_name FROM qrtz_triggers")).hasSize(7);
  }

  private void cron(TriggerBuilder<Trigger> trigger, String expression) throws SchedulerException {
    schedule(SendInvoiceJob.class, invoice(1), trigger.withSchedule(cronSchedule(expression)));
  }

  @Test
  void eachJobRunsOnceWhileTheSchedulerWorks() throws Exception {
    int jobs = 120;
    for (int number = 1; number <= jobs; number++) {
      schedule(SendInvoiceJob.class, invoice(number), trigger("t" + number).startNow());
    }
    CountDownLatch release = new CountDownLatch(1);
    SendInvoiceJob.gate = release;
    scheduler.start();
    SendInvoiceJob.STARTED.acquire();
    try {
      assertThat(run().jobs()).isPositive();
    } finally {
      release.countDown();
    }
    scheduler.shutdown(true);
    // A scheduler makes triggers that another one had acquired but not fired wait again.
    execute("UPDATE qrtz_triggers SET trigger_state = 'WAITING' WHERE trigger_state = 'ACQUIRED'");
    run();
    try (Worker worker =
        Worker.on(queue)
            .handle(
                SEND_INVOICE,
                (invoice, context) -> {
                  SendInvoiceJob.RUNS.merge(invoice.number(), 1, Integer::sum);
                  return Outcome.completed();
                })
            .queue("default", 4)
            .build()) {
      worker.runUntilIdle();
    }

    assertThat(SendInvoiceJob.RUNS)
        .hasSize(jobs)
        .allSatisfy((number, times) -> assertThat(times).isEqualTo(1));
    assertThat(query("SELECT trigger_name FROM qrtz_triggers")).isEmpty();
  }

  @Test
  void aJobThatIsReplacedInQuartzDuringTheImportStays() throws SQLException, SchedulerException {
    JobDetail job =
        newJob(SendInvoiceJob.class)
            .withIdentity("once")
            .usingJobData("number", 7)
            .storeDurably()
            .build();
    scheduler.scheduleJob(job, trigger("once").startAt(Date.from(LATER)).build());
    AtomicBoolean replaced = new AtomicBoolean();
    DataSource replacing =
        InterferingDataSource.of(
            database.dataSource(),
            (number, session, others) -> {
              if (!session.getAutoCommit() && replaced.compareAndSet(false, true)) {
                replace(job.getJobBuilder().usingJobData("number", 8).build());
              }
            });

    ImportReport report = Importer.from(Source.quartz("qrtz_")).into(queue).build().run(replacing);

    assertThat(report.jobs()).isZero();
    assertThat(report.stayed().get(0).reason())
        .isEqualTo("changed during the import: run it again");
    assertThat(run().jobs()).isEqualTo(1);
    assertThat(query("SELECT payload ->> 'number' FROM %s.jobs")).containsExactly("8");
  }

  private void replace(JobDetail job) throws SQLException {
    try {
      scheduler.addJob(job, true);
    } catch (SchedulerException failed) {
      throw new SQLException(failed);
    }
  }

  @Test
  void aTriggerOfWhichAnyTableIsChangedDuringTheImportStays()
      throws SQLException, SchedulerException {
    List<String> changes =
        List.of(
            "UPDATE qrtz_triggers SET description = 'changed' WHERE trigger_name LIKE '1%'",
            "UPDATE qrtz_simple_triggers SET times_triggered = 1 WHERE trigger_name LIKE '2%'",
            "UPDATE qrtz_cron_triggers SET cron_expression = '0 0 4 * * ?' WHERE trigger_name LIKE"
                + " '3%'",
            "UPDATE qrtz_job_details SET description = 'changed' WHERE job_name LIKE '4%'");
    for (int part = 1; part <= changes.size(); part++) {
      schedule(SendInvoiceJob.class, invoice(1), trigger(part + "-once").startAt(Date.from(LATER)));
      cron(trigger(part + "-cron"), "0 0 3 * * ?");
    }
    DataSource changing =
        InterferingDataSource.changing(database.dataSource(), changes.toArray(String[]::new));

    ImportReport report = Importer.from(Source.quartz("qrtz_")).into(queue).build().run(changing);

    assertThat(report.stayed())
        .extracting(ImportReport.Stayed::reason)
        .containsOnly("changed during the import: run it again");
    assertThat(query("SELECT trigger_name FROM qrtz_triggers ORDER BY trigger_name"))
        .containsExactly("1-cron", "1-once", "2-once", "3-cron", "4-cron", "4-once");
  }

  @Test
  void theImportWaitsForAChangeOfAJobThatHasNotBeenCommitted() throws Exception {
    schedule(SendInvoiceJob.class, invoice(7), trigger("once").startAt(Date.from(LATER)));
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Connection changing = database.connection();
        Statement statement = changing.createStatement()) {
      changing.setAutoCommit(false);
      statement.execute("UPDATE qrtz_job_details SET description = 'changed'");
      Future<ImportReport> importing = thread.submit(this::run);
      new Sql(database).awaitBlockedSession();
      changing.commit();
      assertThat(importing.get(1, TimeUnit.MINUTES).rowsThatStay()).isEqualTo(1);
    } finally {
      thread.shutdownNow();
    }
    assertThat(query("SELECT description FROM qrtz_job_details")).containsExactly("changed");
  }

  @Test
  void nothingIsLostOrDoubledIfTheSessionIsKilledBeforeAnyStatement()
      throws SQLException, IOException, SchedulerException {
    int statements = 1;
    for (boolean killed = true; killed; statements++) {
      database.truncate();
      QuartzFixture.createTables(database);
      for (int number = 1; number <= 3; number++) {
        schedule(
            SendInvoiceJob.class, invoice(number), trigger("" + number).startAt(Date.from(LATER)));
      }
      cron(trigger("cron"), "0 0 3 * * ?");
      killed = isKilled(InterferingDataSource.killed(statements, unpooled()));
      assertThat(allWork())
          .as("before statement %d", statements)
          .isEqualTo(List.of("1", "2", "3", "cron"));

      run();

      assertThat(allWork())
          .as("before statement %d", statements)
          .isEqualTo(List.of("1", "2", "3", "cron"));
      assertThat(query("SELECT trigger_name FROM qrtz_triggers")).isEmpty();
    }
    assertThat(statements).isGreaterThan(4);
  }

  @Test
  void triggersThatHaveNotFiredAreInTheSourceAgainByteForByte()
      throws SQLException, SchedulerException {
    JobDataMap data = invoice(7);
    data.put("on", Date.from(LATER));
    schedule(SendInvoiceJob.class, data, trigger("once").startAt(Date.from(LATER)));
    schedule(
        ExclusiveJob.class,
        new JobDataMap(),
        trigger("sync")
            .withSchedule(simpleSchedule().withIntervalInHours(24).repeatForever())
            .startAt(Date.from(nextMidnight())));
    cron(trigger("paused"), "0 0 3 ? * 2");
    scheduler.pauseTrigger(new TriggerKey("paused"));
    // Both triggers need the job, which leaves with the second.
    JobDetail job = newJob(SendInvoiceJob.class).withIdentity("shared").usingJobData(data).build();
    scheduler.scheduleJob(
        job,
        Set.of(
            trigger("first").startAt(Date.from(LATER)).build(),
            trigger("second").startAt(Date.from(LATER)).build()),
        false);
    Sql sql = new Sql(database);
    List<String> before = sql.rows(TABLES);

    assertThat(run().rowsThatStay()).isZero();
    assertThat(sql.rows(TABLES)).isEmpty();
    ImportReport undone = undo();

    assertThat(undone.jobs()).isEqualTo(3);
    assertThat(undone.schedules()).isEqualTo(2);
    assertThat(undone.stayed()).isEmpty();
    assertThat(sql.rows(TABLES)).isEqualTo(before);
    assertThat(query("SELECT name FROM %s.job_schedules")).isEmpty();
    assertThat(query("SELECT kind FROM %s.jobs")).isEmpty();
  }

  @Test
  void aTriggerReturnsWithItsJobAlthoughAnotherTriggerOfItStays()
      throws SQLException, SchedulerException {
    JobDetail job =
        newJob(SendInvoiceJob.class).withIdentity("shared").usingJobData(invoice(7)).build();
    scheduler.scheduleJob(
        job,
        Set.of(
            trigger("first").startAt(Date.from(LATER)).build(),
            trigger("second").startAt(Date.from(LATER)).build()),
        false);
    run();
    execute(
        "UPDATE %s.jobs SET priority = 1 WHERE headers ->> 'imported-from' LIKE '%%/second/%%'"
            .formatted(database.schema()));

    assertThat(undo().jobs()).isEqualTo(1);

    assertThat(scheduler.getTrigger(new TriggerKey("first")).getJobKey()).isEqualTo(job.getKey());
    assertThat(scheduler.getJobDetail(job.getKey()).getJobDataMap().getInt("number")).isEqualTo(7);
  }

  @Test
  void aTriggerDoesNotReturnToAnotherJobWithTheKeyOfItsOwn()
      throws SQLException, SchedulerException {
    schedule(SendInvoiceJob.class, invoice(7), trigger("once").startAt(Date.from(LATER)));
    schedule(SendInvoiceJob.class, invoice(9), trigger("other").startAt(Date.from(LATER)));
    run();
    scheduler.addJob(
        newJob(SendInvoiceJob.class)
            .withIdentity("once")
            .usingJobData(invoice(8))
            .storeDurably()
            .build(),
        false);

    ImportReport undone = undo();

    assertThat(undone.jobs()).isEqualTo(1);
    assertThat(undone.stayed().get(0).reason())
        .isEqualTo("qrtz_job_details has another row with its key: it stays here");
    assertThat(query("SELECT trigger_name FROM qrtz_triggers")).containsExactly("other");
    assertThat(query("SELECT payload ->> 'number' FROM %s.jobs")).containsExactly("7");
  }

  @Test
  void aScheduleThatHasFiredOrWasChangedStays() throws SQLException, SchedulerException {
    cron(trigger("fired"), "0 0 3 * * ?");
    cron(trigger("renamed"), "0 0 3 * * ?");
    cron(trigger("untouched"), "0 0 3 * * ?");
    run();
    assertThat(
            Importer.from(Source.quartz("qrtz_"))
                .into(queue)
                .build()
                .verify(database.dataSource())
                .fires())
        .extracting(ImportCheck.Fire::difference)
        .containsOnly("");
    queue.schedules().fireNow("fired");
    queue.schedules().remove("renamed");

    ImportCheck check =
        Importer.from(Source.quartz("qrtz_")).into(queue).build().verify(database.dataSource());
    ImportReport undone = undo();

    assertThat(check.fires())
        .extracting(fire -> fire.schedule() + ": " + fire.difference())
        .containsExactly("fired: it was changed", "renamed: it was removed", "untouched: ");
    assertThat(check.isClean()).isFalse();
    assertThat(undone.schedules()).isEqualTo(1);
    assertThat(query("SELECT trigger_name FROM qrtz_triggers")).containsExactly("untouched");
    assertThat(query("SELECT name FROM %s.job_schedules")).containsExactly("fired");
  }

  @Test
  void aScheduleReturnsAlthoughAWorkerWithNewerTimeZoneDataHasCalculatedItsNextTime()
      throws SQLException, SchedulerException {
    schedule(
        SendInvoiceJob.class,
        invoice(1),
        trigger("zoned")
            .withSchedule(
                cronSchedule("0 0 3 * * ?").inTimeZone(TimeZone.getTimeZone("Europe/Berlin"))));
    run();
    // Calculates the next time as that worker does.
    execute("UPDATE %s.job_schedules SET zone_rules = '9999z'".formatted(database.schema()));

    assertThat(
            Importer.from(Source.quartz("qrtz_"))
                .into(queue)
                .build()
                .verify(database.dataSource())
                .fires())
        .extracting(ImportCheck.Fire::difference)
        .containsExactly("");
    assertThat(undo().schedules()).isEqualTo(1);
    assertThat(query("SELECT trigger_name FROM qrtz_triggers")).containsExactly("zoned");
  }

  @Test
  void aTriggerThatWasRemovedHereAndCreatedAgainInQuartzIsImportedAgain()
      throws SQLException, SchedulerException {
    cron(trigger("daily"), "0 0 3 * * ?");
    run();
    queue.schedules().remove("daily");
    cron(trigger("daily"), "0 0 3 * * ?");

    assertThat(run().schedules()).isEqualTo(1);

    assertThat(undo().stayed()).isEmpty();
    assertThat(query("SELECT trigger_name FROM qrtz_triggers")).containsExactly("daily");
  }

  @Test
  void aReturnedTriggerFiresInQuartz()
      throws SQLException, SchedulerException, InterruptedException {
    schedule(SendInvoiceJob.class, invoice(7), trigger("once").startNow());
    run();
    undo();

    scheduler.start();
    SendInvoiceJob.STARTED.acquire();
    scheduler.shutdown(true);

    assertThat(SendInvoiceJob.RUNS).containsOnlyKeys(7);
    assertThat(query("SELECT trigger_name FROM qrtz_triggers")).isEmpty();
  }

  private ImportReport undo() throws SQLException {
    return Importer.from(Source.quartz("qrtz_")).into(queue).build().undo(database.dataSource());
  }

  private boolean isKilled(DataSource dataSource) {
    try {
      Importer.from(Source.quartz("qrtz_")).into(queue).build().run(dataSource);
      return false;
    } catch (SQLException | RuntimeException killed) {
      return true;
    }
  }

  private List<String> allWork() throws SQLException {
    return query(
        "SELECT payload ->> 'number' AS work FROM %1$s.jobs UNION ALL SELECT name FROM"
            + " %1$s.job_schedules UNION ALL SELECT trigger_name FROM qrtz_triggers ORDER BY work");
  }

  private PGSimpleDataSource unpooled() {
    PGSimpleDataSource unpooled = new PGSimpleDataSource();
    unpooled.setUrl(database.jdbcUrl());
    return unpooled;
  }

  private List<String> query(String sql) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql.formatted(database.schema()))) {
      List<String> texts = new ArrayList<>();
      while (row.next()) {
        texts.add(row.getString(1));
      }
      return texts;
    }
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
