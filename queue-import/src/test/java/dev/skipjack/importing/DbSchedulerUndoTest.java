package dev.skipjack.importing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.serializer.JacksonSerializer;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.TaskDescriptor;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.faults.FaultyDataSource;
import dev.skipjack.migrations.Roles;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.AutoSave;

/**
 * Tests the return of rows to a table that db-scheduler itself has filled, and the comparison with
 * the jobs.
 */
@QueueTest
class DbSchedulerUndoTest {

  record Invoice(int number) {}

  private static final TaskDescriptor<Invoice> SEND =
      TaskDescriptor.of("sendInvoice", Invoice.class);
  private static final JobType<Invoice> SEND_INVOICE = JobType.of("send-invoice", Invoice.class);
  private static final Instant NEXT_MONTH = Instant.parse("2090-01-01T10:00:00.123456Z");

  private final Map<Integer, Integer> runs = new ConcurrentHashMap<>();
  private QueueDatabase database;
  private Sql sql;
  private JobQueue queue;
  private SchedulerClient client;

  @BeforeEach
  void createTheTable(QueueDatabase database) throws SQLException {
    this.database = database;
    this.sql = new Sql(database);
    this.queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
    DbSchedulerTable.create(database);
    this.client = client(new JacksonSerializer());
  }

  private SchedulerClient client(Serializer serializer) {
    return SchedulerClient.Builder.create(
            database.dataSource(), Tasks.oneTime(SEND).execute((instance, context) -> {}))
        .serializer(serializer)
        .enablePriority()
        .build();
  }

  private void schedule(int number, Instant due) {
    client.scheduleIfNotExists(
        SEND.instance("" + number).data(new Invoice(number)).priority(90).scheduledTo(due));
  }

  private Importer.Builder importer() {
    return Importer.from(Source.dbScheduler("scheduled_tasks")).into(queue);
  }

  private ImportReport run() throws SQLException {
    return importer().build().run(database.dataSource());
  }

  private ImportReport undo() throws SQLException {
    return importer().build().undo(database.dataSource());
  }

  private ImportCheck verify() throws SQLException {
    return importer().build().verify(database.dataSource());
  }

  private List<String> sourceRows() throws SQLException {
    return sql.rows("scheduled_tasks");
  }

  @Test
  void jobsThatHaveNotStartedAreInTheSourceAgainByteForByte() throws SQLException {
    schedule(1, NEXT_MONTH);
    schedule(2, Instant.now());
    client.scheduleIfNotExists(
        SEND.instance("\"quoted\\\" {ä}\n\t,").data(new Invoice(3)).scheduledTo(NEXT_MONTH));
    sql.execute(
        "INSERT INTO scheduled_tasks SELECT 'x', repeat('long', 200), decode('0022275c5cff',"
            + " 'hex'), '2090-01-01 10:00:00.000001+05', false, 'a host', now(), now(), 7, now(),"
            + " 9223372036854775807, -3",
        "INSERT INTO scheduled_tasks VALUES ('x', 'none', NULL, 'now', false, NULL, NULL, NULL,"
            + " NULL, NULL, 1, NULL)");
    List<String> before = sourceRows();
    Importer importer = importer().payload("x", data -> "{}").build();
    assertThat(importer.run(database.dataSource()).jobs()).isEqualTo(5);
    assertThat(sourceRows()).isEmpty();

    ImportReport undone = undo();

    assertThat(undone.jobs()).isEqualTo(5);
    assertThat(undone.stayed()).isEmpty();
    assertThat(sourceRows()).isEqualTo(before);
    assertThat(sql.query("SELECT id FROM %s.jobs")).isEmpty();
    assertThat(sql.query("SELECT id FROM %s.job_imports")).isEmpty();
    assertThat(undo().jobs()).isZero();
    // Imports and returns once more.
    assertThat(importer.run(database.dataSource()).jobs()).isEqualTo(5);
    assertThat(undo().jobs()).isEqualTo(5);
    assertThat(sourceRows()).isEqualTo(before);
  }

