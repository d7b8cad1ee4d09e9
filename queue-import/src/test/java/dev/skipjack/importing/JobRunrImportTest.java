package dev.skipjack.importing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.api.schedule.ScheduleState;
import dev.skipjack.api.schedule.Timing;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.jobrunr.jobs.Job;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.scheduling.JobScheduler;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jobrunr.utils.mapper.jackson.JacksonJsonMapper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.AutoSave;

/** Tests the import from tables that JobRunr itself has filled. */
@QueueTest
class JobRunrImportTest {

  private static final JobType<SendMailRequest> SEND_MAIL =
      JobType.of("send-mail", SendMailRequest.class);
  private static final Instant LATER = Instant.parse("2090-01-01T10:00:00Z");

  private QueueDatabase database;
  private JobQueue queue;
  private PostgresStorageProvider storage;
  private JobRequestScheduler requests;

  @BeforeEach
  void createTheTables(QueueDatabase database) throws SQLException {
    this.database = database;
    this.queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
    storage = new PostgresStorageProvider(database.dataSource());
    storage.setJobMapper(new JobMapper(new JacksonJsonMapper()));
    execute("TRUNCATE jobrunr_jobs, jobrunr_recurring_jobs, jobrunr_backgroundjobservers");
    requests = new JobRequestScheduler(storage);
  }

  @AfterEach
  void close() {
    storage.close();
  }

  private Importer importer() {
    return Importer.from(Source.jobRunr("jobrunr_")).into(queue).build();
  }

  private ImportReport run() throws SQLException {
    return importer().run(database.dataSource());
  }

  @Test
  void aJobKeepsItsRequestAndItsDueTime() throws SQLException {
    requests.schedule(LATER, new SendMailRequest(7, List.of("ada", "grace")));

    assertThat(run().jobs()).isEqualTo(1);

    assertThat(
            query(
                "SELECT concat_ws(' ', kind, scheduled_at = '2090-01-01T10:00:00Z', max_attempts,"
                    + " payload) FROM %s.jobs"))
        .containsExactly("send-mail t 11 {\"to\": [\"ada\", \"grace\"], \"number\": 7}");
    assertThat(query("SELECT id FROM jobrunr_jobs")).isEmpty();
  }

  @Test
  void anEnqueuedJobRunsInSkipjack() throws SQLException {
    requests.enqueue(new SendMailRequest(7, List.of("ada")));
    run();
    List<Integer> sent = new CopyOnWriteArrayList<>();
    try (Worker worker =
        Worker.on(queue)
            .handle(
                SEND_MAIL,
                (mail, context) -> {
                  sent.add(mail.number());
                  return Outcome.completed();
                })
            .queue("default", 1)
            .build()) {
      worker.runUntilIdle();
    }
    assertThat(sent).containsExactly(7);
  }

  @Test
  void aCallOfAMethodBecomesItsArguments() throws SQLException {
    new JobScheduler(storage).<MailService>schedule(LATER, service -> service.remind("ada", 3));

    run();

    assertThat(query("SELECT kind || ' ' || payload FROM %s.jobs"))
        .containsExactly("mail-service.remind [\"ada\", 3]");
  }

  @Test
  void aRecurringJobBecomesAScheduleAndItsNextRunLeavesWithIt() throws SQLException {
    requests.scheduleRecurrently(
        "DailyMail", "0 8 * * 1-5", ZoneId.of("Europe/Berlin"), new SendMailRequest(1, List.of()));
    // A server creates the job of the next run in advance.
    Timing timing = Timing.cron("0 8 * * 1-5").zone("Europe/Berlin");
    requests.schedule(timing.next(Instant.now()).orElseThrow(), new SendMailRequest(1, List.of()));
    execute("UPDATE jobrunr_jobs SET recurringjobid = 'DailyMail'");

    ImportReport report = run();

    assertThat(report.schedules()).isEqualTo(1);
    ScheduleState daily = queue.schedules().find("daily-mail").orElseThrow();
    assertThat(daily.timing()).isEqualTo(timing);
    assertThat(daily.kind()).isEqualTo("send-mail");
    assertThat(query("SELECT id FROM jobrunr_jobs")).isEmpty();
    assertThat(query("SELECT id FROM jobrunr_recurring_jobs")).isEmpty();
    assertThat(query("SELECT kind FROM %s.jobs")).isEmpty();
    assertThat(query("SELECT name FROM %s.job_schedules WHERE requested_at IS NOT NULL")).isEmpty();
  }

