package dev.skipjack.store.jooq;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.OrderingPolicy;
import dev.skipjack.api.Retention;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.BlockedKey;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.DeadJobs;
import dev.skipjack.api.operations.EditResult;
import dev.skipjack.api.operations.Finding;
import dev.skipjack.api.operations.GroupSettings;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.operations.JobEdit;
import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobOperations;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobReader;
import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.operations.PruneResult;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.api.operations.SkipResult;
import dev.skipjack.api.schedule.Overlap;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.Schedules;
import dev.skipjack.api.schedule.Timing;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.Postponed;
import dev.skipjack.api.spi.Postponed.Reason;
import dev.skipjack.api.spi.Pruned;
import dev.skipjack.api.spi.ScheduleStore;
import dev.skipjack.api.spi.UnhandledKind;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.api.spi.WakeUps;
import dev.skipjack.api.spi.WorkerRow;
import dev.skipjack.migrations.Roles;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests what each role of the script may do, and what none of them may do. */
@QueueTest
class RolesTest {

  private static final List<String> ROLES =
      List.of("sql_producer", "producer", "worker", "operator", "viewer");

  private Fixture fixture;
  private String prefix;

  @BeforeEach
  void createRoles(QueueDatabase database) {
    fixture = new Fixture(database);
    // Roles belong to the server, and other test JVMs may use the same one.
    prefix = "r" + fixture.value("SELECT left(md5(current_database()), 12)");
    fixture.execute(Roles.sql(database.schema(), prefix));
    fixture.execute(Roles.sql(database.schema(), prefix)); // may be run again
  }

  @AfterEach
  void dropRoles() {
    for (String role : ROLES) {
      fixture.execute("DROP OWNED BY %1$s_%2$s; DROP ROLE %1$s_%2$s".formatted(prefix, role));
    }
  }

  @Test
  void aProducerInSqlEnqueues() throws SQLException {
    as(
        "sql_producer",
        (queue, pool) ->
            execute(pool, "SELECT @enqueue('work', '{\"number\": 1}', unique_key => 'k')"));

    assertThat(fixture.claim(1)).hasSize(1);
  }

  @Test
  void aProducerInJavaEnqueuesInEveryWay() throws SQLException {
    as(
        "producer",
        (queue, pool) -> {
          EveryStatement.ofAProducer(queue, pool);
          EveryStatement.ofAProducer(queue, pool); // some keys are known now
          execute(pool, "SELECT @enqueue('work', '{}')");
        });

    assertThat(fixture.claim(20)).hasSize(19);
  }

  /** A producer may not write the audit, so it cannot start jobs directly. */
  @Test
  void producerStartsNoJobAndTriesOnlyOnce() throws SQLException {
    DirectStartTest.Slots worker = new DirectStartTest.Slots();
    as(
        "producer",
        (queue, pool) -> {
          queue.localWorkers().orElseThrow().add(worker);
          queue.enqueue(Fixture.WORK, new Fixture.Work(1));
          queue.enqueue(Fixture.WORK, new Fixture.Work(2));
        });

    assertThat(worker.freed).containsExactly(false);
    assertThat(worker.started).isEmpty();
    assertThat(fixture.claim(3)).hasSize(2);
  }

  @Test
  void aTransactionOfAProducerIsUsableAfterTheRejection() throws SQLException {
    DirectStartTest.Slots worker = new DirectStartTest.Slots();
    as(
        "producer",
        (queue, pool) -> {
          queue.localWorkers().orElseThrow().add(worker);
          FollowedTransaction followed = queue.follow();
          try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            queue.in(connection, followed).enqueue(Fixture.WORK, new Fixture.Work(1));
            followed.beforeCommit(connection);
            connection.commit();
            followed.committed(connection);
          }
          worker.freed.clear();
          queue.enqueue(Fixture.WORK, new Fixture.Work(2));
          assertThat(worker.freed).as("a direct start that was tried by itself").hasSize(1);
        });