  @Test
  void jobsThatHaveStartedEndedOrChangedStay() throws SQLException {
    for (int number = 1; number <= 4; number++) {
      schedule(number, number < 3 ? Instant.now() : NEXT_MONTH);
    }
    run();
    runAll(1);
    sql.execute("UPDATE %s.jobs SET payload = '{\"number\": 33}' WHERE payload ->> 'number' = '3'");

    ImportReport undone = undo();

    assertThat(undone.jobs()).isEqualTo(1);
    assertThat(undone.stayed())
        .extracting(stayed -> stayed.rows() + " " + stayed.reason())
        .containsExactly(
            "1 has ended, or was removed here",
            "2 has started, or was changed here: it stays here");
    assertThat(sql.query("SELECT task_instance FROM scheduled_tasks")).containsExactly("4");
    assertThat(sql.query("SELECT payload ->> 'number' FROM %s.jobs ORDER BY 1"))
        .containsExactly("2", "33");
  }

  @Test
  void aStartedJobStaysEvenIfTheTransactionIdOfTheImportIsUsedAgain() throws SQLException {
    schedule(1, NEXT_MONTH);
    run();
    sql.execute(
        "UPDATE %s.jobs SET attempts = 1, uncounted_attempts = 1",
        "UPDATE %s.job_imports SET imported_by = (SELECT xmin FROM %s.jobs)");

    assertThat(undo().jobs()).isZero();
    assertThat(verify().days().get(0).changed()).isEqualTo(1);
    assertThat(sql.query("SELECT attempts FROM %s.jobs")).containsExactly("1");
  }

  @Test
  void onlyTheNamedTasksAreReturned() throws SQLException {
    schedule(1, NEXT_MONTH);
    sql.execute(
        "INSERT INTO scheduled_tasks VALUES ('other', '1', '{}', '2090-01-01', false, NULL, NULL,"
            + " NULL, 0, NULL, 1, 50)");
    run();

    importer().only(List.of("other")).build().undo(database.dataSource());

    assertThat(sql.query("SELECT task_name FROM scheduled_tasks")).containsExactly("other");
    assertThat(sql.query("SELECT kind FROM %s.jobs")).containsExactly("send-invoice");
  }

  @Test
  void aJobWhoseIdIsInUseAgainInTheSourceStays() throws SQLException {
    schedule(1, NEXT_MONTH);
    schedule(2, NEXT_MONTH);
    run();
    schedule(1, NEXT_MONTH.plusSeconds(1));

    ImportReport undone = undo();

    assertThat(undone.jobs()).isEqualTo(1);
    assertThat(undone.stayed().get(0).reason()).contains("duplicate key", "scheduled_tasks_pkey");
    assertThat(sql.query("SELECT payload ->> 'number' FROM %s.jobs")).containsExactly("1");
    assertThat(sourceRows()).hasSize(2);
  }

  @Test
  void aSourceOfAnotherShapeTakesNothingBackAndLosesNothing() throws SQLException {
    schedule(1, NEXT_MONTH);
    run();
    sql.execute("ALTER TABLE scheduled_tasks ADD COLUMN tenant text NOT NULL");

    assertThat(undo().stayed().get(0).reason()).contains("tenant");
    assertThat(sql.query("SELECT payload ->> 'number' FROM %s.jobs")).containsExactly("1");
  }

  @Test
  void aJobStaysIfTheSourceDiscardsItsRow() throws SQLException {
    schedule(1, NEXT_MONTH);
    schedule(2, NEXT_MONTH);
    run();
    sql.execute(
        "CREATE FUNCTION discard() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN IF NEW.task_instance"
            + " = ''1'' THEN RETURN NULL; END IF; RETURN NEW; END'",
        "CREATE TRIGGER discard BEFORE INSERT ON scheduled_tasks FOR EACH ROW EXECUTE FUNCTION"
            + " discard()");
    try {
      ImportReport undone = undo();

      assertThat(undone.jobs()).isEqualTo(1);
      assertThat(undone.stayed().get(0).reason()).contains("scheduled_tasks did not take its row");
      assertThat(jobsAndRows()).containsExactly("1", "2");
      assertThat(sql.query("SELECT id FROM %s.job_imports")).hasSize(1);
    } finally {
      sql.execute("DROP FUNCTION discard CASCADE");
    }
  }