  @Test
  void aRecurringJobWhoseTimesMightChangeStays() throws SQLException {
    requests.scheduleRecurrently("passed", "0 * * * *", new SendMailRequest(1, List.of()));
    requests.schedule(LATER, new SendMailRequest(1, List.of()));
    execute("UPDATE jobrunr_jobs SET recurringjobid = 'passed', scheduledat = '2020-01-01'");
    requests.scheduleRecurrently("often", Duration.ofMinutes(5), new SendMailRequest(2, List.of()));
    requests.scheduleRecurrently("either", "0 0 1 * 1", new SendMailRequest(2, List.of()));

    ImportReport report = run();

    assertThat(report.moved()).isEmpty();
    assertThat(report.stayed())
        .extracting(ImportReport.Stayed::reason)
        .containsExactly(
            "its next time has passed: import it after it has fired, or declare a schedule",
            "next run of a recurring job: it leaves with that job, or delete it if that job is"
                + " gone",
            "recurring at '0 0 1 * 1', which may mean other times in a schedule: declare one",
            "recurring at 'PT5M', which may mean other times in a schedule: declare one");
    assertThat(query("SELECT id FROM jobrunr_recurring_jobs")).hasSize(3);
    assertThat(query("SELECT id FROM jobrunr_jobs")).hasSize(1);
  }

  @Test
  void aRecurringJobStaysWhileAServerMayCreateItsRuns() throws SQLException {
    requests.scheduleRecurrently("hourly", "0 * * * *", new SendMailRequest(1, List.of()));
    execute(
        "INSERT INTO jobrunr_backgroundjobservers SELECT"
            + " (jsonb_populate_record(NULL::jobrunr_backgroundjobservers, (SELECT"
            + " jsonb_object_agg(attname, CASE WHEN format_type(atttypid, NULL) LIKE 'timestamp%'"
            + " THEN '2026-01-01' ELSE '1' END) FROM pg_attribute WHERE attrelid ="
            + " 'jobrunr_backgroundjobservers'::regclass AND attnum > 0))).*");

    assertThat(run().stayed())
        .singleElement()
        .satisfies(
            stayed ->
                assertThat(stayed.reason())
                    .isEqualTo(
                        "recurring, and a server may be creating its next run: stop all servers"
                            + " first"));
  }

  @Test
  void aRecurringJobThatIsChangedDuringTheImportStays() throws SQLException {
    requests.scheduleRecurrently("daily", "0 8 * * *", new SendMailRequest(1, List.of()));
    AtomicBoolean changed = new AtomicBoolean();

    ImportReport report =
        importer()
            .run(
                InterferingDataSource.of(
                    database.dataSource(),
                    (number, session, others) -> {
                      if (!session.getAutoCommit() && changed.compareAndSet(false, true)) {
                        requests.scheduleRecurrently(
                            "daily", "0 9 * * *", new SendMailRequest(1, List.of()));
                      }
                    }));

    assertThat(report.schedules()).isZero();
    assertThat(report.stayed().get(0).reason())
        .isEqualTo("changed during the import: run it again");
    assertThat(query("SELECT id FROM jobrunr_recurring_jobs")).hasSize(1);
  }

  @Test
  void aRecurringJobThatWasRemovedHereAndCreatedAgainInJobRunrIsImportedAgain()
      throws SQLException {
    requests.scheduleRecurrently("daily", "0 8 * * *", new SendMailRequest(1, List.of()));
    run();
    queue.schedules().remove("daily");
    requests.scheduleRecurrently("daily", "0 9 * * *", new SendMailRequest(1, List.of()));

    ImportReport second = run();

    assertThat(second.schedules()).isEqualTo(1);
    assertThat(queue.schedules().find("daily").orElseThrow().timing())
        .isEqualTo(Timing.cron("0 9 * * *").zone(ZoneId.systemDefault()));
    assertThat(importer().undo(database.dataSource()).schedules()).isEqualTo(1);
    assertThat(query("SELECT id FROM jobrunr_recurring_jobs")).hasSize(1);
  }

