package dev.skipjack.importing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.serializer.JacksonSerializer;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.TaskDescriptor;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.PlainScheduleAndData;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.github.kagkarlsson.scheduler.task.schedule.FixedDelay;
import com.github.kagkarlsson.scheduler.task.schedule.Schedules;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.faults.FaultyDataSource;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Tests the import from a table that db-scheduler itself has filled and is using. */
@QueueTest
class DbSchedulerImportTest {

  record Invoice(int number) {}

  record Legacy(int number) implements Serializable {
    private static final long serialVersionUID = 1L;
  }

  /** An object that an attacker put into the table. */
  static final class Hostile implements Serializable {
    private static final long serialVersionUID = 1L;
    static volatile boolean created;

    private void readObject(ObjectInputStream stream) throws IOException, ClassNotFoundException {
      created = true;
      stream.defaultReadObject();
    }
  }

  private static final TaskDescriptor<Invoice> SEND =
      TaskDescriptor.of("sendInvoice", Invoice.class);
  private static final JobType<Invoice> SEND_INVOICE = JobType.of("send-invoice", Invoice.class);
  private static final Instant NEXT_MONTH = Instant.parse("2100-01-01T10:00:00Z");

  private final Map<Integer, Integer> runs = new ConcurrentHashMap<>();
  private QueueDatabase database;
  private JobQueue queue;
  private OneTimeTask<Invoice> task;
  private SchedulerClient client;

  @BeforeEach
  void createTheTable(QueueDatabase database) throws SQLException {
    this.database = database;
    this.queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
    DbSchedulerTable.create(database);
    this.task =
        Tasks.oneTime(SEND)
            .execute(
                (instance, context) -> runs.merge(instance.getData().number(), 1, Integer::sum));
    this.client = client(new JacksonSerializer(), task);
  }

  private SchedulerClient client(
      Serializer serializer, com.github.kagkarlsson.scheduler.task.Task<?> task) {
    return SchedulerClient.Builder.create(database.dataSource(), task)
        .serializer(serializer)
        .enablePriority()
        .build();
  }

  private void schedule(int number, Instant due) {
    client.scheduleIfNotExists(
        SEND.instance("invoice-" + number).data(new Invoice(number)).priority(90).scheduledTo(due));
  }

  private Importer.Builder importer() {
    return Importer.from(Source.dbScheduler("scheduled_tasks")).into(queue);
  }

  private Importer importsAll() {
    return importer().build();
  }

  @Test
  void aPlanShowsWhatWouldHappenAndChangesNothing() throws SQLException {
    schedule(1, NEXT_MONTH);
    schedule(2, NEXT_MONTH.plusSeconds(60));
    List<String> before = sourceRows();

    ImportReport plan = importsAll().plan(database.dataSource());

    assertThat(plan.moved())
        .containsExactly(
            new ImportReport.Moved(
                "sendInvoice", "send-invoice", 2, 0, 0, NEXT_MONTH, NEXT_MONTH.plusSeconds(60)));
    assertThat(plan.samples())
        .first()
        .isEqualTo(
            new ImportReport.Sample(
                "sendInvoice/invoice-1/2100-01-01T10:00:00Z",
                "send-invoice",
                NEXT_MONTH,
                "{\"number\":1}"));
    assertThat(sourceRows()).isEqualTo(before);
    assertThat(jobs("count(*)")).containsExactly("0");
  }

  @Test
  void aJobKeepsItsDueTimePriorityPayloadAndUsedAttempts() throws SQLException {
    schedule(1, NEXT_MONTH);
    execute("UPDATE scheduled_tasks SET consecutive_failures = 3");

    ImportReport report =
        importer().queue("billing").maxAttempts(10).build().run(database.dataSource());

    assertThat(report.jobs()).isEqualTo(1);
    assertThat(report.stayed()).isEmpty();
    assertThat(sourceRows()).isEmpty();
    assertThat(
            jobs(
                "concat_ws(' ', kind, queue, payload, scheduled_at = '2100-01-01T10:00:00Z',"
                    + " priority, max_attempts, headers)"))
        .containsExactly(
            "send-invoice billing {\"number\": 1} t 40 7 {\"imported-from\":"
                + " \"db-scheduler/sendInvoice/invoice-1/2100-01-01T10:00:00Z\"}");
    assertThat(runAll()).isZero();
  }