  @Test
  void nothingIsLostIfTheCopyIsDeletedBeforeAnyStatement() throws SQLException {
    PGSimpleDataSource other = sql.unpooled();
    other.setOptions("-c lock_timeout=100");
    for (int victim = 1; victim <= 8; victim++) {
      database.truncate();
      sql.execute("TRUNCATE scheduled_tasks");
      schedule(1, NEXT_MONTH);
      run();
      int statement = victim;
      AtomicInteger changes = new AtomicInteger();
      DataSource interfering =
          InterferingDataSource.of(
              database.dataSource(),
              (number, session, others) -> {
                if (!session.getAutoCommit() && changes.incrementAndGet() == statement) {
                  deleteCopies(other);
                }
              });

      importer().build().undo(interfering);

      assertThat(jobsAndRows()).as("before statement %d", victim).containsExactly("1");
    }
  }

  private void deleteCopies(DataSource other) throws SQLException {
    try (Connection connection = other.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("DELETE FROM %s.job_imports".formatted(database.schema()));
    } catch (SQLException locked) {
      assertThat(locked.getSQLState()).isEqualTo("55P03");
    }
  }

  @Test
  void aColumnThatTheSourceHasGotSinceHasItsDefault() throws SQLException {
    schedule(1, NEXT_MONTH);
    run();
    sql.execute("ALTER TABLE scheduled_tasks ADD COLUMN tenant text NOT NULL DEFAULT 'a'");
    schedule(2, NEXT_MONTH);
    run();

    assertThat(undo().jobs()).isEqualTo(2);
    assertThat(sql.query("SELECT tenant FROM scheduled_tasks")).containsExactly("a", "a");
  }

  @Test
  void aRowStaysIfTheSourceHasNoColumnForOneOfItsValues() throws SQLException {
    schedule(1, NEXT_MONTH);
    schedule(2, NEXT_MONTH);
    sql.execute("UPDATE scheduled_tasks SET priority = NULL WHERE task_instance = '2'");
    run();
    sql.execute("ALTER TABLE scheduled_tasks DROP COLUMN priority");

    ImportReport undone = undo();

    assertThat(undone.jobs()).isEqualTo(1);
    assertThat(undone.stayed().get(0).reason())
        .isEqualTo(
            "scheduled_tasks has no column 'priority' any more, and the row had a value there");
    assertThat(sql.query("SELECT task_instance FROM scheduled_tasks")).containsExactly("2");
    assertThat(sql.query("SELECT payload ->> 'number' FROM %s.jobs")).containsExactly("1");
  }

  @Test
  void aSourceMayHaveAColumnThatIsCalledSource() throws SQLException {
    schedule(1, NEXT_MONTH);
    sql.execute("ALTER TABLE scheduled_tasks ADD COLUMN source text NOT NULL DEFAULT 'shop'");
    List<String> before = sourceRows();
    run();

    undo();

    assertThat(sourceRows()).isEqualTo(before);
  }

  @Test
  void aJobThatAWorkerIsClaimingStays() throws Exception {
    schedule(1, NEXT_MONTH);
    run();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    Future<ImportReport> undoing;
    try (Connection claiming = database.connection();
        Statement statement = claiming.createStatement()) {
      claiming.setAutoCommit(false);
      statement.execute(
          "UPDATE %s.jobs SET attempts = 1, uncounted_attempts = 1".formatted(database.schema()));
      undoing = thread.submit(this::undo);
      sql.awaitBlockedSession();
      claiming.commit();
      assertThat(undoing.get(1, TimeUnit.MINUTES).jobs()).isZero();
    } finally {
      thread.shutdownNow();
    }
    assertThat(sourceRows()).isEmpty();
    assertThat(sql.query("SELECT attempts FROM %s.jobs")).containsExactly("1");
  }