  @Test
  void aRecurringJobThatCannotBeReadDoesNotStopTheOthers() throws SQLException {
    requests.scheduleRecurrently("a", "0 * * * *", new SendMailRequest(1, List.of("nul")));
    requests.scheduleRecurrently("b", "0 * * * *", new SendMailRequest(2, List.of()));
    execute(
        "UPDATE jobrunr_recurring_jobs SET jobasjson = replace(jobasjson, '\"nul\"',"
            + " '\"\\u0000\"')");
    requests.scheduleRecurrently("c", "0 * * * *", new SendMailRequest(3, List.of()));
    execute("UPDATE jobrunr_recurring_jobs SET jobasjson = '[' WHERE id = 'c'");

    ImportReport report = run();

    assertThat(report.schedules()).isEqualTo(1);
    assertThat(report.stayed())
        .extracting(ImportReport.Stayed::reason)
        .containsExactly("its document has another form", "data contains the character U+0000");
  }

  @Test
  void aLockedRowDoesNotStopTheOthers() throws SQLException {
    requests.schedule(LATER, new SendMailRequest(1, List.of()));
    requests.schedule(LATER, new SendMailRequest(2, List.of()));
    PGSimpleDataSource impatient = new PGSimpleDataSource();
    impatient.setUrl(database.jdbcUrl());
    impatient.setOptions("-c lock_timeout=100");
    ImportReport report;
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(
          "SELECT id FROM jobrunr_jobs WHERE jobasjson LIKE '%\"number\":1%' FOR UPDATE");

      report = importer().run(impatient);

      connection.rollback();
    }
    assertThat(report.jobs()).isEqualTo(1);
    assertThat(report.stayed().get(0).reason())
        .isEqualTo("locked by another transaction: run it again");
  }

  @Test
  void jobsThatCannotBeMovedStayAndAreListed() throws SQLException {
    for (String state : List.of("PROCESSING", "AWAITING", "SUCCEEDED", "SCHEDULED")) {
      requests.schedule(LATER, new SendMailRequest(1, List.of()));
      execute("UPDATE jobrunr_jobs SET state = '%s' WHERE state = 'SCHEDULED'".formatted(state));
    }
    execute("UPDATE jobrunr_jobs SET jobasjson = '{broken' WHERE state = 'SCHEDULED'");

    assertThat(run().stayed())
        .extracting(ImportReport.Stayed::reason)
        .containsExactly(
            "in state AWAITING: it waits for other jobs",
            "its document is not JSON",
            "running: it ends in JobRunr");
  }

  @Test
  void aJobThatAServerTakesMeanwhileStays() throws SQLException {
    requests.enqueue(new SendMailRequest(1, List.of()));
    requests.enqueue(new SendMailRequest(2, List.of()));

    ImportReport report =
        importer()
            .run(
                InterferingDataSource.changing(
                    database.dataSource(),
                    "UPDATE jobrunr_jobs SET version = 2, state = 'PROCESSING' WHERE"
                        + " jobasjson LIKE '%\"number\":1%' AND version = 1"));

    assertThat(report.jobs()).isEqualTo(1);
    assertThat(report.stayed().get(0).reason())
        .isEqualTo("changed during the import: run it again");
    assertThat(query("SELECT state FROM jobrunr_jobs")).containsExactly("PROCESSING");
  }

  @Test
  void nothingIsLostOrDoubledIfTheSessionIsKilledBeforeAnyStatement() throws SQLException {
    int statements = 1;
    List<String> all = IntStream.rangeClosed(1, 5).mapToObj(String::valueOf).toList();
    for (boolean killed = true; killed; statements++) {
      database.truncate();
      execute("TRUNCATE jobrunr_jobs, jobrunr_recurring_jobs");
      for (int number = 1; number <= 4; number++) {
        requests.enqueue(new SendMailRequest(number, List.of()));
      }
      requests.scheduleRecurrently("five", "0 8 * * *", new SendMailRequest(5, List.of()));
      PGSimpleDataSource unpooled = new PGSimpleDataSource();
      unpooled.setUrl(database.jdbcUrl());
      killed = isKilled(statements, unpooled);
      assertThat(allWork()).as("before statement %d", statements).isEqualTo(all);

      run();

      assertThat(allWork()).as("before statement %d", statements).isEqualTo(all);
      assertThat(
              query("SELECT id FROM jobrunr_jobs UNION ALL SELECT id FROM jobrunr_recurring_jobs"))
          .isEmpty();
    }
    assertThat(statements).isGreaterThan(4);
  }

  @Test
  void aFailedJobBecomesADeadOneWithItsLastError() throws SQLException {
    Job job = failed(7);
    storage.save(job);

    ImportReport report = run();

    assertThat(report.moved())
        .singleElement()
        .satisfies(moved -> assertThat(moved.jobs() + " " + moved.dead()).isEqualTo("1 1"));
    assertThat(
            query(
                "SELECT concat_ws(' ', kind, status, died_at IS NOT NULL, max_attempts, payload ->>"
                    + " 'number', last_error_class, last_error) FROM %s.jobs"))
        .containsExactly("send-mail dead t 11 7 java.lang.IllegalStateException no such ada");
    assertThat(query("SELECT id FROM jobrunr_jobs")).isEmpty();
    assertThat(importer().verify(database.dataSource()).isClean()).isTrue();
    long id = Long.parseLong(query("SELECT id::text FROM %s.jobs").get(0));
    assertThat(queue.admin().redrive(List.of(new JobId(id))))
        .containsExactly(new RedriveResult.Redriven());
    assertThat(importer().undo(database.dataSource()).jobs()).isZero();
  }

  @Test
  void aDeadJobReturnsIfTheDriverSetsSavepoints() throws SQLException {
    storage.save(failed(3));
    PGSimpleDataSource saving = new Sql(database).unpooled();
    saving.setAutosave(AutoSave.ALWAYS);

    assertThat(importer().run(saving).jobs()).isEqualTo(1);
    assertThat(importer().undo(saving).jobs()).isEqualTo(1);

    assertThat(query("SELECT state FROM jobrunr_jobs")).containsExactly("FAILED");
  }

  private Job failed(int number) {
    Job job = storage.getJobById(requests.enqueue(new SendMailRequest(number, List.of())));
    job.failed("failed", new IllegalStateException("no such ada"));
    return job;
  }

  @Test
  void jobsThatHaveNotStartedAreInTheSourceAgainByteForByte() throws SQLException {
    requests.schedule(LATER, new SendMailRequest(1, List.of("ada")));
    requests.enqueue(new SendMailRequest(2, List.of("\"gräce\"")));
    storage.save(failed(3));
    requests.scheduleRecurrently("daily", "0 8 * * 1-5", new SendMailRequest(4, List.of()));
    requests.schedule(
        Timing.cron("0 8 * * 1-5").zone(ZoneId.systemDefault()).next(Instant.now()).orElseThrow(),
        new SendMailRequest(4, List.of()));
    execute(
        "UPDATE jobrunr_jobs SET recurringjobid = 'daily' WHERE jobasjson LIKE '%\"number\":4%'");
    Sql sql = new Sql(database);
    List<String> before = sql.rows("jobrunr_jobs", "jobrunr_recurring_jobs");

    assertThat(run().rowsThatStay())
        .isEqualTo(1); // the next run, which leaves with its recurring job
    assertThat(sql.rows("jobrunr_jobs", "jobrunr_recurring_jobs")).isEmpty();
    ImportReport undone = importer().undo(database.dataSource());

    assertThat(undone.jobs()).isEqualTo(3);
    assertThat(undone.schedules()).isEqualTo(1);
    assertThat(undone.stayed()).isEmpty();
    assertThat(sql.rows("jobrunr_jobs", "jobrunr_recurring_jobs")).isEqualTo(before);
    assertThat(
            query(
                "SELECT kind FROM %s.jobs UNION ALL SELECT name FROM %s.job_schedules"
                    .replace("%s", database.schema())))
        .isEmpty();
  }

  private boolean isKilled(int statement, PGSimpleDataSource dataSource) {
    try {
      importer().run(InterferingDataSource.killed(statement, dataSource));
      return false;
    } catch (SQLException | RuntimeException killed) {
      return true;
    }
  }

  private List<String> allWork() throws SQLException {
    return query(
        """
        SELECT payload ->> 'number' AS work FROM %1$s.jobs
         UNION ALL SELECT payload ->> 'number' FROM %1$s.job_schedules
         UNION ALL SELECT jobasjson::jsonb #>> '{jobDetails,jobParameters,0,object,number}' FROM jobrunr_jobs
         UNION ALL SELECT jobasjson::jsonb #>> '{jobDetails,jobParameters,0,object,number}' FROM jobrunr_recurring_jobs
         ORDER BY work
        """);
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