  @Test
  void aTaskThatIsScheduledAgainUnderItsIdAfterAnImportIsImportedToo() throws SQLException {
    schedule(1, NEXT_MONTH);
    importsAll().run(database.dataSource());
    schedule(1, NEXT_MONTH.plusSeconds(1));

    assertThat(importsAll().run(database.dataSource()).jobs()).isEqualTo(1);
    assertThat(jobs("count(*)")).containsExactly("2");
  }

  @Test
  void theSameRowIsNotImportedTwice() throws SQLException {
    schedule(1, NEXT_MONTH);
    importsAll().run(database.dataSource());
    schedule(1, NEXT_MONTH);
    schedule(2, NEXT_MONTH);

    ImportReport report = importsAll().run(database.dataSource());

    assertThat(report.jobs()).isEqualTo(1);
    assertThat(report.stayed())
        .singleElement()
        .satisfies(stayed -> assertThat(stayed.reason()).isEqualTo("imported before"));
    assertThat(sourceRows()).hasSize(1);
  }

  @Test
  void rowsWhoseIdsReadTheSameAreDifferent() throws SQLException {
    insert("t", "{}");
    insert("t/a", "{}");
    execute(
        "UPDATE scheduled_tasks SET task_instance = CASE task_name WHEN 't' THEN 'a/b' ELSE 'b'"
            + " END");

    ImportReport report =
        importer().kind("t/a", "same").kind("t", "same").build().run(database.dataSource());

    assertThat(report.jobs()).isEqualTo(2);
  }

  @Test
  void aTypeGivesItsJobsItsQueuePriorityAndAttempts() throws SQLException {
    insert("sendInvoice", "{\"number\": 1}");
    JobType<Invoice> type = SEND_INVOICE.onQueue("billing").priority(7).maxAttempts(4);

    importer().type("sendInvoice", type).build().run(database.dataSource());

    assertThat(jobs("concat_ws(' ', queue, priority, max_attempts)"))
        .containsExactly("billing 7 4");
  }

  @Test
  void aRowWhoseUniqueKeyIsTakenStays() throws SQLException {
    schedule(1, NEXT_MONTH);
    Importer unique = importer().unique().build();
    unique.run(database.dataSource());
    schedule(1, NEXT_MONTH.plusSeconds(1));
    schedule(2, NEXT_MONTH);

    ImportReport report = unique.run(database.dataSource());

    assertThat(report.jobs()).isEqualTo(1);
    assertThat(report.stayed().get(0).reason()).isEqualTo("another live job has its unique key");
    assertThat(jobs("unique_label")).containsExactly("invoice-1", "invoice-2");
    assertThat(sourceRows()).hasSize(1);
  }

  @Test
  void rowsThatCannotBeMovedStayAndAreListed() throws SQLException {
    schedule(1, NEXT_MONTH);
    client(
            Serializer.DEFAULT_JAVA_SERIALIZER,
            Tasks.oneTime("legacy", Legacy.class).execute((a, b) -> {}))
        .scheduleIfNotExists(
            TaskDescriptor.of("legacy", Legacy.class)
                .instance("old")
                .data(new Legacy(1))
                .scheduledTo(NEXT_MONTH));
    var cleanup = Tasks.recurring("cleanup", FixedDelay.ofHours(1)).execute((a, b) -> {});
    Scheduler starting = Scheduler.create(database.dataSource(), task).startTasks(cleanup).build();
    starting.start();
    starting.stop();
    var perTenant =
        Tasks.recurringWithPersistentSchedule("report", PlainScheduleAndData.class)
            .execute((a, b) -> {});
    for (Serializer serializer :
        List.of(new JacksonSerializer(), Serializer.DEFAULT_JAVA_SERIALIZER)) {
      client(serializer, perTenant)
          .scheduleIfNotExists(
              perTenant.schedulableInstance(
                  serializer.getClass().getSimpleName(),
                  new PlainScheduleAndData(Schedules.cron("0 0 3 * * *"))));
    }
    insert("text", "not JSON");
    insert("nul", "{\"a\":\"\\u0000\"}");
    insert("two", "{} {}");
    insert("null", "null");
    insert("large", "\"" + "a".repeat(270_000) + "\"");
    insert("largest", "\"" + "a".repeat(1_100_000) + "\"");
    insert("number", "{\"a\": 1e999}");
    insert("x".repeat(64), "{}");

    ImportReport report = importsAll().run(database.dataSource());

    assertThat(report.moved()).extracting(ImportReport.Moved::name).containsExactly("sendInvoice");
    String recurring =
        "recurring: declare a schedule, remove the task from the code, and delete the row";
    assertThat(report.stayed())
        .extracting(stayed -> "%s %s: %s".formatted(stayed.rows(), stayed.name(), stayed.reason()))
        .containsExactly(
            "1 cleanup: " + recurring,
            "1 large: data is larger than 256 KiB",
            "1 largest: data is larger than 1 MiB",
            "1 legacy: data in Java serialization"
                + " (dev.skipjack.importing.DbSchedulerImportTest$Legacy): import it in the"
                + " application, with SerializedPayload",
            "1 nul: data contains the character U+0000",
            "1 null: data is empty or null",
            "1 number: ERROR: Payload holds a number that has, written out, more than 309 digits"
                + " before its point or 1000 behind it.",
            "2 report: " + recurring,
            "1 text: data is not JSON",
            "1 two: data is not JSON",
            "1 " + "x".repeat(64) + ": its name cannot be a kind: choose one");
    assertThat(sourceRows()).hasSize(12);
  }