  @Test
  void eachJobHasOneOwnerWhileAWorkerRunsAndTwoUndoAtOnce() throws Exception {
    int jobs = 400;
    IntStream.rangeClosed(1, jobs).forEach(number -> schedule(number, Instant.now()));
    run();
    ExecutorService threads = Executors.newFixedThreadPool(3);
    try {
      Callable<Long> undo = () -> undo().jobs();
      Callable<Long> work = () -> (long) runAll(4);
      for (Future<Long> done : threads.invokeAll(List.of(work, undo, undo))) {
        done.get(1, TimeUnit.MINUTES);
      }
    } finally {
      threads.shutdownNow();
    }

    List<String> returned = sql.query("SELECT task_instance FROM scheduled_tasks");
    assertThat(returned).noneMatch(number -> runs.containsKey(Integer.valueOf(number)));
    // The second job is still here if it has failed.
    assertThat(returned.size() + runs.size() + sql.query("SELECT id FROM %s.jobs").size())
        .isEqualTo(jobs);
  }

  @Test
  void nothingIsLostOrDoubledIfTheSessionIsKilledBeforeAnyStatement() throws SQLException {
    List<String> every = IntStream.rangeClosed(1, 131).mapToObj(String::valueOf).toList();
    int statements = 1;
    for (boolean killed = true; killed; statements++) {
      database.truncate();
      sql.execute(
          "TRUNCATE scheduled_tasks",
          // More than one batch.
          "INSERT INTO scheduled_tasks (task_name, task_instance, task_data, execution_time,"
              + " picked, version) SELECT 'sendInvoice', n::text, format('{\"number\":%1$s}',"
              + " n)::bytea, now(), false, 1 FROM generate_series(1, 131) AS n");
      List<String> before = sourceRows();
      run();

      killed = isKilled(InterferingDataSource.killed(statements, sql.unpooled()));

      assertThat(jobsAndRows()).as("before statement %d", statements).isEqualTo(every);
      undo();
      assertThat(sourceRows()).as("before statement %d", statements).isEqualTo(before);
      assertThat(sql.query("SELECT id FROM %s.jobs")).isEmpty();
    }
    assertThat(statements).isGreaterThan(10);
  }

  private boolean isKilled(DataSource dataSource) {
    try {
      importer().build().undo(dataSource);
      return false;
    } catch (SQLException killed) {
      return true;
    }
  }

  @Test
  void nothingIsDoubledIfTheReplyToACommitIsLost() throws SQLException {
    IntStream.rangeClosed(1, 120).forEach(number -> schedule(number, NEXT_MONTH));
    List<String> before = sourceRows();
    run();
    FaultyDataSource faulty = new FaultyDataSource(database.dataSource());
    faulty.cutAfterCommit(1);

    assertThatThrownBy(() -> importer().build().undo(faulty)).isInstanceOf(SQLException.class);
    assertThat(sourceRows()).hasSize(100);
    undo();

    assertThat(sourceRows()).isEqualTo(before);
  }

  @Test
  void aUserWithTheRolesOfProducerAndWorkerImportsAndReturns() throws SQLException {
    String prefix = "i" + sql.query("SELECT left(md5(current_database()), 12)").get(0);
    String user = prefix + "_user";
    schedule(1, NEXT_MONTH);
    List<String> before = sourceRows();
    sql.execute(
        "DROP TABLE IF EXISTS %s.job_imports",
        Roles.sql(database.schema(), prefix),
        "CREATE ROLE %1$s; GRANT %2$s_producer, %2$s_worker TO %1$s".formatted(user, prefix),
        "GRANT SELECT, INSERT, DELETE ON scheduled_tasks TO " + user);
    PGSimpleDataSource limited = sql.unpooled();
    limited.setOptions("-c role=" + user);
    JobQueue asUser = JobQueue.builder(limited).schema(database.schema()).build();
    Importer importer = Importer.from(Source.dbScheduler("scheduled_tasks")).into(asUser).build();
    try {
      assertThat(importer.plan(limited).jobs()).isEqualTo(1);
      assertThatThrownBy(() -> importer.run(limited))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContainingAll(
              "Let the owner of the other tables run: CREATE TABLE",
              "GRANT SELECT, INSERT, DELETE");

      sql.execute(
          new Copies(queue).definition(),
          "GRANT SELECT, INSERT, DELETE ON %s.job_imports TO " + user);

      assertThat(importer.run(limited).jobs()).isEqualTo(1);
      assertThat(importer.verify(limited).isClean()).isTrue();
      assertThat(importer.undo(limited).jobs()).isEqualTo(1);
      assertThat(sourceRows()).isEqualTo(before);
    } finally {
      for (String role :
          List.of("user", "sql_producer", "producer", "worker", "operator", "viewer")) {
        sql.execute("DROP OWNED BY %1$s_%2$s; DROP ROLE %1$s_%2$s".formatted(prefix, role));
      }
    }
  }