    assertThat(fixture.claim(3)).hasSize(2);
  }

  /** A producer may not promote its jobs, so it wakes a worker to do so. */
  @Test
  void aProducersOrderedJobsWaitForAWorkerAndRunInOrder() throws SQLException {
    try (WakeUps.Subscription heard = fixture.queue.wakeUps().orElseThrow().subscribe()) {
      as(
          "producer",
          (queue, pool) ->
              queue.enqueueAll(
                  Fixture.WORK,
                  List.of(new Fixture.Work(1), new Fixture.Work(2)),
                  job -> job.orderingKey("k").strictOrdering()));
      assertThat(heard.await(Duration.ofSeconds(10)))
          .containsExactly(new WakeUp(new Lane("default", 0), "work", "k"));
    }
    as(
        "worker",
        (queue, pool) -> {
          queue.orderedJobs().orElseThrow().promote(List.of("k"));
          EveryStatement.ofOrderedJobs(fixture.queue, pool);
          assertThat(queue.orderedJobs().orElseThrow().sweep().promoted()).isEmpty();
        });
    assertThat(fixture.claim(20)).hasSize(1);
  }

  @Test
  void aWorkerRunsJobsPrunesAndCreatesPartitionsThatAreMissing() throws SQLException {
    EveryStatement.ofAProducer(fixture.queue, fixture.database.dataSource());
    fixture.execute("INSERT INTO @job_keys VALUES ('over', 1, now() - interval '1 hour')");
    kill(2);
    fixture
        .queue
        .admin()
        .configure("default", QueueSettings.defaults().deadRetention(Duration.ZERO));
    fixture.queue.enqueue(JobType.of("unhandled", String.class).onQueue("q"), "payload");
    dropPartitions();
    as(
        "worker",
        (queue, pool) -> {
          EveryStatement.ofAWorker(queue, pool);
          WorkerId worker = WorkerId.boot("w");
          WorkerRow row = new WorkerRow(worker, null, 1, List.of("q"), List.of(), "{}");
          queue.workers().announce(row);
          assertThat(queue.workers().unhandledKinds(row))
              .contains(new UnhandledKind("q", "unhandled", false));
          queue.workers().remove(worker);
          assertThat(queue.maintenance().prune()).isEqualTo(new Pruned(1, 2, false));
          assertThat(queue.maintenance().createPartitions(Duration.ofDays(14)).missingFrom())
              .isEmpty();
        });
  }

  /** The owner of the tables removes history (docs/adr/0020). */
  @Test
  void aWorkerRemovesNoHistory() throws SQLException {
    fixture.execute("SELECT @create_partition('jobs_archive', '2024-03-04 00:00+00')");
    as(
        "worker",
        (queue, pool) ->
            assertThat(queue.maintenance().removePartitions(Retention.defaults()).postponed())
                .containsExactly(new Postponed("jobs_archive_20240304", Reason.FORBIDDEN)));

    assertThat(fixture.queue.maintenance().removePartitions(Retention.defaults()).removed())
        .containsExactly("jobs_archive_20240304");
  }

  @Test
  void anOperatorCancelsRedrivesEditsPrunesPausesAndReads() throws SQLException {
    JobId waiting =
        fixture.queue.enqueue(Fixture.WORK, new Fixture.Work(1), job -> job.priority(9));
    List<JobId> dead = kill(3);
    as(
        "operator",
        (queue, pool) -> {
          QueueAdmin admin = queue.admin();
          JobOperations operations = queue.operations();
          long operation =
              operations
                  .start(
                      operations.preview(OperationAction.PRUNE, JobQuery.live().queue("another")),
                      "anna")
                  .id();
          JobQuery another = JobQuery.live().queue("another");
          String patch = "{\"number\": 1}";
          assertThat(operations.preview(OperationAction.EDIT, another, patch).changes()).isEmpty();
          assertThat(operations.stop(operation)).isTrue();
          assertThat(operations.run(operation, step -> {}).state())
              .isEqualTo(JobOperation.State.FINISHED);
          JobEdit edit = JobEdit.nothing().priority(3).payload(new Fixture.Work(2));
          assertThat(admin.edit(waiting, edit)).isEqualTo(EditResult.EDITED);
          assertThat(admin.cancel(List.of(waiting))).containsExactly(CancelResult.CANCELLED);
          assertThat(admin.redrive(dead.subList(0, 1)).get(0))
              .isInstanceOf(RedriveResult.Redriven.class);
          assertThat(admin.prune(dead.subList(1, 2))).containsExactly(PruneResult.PRUNED);
          assertThat(admin.pruneAll(DeadJobs.all(), Duration.ZERO)).isEqualTo(1);
          admin.pause("mail", Duration.ofHours(1));
          admin.pause("mail");
          admin.resume("mail");
          admin.configure("mail", QueueSettings.defaults().defaultPriority(1));
          assertThat(admin.settings("mail")).isPresent();
          admin.limit("stripe", Limit.none().running(1));
          assertThat(admin.declareLimit("stripe", Limit.none())).isFalse();
          admin.configure("mail", QueueSettings.defaults().limitedBy("stripe"));
          admin.configureGroup("mail", "a", GroupSettings.defaults().maxRunning(1));
          admin.pauseGroup("mail", "a");
          admin.resumeGroup("mail", "a");
          admin.configure("mail", QueueSettings.defaults());
          assertThat(admin.removeLimit("stripe")).isTrue();
          assertThat(queue.reader().find(waiting)).isPresent();
          read(queue.reader());
          assertThat(queue.doctor().run())
              .filteredOn(finding -> finding.level() == Finding.Level.NOT_CHECKED)
              .extracting(Finding::check)
              .isSubsetOf("vacuum-horizon");
        });
  }

  @Test
  void anOperatorSkipsHeadsOfOrderingKeysInJavaAndInSql() throws SQLException {
    fixture.queue.enqueueAll(
        Fixture.WORK,
        Collections.nCopies(4, new Fixture.Work(1)),
        job -> job.orderingKey("k").delay(Duration.ofHours(1)));
    as(
        "operator",
        (queue, pool) -> {
          assertThat(queue.admin().skipHead("k")).isEqualTo(SkipResult.SKIPPED);
          execute(pool, "SELECT @skip_head('k')");
          execute(pool, "SELECT @unblock('k')");
          execute(pool, "SELECT * FROM @blocked_keys()");
        });
    as("viewer", (queue, pool) -> execute(pool, "SELECT * FROM @blocked_keys()"));
  }

  /** Without the rights to promote, the role would silently leave the promotion to a sweep. */
  @Test
  void everyCommandOfAnOperatorOnAHeadPromotesTheNextJob() throws SQLException {
    List<JobId> jobs = enqueueOrdered(6, OrderingPolicy.BLOCK);
    as(
        "operator",
        (queue, pool) -> {
          QueueAdmin admin = queue.admin();
          JobEdit edit = JobEdit.nothing().payload(new Fixture.Work(2));
          assertThat(admin.edit(jobs.get(1), edit)).isEqualTo(EditResult.EDITED);
          assertThat(admin.cancel(jobs.subList(0, 1))).containsExactly(CancelResult.CANCELLED);
          assertThat(head()).isEqualTo(jobs.get(1) + " pending");
          assertThat(admin.skipHead("k", jobs.get(1))).isEqualTo(SkipResult.SKIPPED);
          assertThat(head()).isEqualTo(jobs.get(2) + " pending");
          killHead(fixture.queue);
          assertThat(admin.redrive(jobs.subList(2, 3)))
              .containsExactly(new RedriveResult.Redriven());
          assertThat(head()).isEqualTo(jobs.get(2) + " pending");
          killHead(fixture.queue);
          assertThat(admin.prune(jobs.subList(2, 3))).containsExactly(PruneResult.PRUNED);
          assertThat(head()).isEqualTo(jobs.get(3) + " pending");
          killHead(fixture.queue);
          assertThat(admin.unblock("k", jobs.get(3))).isTrue();
          assertThat(head()).isEqualTo(jobs.get(4) + " pending");
        });
    killHead(fixture.queue);
    as(
        "viewer",
        (queue, pool) ->
            assertThat(queue.reader().blockedKeys())
                .extracting(BlockedKey::head)
                .containsExactly(jobs.get(4)));
  }

  @Test
  void workerPromotesTheNextJobAtEveryEndOfAHead() throws SQLException {
    List<JobId> skipping = enqueueOrdered(4, OrderingPolicy.SKIP);
    List<JobId> parking = enqueueOrdered(3, OrderingPolicy.PARK);
    as(
        "worker",
        (queue, pool) -> {
          killHead(queue);
          assertThat(head()).isEqualTo(skipping.get(1) + " pending");
          queue.store().complete(List.of(claimHead(queue, Fixture.LEASE)));
          assertThat(head()).isEqualTo(skipping.get(2) + " pending");
          claimHead(queue, Fixture.EXPIRED);
          assertThat(queue.store().rescue(Duration.ZERO, 10)).hasSize(1);
          assertThat(head()).isEqualTo(skipping.get(2) + " pending");
          queue.store().complete(List.of(claimHead(queue, Fixture.LEASE)));
          queue.store().complete(List.of(claimHead(queue, Fixture.LEASE)));
          assertThat(head()).isEqualTo(parking.get(0) + " pending");
          killHead(queue);
        });
    assertThat(head()).isEqualTo("(no row)");
    assertThat(fixture.value("SELECT count(*) FROM @jobs WHERE status = 'dead'")).isEqualTo("4");
  }

  @Test
  void anOrderedJobOfAProducersScheduleIsPromotedByAWorker() throws SQLException {
    Schedule sync =
        Schedule.every(Duration.ofHours(1))
            .named("sync")
            .enqueueFrom(
                Fixture.WORK.orderedBy(work -> "k").strictOrdering(), fire -> new Fixture.Work(1));
    as(
        "producer",
        (queue, pool) -> {
          queue.schedules().declare(sync);
          queue.schedules().fireNow("sync");
          assertThat(queue.scheduleStore().orElseThrow().fireDue(List.of(sync)).fired()).hasSize(1);
          execute(
              pool, "SELECT @enqueue('work', '{}', ordering_key => 'k', strict_ordering => true)");
        });
    assertThat(head()).isEqualTo("(no row)");
    as(
        "worker",
        (queue, pool) ->
            assertThat(queue.orderedJobs().orElseThrow().sweep().promoted()).hasSize(1));
    assertThat(head()).endsWith(" pending");
  }

  private List<JobId> enqueueOrdered(int count, OrderingPolicy policy) {
    return fixture.queue.enqueueAll(
        Fixture.WORK.orderingPolicy(policy),
        Collections.nCopies(count, new Fixture.Work(1)),
        job -> job.orderingKey("k"));
  }

  private String head() {
    return fixture.value("SELECT id || ' ' || status FROM @jobs WHERE ordering_head");
  }

  private static Execution claimHead(JobQueue queue, Duration lease) {
    return queue
        .store()
        .claim(Fixture.request(1, lease, new Lane("default", 0)))
        .get(0)
        .execution();
  }

  private static void killHead(JobQueue queue) {
    Execution head = claimHead(queue, Fixture.LEASE);
    queue.store().fail(List.of(new Failure(head, JobError.of("no"), Duration.ZERO, true)));
  }

  @Test
  void aProducerDeclaresAndFiresSchedulesAndAnOperatorChangesThem() throws SQLException {
    Schedule sync =
        Schedule.every(Duration.ofHours(1))
            .named("sync")
            .enqueue(Fixture.WORK, new Fixture.Work(1));
    as(
        "producer",
        (queue, pool) -> {
          queue.schedules().declare(sync);
          queue.schedules().fireNow("sync");
          ScheduleStore store = queue.scheduleStore().orElseThrow();
          assertThat(store.fireDue(List.of(sync)).fired()).hasSize(1);
          assertThat(store.recalculate()).isEmpty();
          assertThat(store.undeclared()).isEmpty();
          store.touch(List.of(sync));
        });
    as(
        "operator",
        (queue, pool) -> {
          Schedules schedules = queue.schedules();
          assertThat(schedules.pause("sync")).isTrue();
          assertThat(schedules.resume("sync")).isTrue();
          assertThat(schedules.change("sync", Timing.cron("0 1 * * *"))).isTrue();
          assertThat(schedules.fireNow("sync")).isTrue();
          assertThat(schedules.list()).hasSize(1);
          assertThat(schedules.retire("sync")).isTrue();
        });
  }

  @Test
  void aServiceWithTheRolesOfWorkerAndProducerCancelsThePreviousJobOfASchedule()
      throws SQLException {
    Schedule sync =
        Schedule.every(Duration.ofHours(1))
            .named("sync")
            .enqueue(Fixture.WORK, new Fixture.Work(1))
            .overlap(Overlap.CANCEL_PREVIOUS);
    fixture.execute(
        "CREATE ROLE %1$s_service IN ROLE %1$s_worker, %1$s_producer".formatted(prefix));
    try {
      as(
          "service",
          (queue, pool) -> {
            queue.schedules().declare(sync);
            JobId first = fireNow(queue);
            JobId second = fireNow(queue);

            JobReader reader = fixture.queue.reader();
            assertThat(reader.find(first).orElseThrow().summary().status())
                .isEqualTo(JobStatus.CANCELLED);
            assertThat(reader.find(second).orElseThrow().summary().status())
                .isEqualTo(JobStatus.PENDING);
          });
    } finally {
      fixture.execute("DROP ROLE %s_service".formatted(prefix));
    }
  }

  private static JobId fireNow(JobQueue queue) {
    queue.schedules().fireNow("sync");
    ScheduleStore.Round round = queue.scheduleStore().orElseThrow().fireDue(List.of());
    assertThat(round.failed()).isEmpty();
    assertThat(round.fired()).hasSize(1);
    return requireNonNull(round.fired().get(0).job());
  }

  @Test
  void viewerReadsJobsHistoryAndSchedulesWithoutPayloads() throws SQLException {
    JobId job = fixture.queue.enqueue(Fixture.WORK, new Fixture.Work(1), it -> it.tags("a"));
    kill(1);
    fixture
        .queue
        .schedules()
        .add(
            Schedule.every(Duration.ofDays(1))
                .named("daily")
                .enqueue(Fixture.WORK, new Fixture.Work(1)));
    as(
        "viewer",
        (queue, pool) -> {
          read(queue.reader());
          assertThat(queue.doctor().run())
              .filteredOn(finding -> finding.level() == Finding.Level.NOT_CHECKED)
              .extracting(Finding::check)
              .isSubsetOf("vacuum-horizon");
          JobDetails visible = queue.reader().findWithoutPayload(job).orElseThrow();
          assertThat(visible.payload()).isNull();
          assertThat(visible.summary().status()).isEqualTo(JobStatus.DEAD);
          assertThat(visible.executions())
              .singleElement()
              .satisfies(attempt -> assertThat(requireNonNull(attempt.error()).stack()).isNull());
          assertThat(queue.schedules().listWithoutPayloads())
              .containsExactly(queue.schedules().findWithoutPayload("daily").orElseThrow());
          assertThatThrownBy(() -> queue.schedules().find("daily"))
              .isInstanceOfSatisfying(
                  StoreException.class, e -> assertThat(e.sqlState()).contains("42501"));
          // This method reads the payload too.
          assertThatThrownBy(() -> queue.reader().find(job))
              .isInstanceOfSatisfying(
                  StoreException.class, e -> assertThat(e.sqlState()).contains("42501"));
        });
  }

  static Stream<Arguments> statementsOfOthers() {
    return Stream.of(
            forbidden(
                ROLES,
                "CREATE TABLE @mine (id int)",
                "CREATE FUNCTION @mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
                "SELECT * FROM @skipjack_schema_history",
                "DELETE FROM @skipjack_schema_history",
                "TRUNCATE @jobs",
                "DROP TABLE @jobs",
                "ALTER TABLE @jobs_archive DETACH PARTITION @jobs_archive_today",
                "CREATE TRIGGER t BEFORE INSERT ON @jobs FOR EACH ROW EXECUTE FUNCTION"
                    + " suppress_redundant_updates_trigger()",
                "UPDATE @jobs SET id = 1",
                "UPDATE @jobs SET kind = 'other'",
                "UPDATE @jobs SET created_at = now()",
                "UPDATE @job_executions SET job_id = 1",
                "UPDATE @job_executions SET attempt = 1",
                "UPDATE @job_executions SET started_at = now()",
                "UPDATE @job_executions SET worker_id = 'other'",
                "UPDATE @jobs_archive SET payload = '{}'",
                "DELETE FROM @job_executions",
                "DELETE FROM @jobs_archive",
                "TRUNCATE @job_schedules",
                "SELECT setval('@jobs_id_seq', 1)"),
            forbidden(
                List.of("sql_producer", "producer", "worker", "viewer"),
                "SELECT @unblock('k')",
                "SELECT @skip_head('k')",
                "SELECT @merge_patch('{}', '{}')"),
            forbidden(
                List.of("sql_producer", "producer", "worker"), "SELECT * FROM @blocked_keys()"),
            forbidden(
                List.of("sql_producer"),
                "INSERT INTO @jobs (kind, payload) VALUES ('work', '{}')",
                "SELECT id FROM @jobs",
                "UPDATE @jobs SET priority = 100",
                "SELECT nextval('@jobs_id_seq')",
                "INSERT INTO @job_keys VALUES ('k', 1, now())",
                "SELECT name FROM @job_schedules",
                "SELECT @create_partition('jobs_archive', now())"),
            forbidden(
                List.of("producer"),
                "INSERT INTO @jobs (kind, payload, status, attempts) VALUES ('work', '{}',"
                    + " 'running', 1)",
                "INSERT INTO @jobs (kind, payload, died_at) VALUES ('work', '{}', now())",
                "INSERT INTO @jobs (kind, payload, created_at) VALUES ('work', '{}', now())",
                "INSERT INTO @jobs (kind, payload, ordering_key, ordering_head) VALUES ('work',"
                    + " '{}', 'k', true)",
                "UPDATE @jobs SET status = 'dead'",
                "UPDATE @jobs SET unique_key = 'mine'",
                "UPDATE @jobs SET tags = '{}'",
                "UPDATE @jobs SET headers = '{}'",
                "UPDATE @jobs SET max_attempts = 1",
                "UPDATE @job_keys SET key = 'mine'",
                "UPDATE @jobs SET lease_expires_at = now()",
                "DELETE FROM @jobs",
                "DELETE FROM @job_keys",
                "SELECT payload FROM @jobs_archive",
                "SELECT id FROM @job_executions",
                "UPDATE @job_queues SET paused_at = now()",
                "SELECT @create_partition('jobs_archive', now())"),
            forbidden(
                List.of("worker"),
                "UPDATE @jobs SET payload = '{}'",
                "UPDATE @jobs SET headers = '{}'",
                "UPDATE @jobs SET queue = 'other'",
                "UPDATE @jobs SET max_attempts = 1000",
                "INSERT INTO @jobs (kind, payload) VALUES ('work', '{}')",
                "UPDATE @job_queues SET paused_at = now()",
                "UPDATE @job_schedules SET next_at = now()",
                "DELETE FROM @job_schedules",
                "SELECT @create_partitions(interval '1 day')",
                "SELECT @enqueue('work', '{}')"),
            forbidden(
                List.of("sql_producer", "producer"),
                "SELECT 1 FROM @job_steps",
                "INSERT INTO @job_steps (job_id, execution_id, position, type, name) VALUES (1, 1, 1, 'run', 'a')",
                "INSERT INTO @job_signals (address, name, payload, expires_at) VALUES ('key/a', 'b', '{}', now())",
                "DELETE FROM @job_signals"),
            forbidden(
                List.of("operator"),
                "INSERT INTO @jobs (kind, payload) VALUES ('work', '{}')",
                "INSERT INTO @job_executions (id, job_id, started_at, attempt, queue, kind) VALUES"
                    + " (1, 1, now(), 1, 'q', 'k')",
                "UPDATE @jobs SET attempts = 0",
                "SELECT @enqueue('work', '{}')"),
            forbidden(
                List.of("viewer", "worker", "producer"),
                "SELECT 1 FROM @job_operations",
                "INSERT INTO @job_operations (actor, action, newest_id) VALUES ('a', 'cancel', 1)",
                "SELECT 1 FROM @job_changes",
                "INSERT INTO @job_changes (actor, action, target) VALUES ('a', 'cancel', '1')"),
            forbidden(
                List.of("operator"),
                "UPDATE @job_operations SET actor = 'another'",
                "DELETE FROM @job_operations",
                "UPDATE @job_changes SET actor = 'another'",
                "DELETE FROM @job_changes",
                "INSERT INTO @job_changes (actor, action, target, changed_at) VALUES"
                    + " ('a', 'cancel', '1', now())"),
            forbidden(
                List.of("viewer"),
                "SELECT payload FROM @jobs",
                "SELECT 1 FROM @jobs WHERE payload #>> '{a}' = 'b'",
                "SELECT * FROM @jobs",
                "SELECT progress FROM @jobs",
                "SELECT payload FROM @jobs_archive",
                "SELECT result FROM @jobs_archive",
                "SELECT headers FROM @jobs",
                "SELECT headers FROM @jobs_archive",
                "SELECT steps FROM @jobs_archive",
                "SELECT result FROM @job_steps",
                "SELECT undo_payload FROM @job_steps",
                "SELECT payload FROM @job_signals",
                "SELECT @signal('key/a', 'b')",
                "SELECT error_stack FROM @job_executions",
                "SELECT payload FROM @job_schedules",
                "UPDATE @job_schedules SET paused_at = now()",
                "SELECT 1 FROM @job_keys",
                "UPDATE @jobs SET priority = 1",
                "DELETE FROM @jobs",
                "UPDATE @job_queues SET paused_at = now()",
                "SELECT @enqueue('work', '{}')"))
        .flatMap(some -> some);
  }

  private static Stream<Arguments> forbidden(List<String> roles, String... statements) {
    return roles.stream().map(role -> Arguments.of(role, List.of(statements)));
  }

  @ParameterizedTest
  @MethodSource("statementsOfOthers")
  void mayNot(String role, List<String> statements) throws SQLException {
    String today = fixture.value("SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDD')");
    as(
        role,
        (queue, pool) -> {
          for (String statement : statements) {
            assertThatThrownBy(() -> execute(pool, statement.replace("_today", "_" + today)))
                .as(statement)
                .isInstanceOf(SQLException.class)
                .extracting(refused -> ((SQLException) refused).getSQLState())
                .as(statement)
                .isEqualTo("42501");
          }
        });
  }

  /** The schema has the same grant as the schema public in PostgreSQL 14 and earlier. */
  @Test
  void rightOfPublicToCreateObjectsIsRevoked() throws SQLException {
    fixture.execute("GRANT CREATE ON SCHEMA " + fixture.database.schema() + " TO PUBLIC");
    fixture.execute(Roles.sql(fixture.database.schema(), prefix));

    mayNot("viewer", List.of("CREATE TABLE @mine (id int)"));
  }

  @Test
  void aSchemaOfAnyNameIsQuotedAndAPrefixIsAPlainName() {
    assertThat(Roles.sql("it's \"odd\"; DROP", "jobs"))
        .contains("GRANT USAGE ON SCHEMA \"it's \"\"odd\"\"; DROP\" TO jobs_sql_producer,")
        .doesNotContain("{");
    for (String refused : List.of("", "a b", "A", "1a", "a\"", "a'", "a".repeat(41))) {
      assertThatThrownBy(() -> Roles.sql("skipjack", refused))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'" + refused + "'");
    }
    assertThatThrownBy(() -> Roles.sql("", "jobs")).isInstanceOf(IllegalArgumentException.class);
  }

  private static void read(JobReader reader) {
    reader
        .list(JobQuery.live())
        .jobs()
        .forEach(job -> assertThat(reader.why(job.id())).isPresent());
    reader.list(JobQuery.live());
    reader.list(JobQuery.live().status(JobStatus.DEAD));
    reader.list(JobQuery.live().status(JobStatus.RUNNING));
    reader.list(JobQuery.archived());
    reader.counts();
    reader.oldestPending();
    reader.deadLetters();
    reader.queues();
    reader.limits();
    reader.groups("mail");
    reader.held();
    reader.workers();
  }

  private List<JobId> kill(int count) {
    fixture.queue.enqueueAll(Fixture.WORK, Collections.nCopies(count, new Fixture.Work(1)));
    List<ClaimedJob> claimed =
        fixture.store.claim(Fixture.request(count, Fixture.LEASE, new Lane("default", 0)));
    fixture.store.fail(
        claimed.stream()
            .map(job -> new Failure(job.execution(), JobError.of("no"), Duration.ZERO, true))
            .toList());
    return claimed.stream().map(job -> job.execution().jobId()).toList();
  }

  private void dropPartitions() {
    fixture.execute(
        """
        DO $$
        DECLARE child regclass;
        BEGIN
          FOR child IN SELECT inhrelid::regclass FROM pg_inherits
                        WHERE inhparent IN ('@job_executions'::regclass, '@jobs_archive'::regclass) LOOP
            EXECUTE 'DROP TABLE ' || child;
          END LOOP;
        END $$
        """);
  }

  private interface Use {
    void with(JobQueue queue, HikariDataSource pool) throws SQLException;
  }

  private void as(String role, Use use) throws SQLException {
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(fixture.database.jdbcUrl());
      pool.setMaximumPoolSize(2);
      pool.setConnectionInitSql("SET ROLE " + prefix + "_" + role);
      use.with(
          JobQueue.builder(pool).schema(fixture.database.schema()).sameForAllThreads(true).build(),
          pool);
    }
  }

  private void execute(HikariDataSource pool, String sql) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql.replace("@", fixture.database.schema() + "."));
    }
  }
}