  @Test
  void namesThatWouldGetTheSameKindStayUntilTheyAreMapped() throws SQLException {
    insert("send_it", "{}");
    insert("sendIt", "{}");
    insert("send-it", "{}");

    assertThat(importsAll().run(database.dataSource()).stayed())
        .singleElement()
        .satisfies(
            stayed ->
                assertThat(stayed.name() + ": " + stayed.reason())
                    .isEqualTo(
                        "sendIt: kind 'send-it' is that of 'send-it': choose a kind for each"));
    assertThat(importer().kind("sendIt", "send-now").build().run(database.dataSource()).jobs())
        .isEqualTo(1);
    assertThat(jobs("kind")).containsExactlyInAnyOrder("send_it", "send-it", "send-now");
  }

  @Test
  void onlyTheNamedTasksAreImported() throws SQLException {
    insert("first", "{}");
    insert("second", "{}");

    ImportReport report = importer().only(List.of("second")).build().run(database.dataSource());

    assertThat(report.moved()).extracting(ImportReport.Moved::name).containsExactly("second");
    assertThat(report.stayed()).isEmpty();
    assertThat(sourceRows()).hasSize(1);
  }

  @Test
  void serializedDataIsConvertedToJsonInTheApplication() throws SQLException {
    SchedulerClient old =
        client(
            Serializer.DEFAULT_JAVA_SERIALIZER,
            Tasks.oneTime("sendInvoice", Legacy.class).execute((a, b) -> {}));
    old.scheduleIfNotExists(
        TaskDescriptor.of("sendInvoice", Legacy.class)
            .instance("old")
            .data(new Legacy(7))
            .scheduledTo(Instant.now()));

    Importer importer =
        importer()
            .type("sendInvoice", SEND_INVOICE)
            .payload("sendInvoice", SerializedPayload.of(queue.codec(), Legacy.class))
            .build();

    assertThat(importer.run(database.dataSource()).stayed()).isEmpty();
    assertThat(runAll()).isEqualTo(1);
    assertThat(runs).containsOnly(Map.entry(7, 1));
  }

  @Test
  void hostileSerializedDataIsNotInstantiated() throws SQLException {
    SchedulerClient old =
        client(
            Serializer.DEFAULT_JAVA_SERIALIZER,
            Tasks.oneTime("sendInvoice", Hostile.class).execute((a, b) -> {}));
    old.scheduleIfNotExists(
        TaskDescriptor.of("sendInvoice", Hostile.class)
            .instance("bad")
            .data(new Hostile())
            .scheduledTo(NEXT_MONTH));

    ImportReport report =
        importer()
            .payload("sendInvoice", SerializedPayload.of(queue.codec(), Legacy.class))
            .build()
            .run(database.dataSource());

    assertThat(report.stayed().get(0).reason()).contains("the filter refused a class");
    assertThat(Hostile.created).isFalse();
  }

  @Test
  void aPayloadThatDoesNotDecodeAsItsTypeStays() throws SQLException {
    insert("sendInvoice", "{\"number\": \"many\"}");

    ImportReport report =
        importer().type("sendInvoice", SEND_INVOICE).build().run(database.dataSource());

    assertThat(report.jobs()).isZero();
    assertThat(report.stayed().get(0).reason()).startsWith("data cannot be read: ");
  }

  @Test
  @SuppressWarnings("NullAway") // what an application without nullness checks may return
  void aReaderThatReturnsNullLeavesOnlyItsOwnRows() throws SQLException {
    insert("sendInvoice", "{}");
    insert("remind", "{}");

    ImportReport report =
        importer().payload("sendInvoice", data -> null).build().run(database.dataSource());

    assertThat(report.jobs()).isEqualTo(1);
    assertThat(report.stayed().get(0).reason()).contains("the reader returned null");
  }