  @Test
  void theTableOfCopiesBelongsToTheOwnerOfTheJobs() throws SQLException {
    String prefix = "o" + sql.query("SELECT left(md5(current_database()), 12)").get(0);
    String owner = prefix + "_owner";
    schedule(1, NEXT_MONTH);
    sql.execute(
        "DROP TABLE IF EXISTS %s.job_imports",
        "CREATE ROLE " + owner,
        "GRANT CREATE ON SCHEMA %s TO " + owner,
        "ALTER TABLE %s.jobs OWNER TO " + owner);
    try {
      // As a superuser.
      assertThat(run().jobs()).isEqualTo(1);

      assertThat(
              sql.query(
                  "SELECT pg_get_userbyid(relowner) FROM pg_class WHERE oid ="
                      + " '%s.job_imports'::regclass"))
          .containsExactly(owner);
      assertThat(undo().jobs()).isEqualTo(1);

      String importing = prefix + "_user";
      sql.execute(
          "DROP TABLE %s.job_imports",
          "CREATE ROLE " + importing,
          "GRANT CREATE, USAGE ON SCHEMA %s TO " + importing,
          "GRANT SELECT, INSERT, DELETE ON scheduled_tasks TO " + importing);
      PGSimpleDataSource limited = sql.unpooled();
      limited.setOptions("-c role=" + importing);
      assertThatThrownBy(() -> importer().build().run(limited))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("Let the owner of the other tables run: CREATE TABLE");
    } finally {
      sql.execute("ALTER TABLE %s.jobs OWNER TO current_user");
      for (String role : List.of("owner", "user")) {
        sql.execute(
            "DO $$ BEGIN IF to_regrole('%1$s') IS NOT NULL THEN DROP OWNED BY %1$s; DROP ROLE %1$s; END IF; END $$"
                .formatted(prefix + "_" + role));
      }
    }
  }

  @Test
  void aDriverThatSetsSavepointsImportsAndReturns() throws SQLException {
    PGSimpleDataSource saving = sql.unpooled();
    saving.setAutosave(AutoSave.ALWAYS);
    Importer importer = importer().unique().build();
    schedule(1, NEXT_MONTH);
    schedule(2, NEXT_MONTH);
    List<String> before = sourceRows();

    assertThat(importer.run(saving).stayed()).isEmpty();
    schedule(2, NEXT_MONTH.plusSeconds(1));
    assertThat(importer.run(saving).stayed().get(0).reason())
        .isEqualTo("another live job has its unique key");
    client.cancel(SEND.instanceId("2"));

    assertThat(verify().days().get(0).waiting()).isEqualTo(2);
    assertThat(importer.undo(saving).jobs()).isEqualTo(2);
    assertThat(sourceRows()).isEqualTo(before);
  }

  @Test
  void aPlanIsKeptWhileOnlyTheRowsChange() throws SQLException {
    schedule(1, NEXT_MONTH);
    String plan = importer().build().plan(database.dataSource()).plan();
    schedule(2, NEXT_MONTH);
    Importer planned = importer().plan(plan).build();

    assertThat(planned.run(database.dataSource()).jobs()).isEqualTo(2);
    // After an interruption, no row with the name may be left, and later some may exist again.
    assertThat(planned.run(database.dataSource()).jobs()).isZero();
    schedule(3, NEXT_MONTH);
    assertThat(planned.run(database.dataSource()).jobs()).isEqualTo(1);
    sql.execute("DELETE FROM %s.job_imports");
    assertThat(planned.plan(database.dataSource()).plan()).isNotEqualTo(plan);
  }

  @Test
  void aRunIsRefusedIfTheSourceIsNotThatOfThePlan() throws SQLException {
    schedule(1, NEXT_MONTH);
    String plan = importer().build().plan(database.dataSource()).plan();

    assertRefused(importer().kind("sendInvoice", "other").plan(plan), "'sendInvoice'");
    assertRefused(importer().queue("other").plan(plan), "or the settings");
    sql.execute(
        "INSERT INTO scheduled_tasks VALUES ('new', '1', '{}', '2090-01-01', false, NULL, NULL,"
            + " NULL, 0, NULL, 1, 50)");
    assertRefused(importer().plan(plan), "does not have 'new'");
    sql.execute(
        "DELETE FROM scheduled_tasks WHERE task_name = 'new'",
        "ALTER TABLE scheduled_tasks ADD COLUMN state text");
    assertRefused(importer().plan(plan), "The tables of the source");
    assertThat(sourceRows()).hasSize(1);
    assertThatThrownBy(() -> importer().plan("yes"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("'yes' is not the hash of a plan. Copy it from the output of plan.");
  }

  @Test
  void aPlanNamesTheTableAndNotItsSpelling() throws SQLException {
    schedule(1, NEXT_MONTH);
    String plan = importer().build().plan(database.dataSource()).plan();
    sql.execute(
        "DROP TABLE IF EXISTS other_tasks", "CREATE TABLE other_tasks (LIKE scheduled_tasks)");

    assertRefused(
        Importer.from(Source.dbScheduler("other_tasks")).into(queue).plan(plan),
        "The tables of the source");
    assertThat(
            Importer.from(Source.dbScheduler("public.Scheduled_Tasks"))
                .into(queue)
                .plan(plan)
                .build()
                .run(database.dataSource())
                .jobs())
        .isEqualTo(1);
  }

  private void assertRefused(Importer.Builder importer, String reason) {
    assertThatThrownBy(() -> importer.build().run(database.dataSource()))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void aNameThatWasImportedKeepsItsKindFromOthers() throws SQLException {
    sql.execute(
        "INSERT INTO scheduled_tasks SELECT name, '1', '{}', '2090-01-01', false, NULL, NULL, NULL,"
            + " 0, NULL, 1, 50 FROM unnest('{send-it,sendIt}'::text[]) AS name");
    run();

    assertThat(run().stayed().get(0).reason())
        .isEqualTo("kind 'send-it' is that of 'send-it': choose a kind for each");
  }

  @Test
  void aNameKeepsItsKindFromOthersThatAreImportedLater() throws SQLException {
    sql.execute(
        "INSERT INTO scheduled_tasks SELECT name, '1', '{}', '2090-01-01', false, NULL, NULL, NULL,"
            + " 0, NULL, 1, 50 FROM unnest('{send-it,sendIt}'::text[]) AS name");
    importer().only(List.of("send-it")).build().run(database.dataSource());

    ImportReport second = importer().only(List.of("sendIt")).build().run(database.dataSource());

    assertThat(second.jobs()).isZero();
    assertThat(second.stayed().get(0).reason()).startsWith("kind 'send-it' is that of 'send-it'");
  }

  @Test
  void jobsAreComparedWithTheirRowsByKindAndDay() throws SQLException {
    LocalDate day = LocalDate.parse("2090-01-01");
    for (int number = 1; number <= 3; number++) {
      schedule(number, NEXT_MONTH);
    }
    schedule(4, NEXT_MONTH.plusSeconds(86_400));
    run();

    ImportCheck clean = verify();

    assertThat(clean.isClean()).isTrue();
    assertThat(clean.days())
        .containsExactly(
            new ImportCheck.Day("send-invoice", day, 3, 3, 0, 0, 0, 0),
            new ImportCheck.Day("send-invoice", day.plusDays(1), 1, 1, 0, 0, 0, 0));

    sql.execute(
        "DELETE FROM %s.jobs WHERE payload ->> 'number' = '1'",
        "UPDATE %s.jobs SET scheduled_at = now() WHERE payload ->> 'number' = '2'");
    runAll(1);
    sql.execute("UPDATE %s.jobs SET priority = 1 WHERE payload ->> 'number' = '3'");
    // Changes the due time as a wrong conversion would.
    sql.execute(
        "WITH moved AS (UPDATE %s.jobs SET scheduled_at = '2090-01-02 11:00:00Z' WHERE payload ->>"
            + " 'number' = '4' RETURNING id) UPDATE %s.job_imports SET imported_by ="
            + " pg_current_xact_id()::xid FROM moved WHERE job_id = moved.id");

    ImportCheck check = verify();

    assertThat(check.isClean()).isFalse();
    assertThat(check.days())
        .containsExactly(
            new ImportCheck.Day("send-invoice", day, 3, 0, 2, 0, 1, 0),
            new ImportCheck.Day("send-invoice", day.plusDays(1), 1, 1, 0, 0, 0, 1));
  }

  /** A statement on all copies of a large import can exceed the time limit of a session. */
  @Test
  void eachStatementOfAComparisonReadsAtMostTenThousandCopies() throws SQLException {
    schedule(1, NEXT_MONTH);
    run();
    int few = statements(1);
    sql.execute(
        "INSERT INTO %s.job_imports (source, source_id, name, kind, job_id, imported_by,"
            + " source_rows) SELECT source, 'copy ' || number, name, kind, job_id, imported_by,"
            + " source_rows FROM %s.job_imports CROSS JOIN generate_series(2, 20001) AS number");

    int many = statements(20_001);

    // Twice, one more for jobs and one more for schedules.
    assertThat(many - few).isEqualTo(4);
  }

  /** Returns the number of statements that compare the copies. */
  private int statements(long copies) throws SQLException {
    AtomicInteger statements = new AtomicInteger();
    ImportCheck check =
        importer()
            .build()
            .verify(
                InterferingDataSource.of(
                    database.dataSource(),
                    (number, session, others) -> statements.incrementAndGet()));
    assertThat(check.days())
        .containsExactly(
            new ImportCheck.Day(
                "send-invoice", LocalDate.parse("2090-01-01"), copies, copies, 0, 0, 0, 0));
    return statements.get();
  }

  @Test
  void anOverdueJobIsNotMisplaced() throws SQLException {
    schedule(1, Instant.now().minusSeconds(100_000));
    schedule(3, Instant.now());
    run();
    assertThat(verify().isClean()).isTrue();
    runAll(1);

    assertThat(verify().isClean()).isTrue();
    assertThat(verify().days().stream().mapToLong(ImportCheck.Day::ended).sum()).isEqualTo(2);
  }

  /** Runs the due jobs with a worker. The second job fails. */
  private int runAll(int slots) {
    try (Worker worker =
        Worker.on(queue)
            .handle(
                SEND_INVOICE,
                (invoice, context) -> {
                  if (invoice.number() == 2) {
                    throw new IllegalStateException("out of paper");
                  }
                  runs.merge(invoice.number(), 1, Integer::sum);
                  return Outcome.completed();
                })
            .queue("default", slots)
            .build()) {
      return worker.runUntilIdle();
    }
  }

  /** Returns the numbers of the jobs and of the rows that wait in the source, in order. */
  private List<String> jobsAndRows() throws SQLException {
    return sql.query(
        "SELECT n::text FROM (SELECT (payload ->> 'number')::int AS n FROM %s.jobs UNION ALL SELECT"
            + " task_instance::int FROM scheduled_tasks) AS work ORDER BY work.n");
  }
}