  @Test
  void aJobThatIsRunningEndsInItsScheduler() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    OneTimeTask<Invoice> slow =
        Tasks.oneTime(SEND)
            .execute(
                (instance, context) -> {
                  started.countDown();
                  await(release);
                  runs.merge(instance.getData().number(), 1, Integer::sum);
                });
    schedule(1, Instant.now());
    Scheduler scheduler = scheduler(slow);
    try {
      scheduler.start();
      await(started);
      schedule(2, NEXT_MONTH);

      ImportReport report = importsAll().run(database.dataSource());

      assertThat(report.jobs()).isEqualTo(1);
      assertThat(report.stayed().get(0).reason()).startsWith("picked: it ends in db-scheduler");
    } finally {
      release.countDown();
      scheduler.stop();
    }
    assertThat(runs).containsOnly(Map.entry(1, 1));
    assertThat(sourceRows()).isEmpty();
  }

  @Test
  void aRowThatAWorkerPicksMeanwhileStays() throws SQLException {
    schedule(1, NEXT_MONTH);
    schedule(2, NEXT_MONTH);
    schedule(3, NEXT_MONTH);
    DataSource picking =
        InterferingDataSource.changing(
            database.dataSource(),
            "UPDATE scheduled_tasks SET picked = true, version = 2 WHERE task_instance ="
                + " 'invoice-1'",
            "UPDATE scheduled_tasks SET version = 2 WHERE task_instance = 'invoice-2' AND"
                + " version = 1");

    ImportReport report = importsAll().run(picking);

    assertThat(report.jobs()).isEqualTo(1);
    assertThat(report.stayed())
        .singleElement()
        .satisfies(
            stayed ->
                assertThat(stayed.rows() + " " + stayed.reason())
                    .isEqualTo("2 changed during the import: run it again"));
    assertThat(sourceRows()).hasSize(2);
    assertThat(importsAll().run(database.dataSource()).jobs()).isEqualTo(1);
  }

  @Test
  void eachJobRunsOnceWhileSchedulersWorkAndTwoImportsRunAtOnce() throws Exception {
    int jobs = 300;
    IntStream.rangeClosed(1, jobs).forEach(number -> schedule(number, Instant.now()));
    ExecutorService threads = Executors.newFixedThreadPool(2);
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    Scheduler scheduler =
        scheduler(
            Tasks.oneTime(SEND)
                .execute(
                    (instance, context) -> {
                      started.countDown();
                      await(release);
                      runs.merge(instance.getData().number(), 1, Integer::sum);
                    }));
    try {
      Callable<ImportReport> run = () -> importsAll().run(database.dataSource());
      scheduler.start();
      await(started);
      List<Future<ImportReport>> imports = threads.invokeAll(List.of(run, run));
      long moved = 0;
      for (Future<ImportReport> done : imports) {
        moved += done.get(1, TimeUnit.MINUTES).jobs();
      }
      assertThat(moved).isPositive();
    } finally {
      release.countDown();
      scheduler.stop();
      threads.shutdownNow();
    }
    // Tasks that the scheduler had picked but not started when it stopped are due again.
    importsAll().run(database.dataSource());
    runAll();

    assertThat(runs).hasSize(jobs).allSatisfy((number, times) -> assertThat(times).isEqualTo(1));
    assertThat(sourceRows()).isEmpty();
  }

  @Test
  void nothingIsLostOrDoubledIfTheSessionIsKilledBeforeAnyStatement() throws SQLException {
    int statements = 1;
    for (boolean killed = true; killed; statements++) {
      database.truncate();
      execute("TRUNCATE scheduled_tasks");
      // More than one batch, and a row that stays.
      execute(
          "INSERT INTO scheduled_tasks (task_name, task_instance, task_data, execution_time,"
              + " picked, version) SELECT 'sendInvoice', n::text, format('{\"number\":%s}',"
              + " n)::bytea, now(), n = 7, 1 FROM generate_series(1, 131) AS n");
      killed = isKilled(InterferingDataSource.killed(statements, unpooled()));
      assertThat(jobsAndRows()).as("before statement %d", statements).isEqualTo(everyOnce(131));

      importsAll().run(database.dataSource());

      assertThat(jobsAndRows()).as("before statement %d", statements).isEqualTo(everyOnce(131));
      assertThat(sourceRows()).as("before statement %d", statements).hasSize(1);
    }
    assertThat(statements).isGreaterThan(4);
  }

  @Test
  void nothingIsLostOrDoubledIfTheReplyToACommitIsLost() throws SQLException {
    IntStream.rangeClosed(1, 120).forEach(number -> schedule(number, NEXT_MONTH));
    FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
    faulty.cutAfterCommit(1);

    assertThatThrownBy(() -> importsAll().run(faulty)).isInstanceOf(SQLException.class);
    assertThat(jobs("count(*)")).containsExactly("100");
    importsAll().run(faulty);

    assertThat(jobs("count(*)")).containsExactly("120");
    assertThat(sourceRows()).isEmpty();
  }

  @Test
  void aTableOfAnotherShapeIsRefused() throws SQLException {
    execute("ALTER TABLE scheduled_tasks DROP COLUMN version");
    assertThatThrownBy(() -> importsAll().plan(database.dataSource()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "Table 'scheduled_tasks' lacks the columns [version], so it belongs to another version"
                + " or another program.");
    assertThatThrownBy(
            () ->
                Importer.from(Source.dbScheduler("jobs_of_old"))
                    .into(queue)
                    .build()
                    .plan(database.dataSource()))
        .hasMessage(
            "There is no table 'jobs_of_old' in this database. Name it with its schema, for example"
                + " app.jobs_of_old.");
    assertThatThrownBy(() -> Source.dbScheduler("jobs; DROP TABLE jobs"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aTableWithoutPrioritiesIsImported() throws SQLException {
    schedule(1, NEXT_MONTH);
    execute("ALTER TABLE scheduled_tasks DROP COLUMN priority");

    assertThat(importsAll().run(database.dataSource()).jobs()).isEqualTo(1);
    assertThat(jobs("priority")).containsExactly("0");
  }

  private Scheduler scheduler(OneTimeTask<Invoice> task) {
    return Scheduler.create(database.dataSource(), task)
        .serializer(new JacksonSerializer())
        .threads(4)
        .pollingInterval(Duration.ofMillis(20))
        .build();
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Runs the due jobs with a worker and returns the number of attempts. */
  private int runAll() {
    try (Worker worker =
        Worker.on(queue)
            .handle(
                SEND_INVOICE,
                (invoice, context) -> {
                  runs.merge(invoice.number(), 1, Integer::sum);
                  return Outcome.completed();
                })
            .queue("default", 4)
            .build()) {
      return worker.runUntilIdle();
    }
  }

  private boolean isKilled(DataSource dataSource) {
    try {
      importsAll().run(dataSource);
      return false;
    } catch (SQLException killed) {
      return true;
    }
  }

  private DataSource unpooled() {
    PGSimpleDataSource unpooled = new PGSimpleDataSource();
    unpooled.setUrl(database.jdbcUrl());
    return unpooled;
  }

  /** Returns the numbers of the jobs and of the rows that wait in the source, in order. */
  private List<String> jobsAndRows() throws SQLException {
    return query(
        "SELECT n::text FROM (SELECT (payload ->> 'number')::int AS n FROM %s.jobs UNION ALL SELECT task_instance::int FROM scheduled_tasks) AS work ORDER BY work.n"
            .formatted(database.schema()));
  }

  private static List<String> everyOnce(int last) {
    return IntStream.rangeClosed(1, last).mapToObj(String::valueOf).toList();
  }

  private List<String> jobs(String columns) throws SQLException {
    return query("SELECT %s FROM %s.jobs ORDER BY 1".formatted(columns, database.schema()));
  }

  private List<String> sourceRows() throws SQLException {
    return query("SELECT scheduled_tasks::text FROM scheduled_tasks ORDER BY 1");
  }

  private List<String> query(String sql) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      List<String> texts = new ArrayList<>();
      while (row.next()) {
        texts.add(row.getString(1));
      }
      return texts;
    }
  }

  private void insert(String task, String data) throws SQLException {
    try (Connection connection = database.connection();
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO scheduled_tasks (task_name, task_instance, task_data, execution_time,"
                    + " picked, version) VALUES (?, '1', ?, '2100-01-01', false, 1)")) {
      insert.setString(1, task);
      insert.setBytes(2, data.getBytes(StandardCharsets.UTF_8));
      insert.executeUpdate();
    }
  }

  private void execute(String... sql) throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      for (String one : sql) {
        statement.execute(one);
      }
    }
  }
}
