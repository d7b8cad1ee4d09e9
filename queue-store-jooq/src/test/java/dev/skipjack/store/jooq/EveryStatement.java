package dev.skipjack.store.jooq;

import static dev.skipjack.model.Tables.JOB_LIMITS;
import static dev.skipjack.model.Tables.JOB_QUEUES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.OrderingPolicy;
import dev.skipjack.api.Retention;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.DeadJobs;
import dev.skipjack.api.operations.DurationHistogram;
import dev.skipjack.api.operations.GroupSettings;
import dev.skipjack.api.operations.JobEdit;
import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobOperations;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobReader;
import dev.skipjack.api.operations.Limit;
import dev.skipjack.api.operations.MinutesQuery;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.operations.OperationPreview;
import dev.skipjack.api.operations.PruneResult;
import dev.skipjack.api.operations.QueueAdmin;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.schedule.Overlap;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.Schedules;
import dev.skipjack.api.schedule.Timing;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.DueGroups;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.FinalOutcome;
import dev.skipjack.api.spi.GroupClaim;
import dev.skipjack.api.spi.GroupSearch;
import dev.skipjack.api.spi.HandOver;
import dev.skipjack.api.spi.JobMinute;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LeaseKeeper;
import dev.skipjack.api.spi.LocalWorkers;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.Progress;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.ScheduleStore;
import dev.skipjack.api.spi.Suspension;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.api.spi.WorkerRow;
import dev.skipjack.operations.diagnosis.DiagnosisStatements;
import dev.skipjack.operations.read.ReadStatements;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.sql.StatementText;
import dev.skipjack.store.jooq.internal.history.AuditWeeks;
import dev.skipjack.store.jooq.internal.history.HistoryStatements;
import dev.skipjack.store.jooq.internal.ordering.OrderingStatements;
import dev.skipjack.store.jooq.internal.schedule.ScheduleStatements;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jooq.Configuration;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.jooq.impl.DefaultConnectionProvider;

/** Runs each statement once, for tests of conditions that affect all statements. */
final class EveryStatement {

  private EveryStatement() {}

  /** Runs the statements of producers and workers. Leaves one failed and one snoozed job behind. */
  static void ofAJobsLife(JobQueue queue, DataSource dataSource) throws SQLException {
    ofAProducer(queue, dataSource);
    ofADirectStart(queue, dataSource);
    ofAWorker(queue, dataSource);
    ofOrderedJobs(queue, dataSource);
    ofGroups(queue, dataSource);
    ofOwnedJobs(queue, dataSource);
    ofSteps(queue, dataSource);
  }

  /**
   * Runs the statements of jobs with an owner, which have their own queue. Leaves no job behind.
   */
  private static void ofOwnedJobs(JobQueue queue, DataSource dataSource) throws SQLException {
    JobStore store = queue.store();
    NewJob owned =
        NewJob.of(Fixture.WORK.onQueue("owned"), "{\"number\":1}", EnqueueOptions.none())
            .ownedBy(1);
    store.enqueue(List.of(owned));
    store.enqueue(List.of(owned, owned, owned));
    store.enqueue(List.of(owned, owned, owned, owned.tagged(List.of("other"))));
    List<Execution> claimed =
        store.claim(Fixture.request(8, Fixture.LEASE, new Lane("owned", 0))).stream()
            .map(ClaimedJob::execution)
            .toList();
    assertThat(claimed).hasSize(8).allMatch(Execution::isOwned);
    store.complete(claimed.subList(0, 1));
    store.complete(claimed.subList(1, 3));
    store.endWithData(List.of(FinalOutcome.completed(claimed.get(3), "1")));
    inOne(dataSource, connection -> store.completeIn(connection, claimed.get(4)));
    inOne(dataSource, connection -> store.completeIn(connection, claimed.get(5), "[1]"));
    List<JobId> last = claimed.subList(6, 8).stream().map(Execution::jobId).toList();
    queue.admin().cancel(last);
    store.fail(List.of(new Failure(claimed.get(6), JobError.of("no luck"), Duration.ZERO, false)));
    store.requeue(
        List.of(new Requeue(claimed.get(7), ExecutionStatus.RELEASED, Duration.ZERO, null)));
    assertThat(queue.reader().find(last.get(1)).orElseThrow().summary().status())
        .isEqualTo(JobStatus.CANCELLED);
  }

  /** Runs the statements that end jobs with durable steps. Leaves no live job behind. */
  private static void ofSteps(JobQueue queue, DataSource dataSource) throws SQLException {
    JobStore store = queue.store();
    List<JobId> jobs =
        queue.enqueueAll(
            Fixture.WORK, Collections.nCopies(4, new Fixture.Work(1)), job -> job.onQueue("steps"));
    List<Execution> claimed =
        store.claim(Fixture.request(4, Fixture.LEASE, new Lane("steps", 0))).stream()
            .map(job -> job.execution().withSteps())
            .toList();
    assertThat(store.complete(claimed.subList(0, 1))).containsOnly(Verdict.DONE);
    store.fail(
        List.of(new Failure(claimed.get(1), JobError.of("no luck"), Duration.ofHours(1), false)));
    store.requeue(
        List.of(
            Requeue.suspended(
                claimed.get(2),
                new Suspension("review", false, null, Instant.now().plus(Duration.ofHours(1))))));
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      store.completeIn(connection, claimed.get(3));
      connection.commit();
    }
    queue.admin().cancel(jobs);
  }

  /** Runs the statements of fair and limited queues, which are named so. Leaves no job behind. */
  private static void ofGroups(JobQueue queue, DataSource dataSource) throws SQLException {
    JobStore store = queue.store();
    change(
        queue,
        dataSource,
        dsl -> {
          dsl.insertInto(JOB_LIMITS, JOB_LIMITS.NAME).values("claimed").execute();
          dsl.insertInto(JOB_QUEUES, JOB_QUEUES.QUEUE, JOB_QUEUES.FAIR)
              .values("fair", true)
              .execute();
          dsl.insertInto(JOB_QUEUES, JOB_QUEUES.QUEUE, JOB_QUEUES.LIMIT_NAME)
              .values("limited", "claimed")
              .execute();
        });
    for (String name : List.of("fair", "limited")) {
      queue.enqueueAll(
          Fixture.WORK,
          Collections.nCopies(2, new Fixture.Work(1)),
          job -> job.onQueue(name).group("g"));
      end(store, claimGroups(store, name));
    }
    change(
        queue,
        dataSource,
        dsl ->
            dsl.update(JOB_LIMITS)
                .set(JOB_LIMITS.MAX_RUNNING, 1)
                .set(JOB_LIMITS.MAX_RUNNING_PER_GROUP, 1)
                .execute());
    for (String name : List.of("fair", "limited")) {
      List<ClaimedJob> claimed = claimGroups(store, name);
      for (ClaimedJob job : claimed) {
        store.throttle(job.execution(), false, Duration.ZERO);
        store.throttle(job.execution(), true, Duration.ZERO);
      }
      end(store, claimed);
    }
    change(
        queue,
        dataSource,
        dsl -> {
          dsl.deleteFrom(JOB_QUEUES)
              .where(JOB_QUEUES.LIMIT_NAME.isNotNull())
              .or(JOB_QUEUES.FAIR)
              .execute();
          dsl.deleteFrom(JOB_LIMITS).execute();
        });
  }

  private static List<ClaimedJob> claimGroups(JobStore store, String name) {
    Lane lane = new Lane(name, 0);
    DueGroups found = store.dueGroups(new GroupSearch(lane, 1, 1, 1, "", GroupSearch.Place.FIRST));
    return store
        .claimGroups(
            new GroupClaim(
                WorkerId.boot("every"),
                lane,
                found.limit(),
                found.locksLimit(),
                found.locksGroups(),
                List.of(new GroupClaim.Share("g", 1, 1, null, null)),
                List.of(Fixture.WORK.kind()),
                1,
                Fixture.LEASE))
        .jobs();
  }

  private static void end(JobStore store, List<ClaimedJob> jobs) {
    store.complete(jobs.stream().map(ClaimedJob::execution).toList());
  }

  /** Changes settings of queues. */
  private static void change(JobQueue queue, DataSource dataSource, Consumer<DSLContext> change)
      throws SQLException {
    Configuration dialect = StatementDialect.forSchema(queue.schema()).configuration();
    try (Connection connection = dataSource.getConnection()) {
      change.accept(DSL.using(dialect.derive(new DefaultConnectionProvider(connection))));
    }
  }

  /** Runs the statements of enqueues for a free slot, if there is one. Leaves no job behind. */
  private static void ofADirectStart(JobQueue queue, DataSource dataSource) throws SQLException {
    LocalWorkers workers = queue.localWorkers().orElse(null);
    if (workers == null) {
      return;
    }
    DirectStartTest.Slots worker = new DirectStartTest.Slots();
    workers.add(worker);
    queue.enqueue(Fixture.WORK, new Fixture.Work(1), job -> job.onQueue("direct"));
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      FollowedTransaction followed = queue.follow();
      queue
          .in(connection, followed)
          .enqueue(Fixture.WORK, new Fixture.Work(1), job -> job.onQueue("direct"));
      followed.beforeCommit(connection);
      connection.commit();
      followed.committed(connection);
    }
    workers.remove(worker);
    queue.store().complete(worker.started.stream().map(ClaimedJob::execution).toList());
  }

  /**
   * Runs the statements for jobs with an ordering key, which have their own queue. Leaves no job
   * behind.
   */
  static void ofOrderedJobs(JobQueue queue, DataSource dataSource) throws SQLException {
    queue.enqueueAll(
        Fixture.WORK,
        Collections.nCopies(5, new Fixture.Work(1)),
        job -> job.onQueue("ordered").orderingKey("every").strictOrdering());
    queue.enqueue(
        Fixture.WORK, new Fixture.Work(1), job -> job.onQueue("ordered").orderingKey("every"));
    JobStore store = queue.store();
    store.complete(List.of(claimOrdered(store)));
    store.endWithData(List.of(FinalOutcome.completed(claimOrdered(store), "{\"n\":1}")));
    Execution third = claimOrdered(store);
    inOne(dataSource, connection -> store.completeIn(connection, third));
    Execution fourth = claimOrdered(store);
    inOne(dataSource, connection -> store.completeIn(connection, fourth, "[1]"));
    ClaimedJob sixth = Objects.requireNonNull(store.handOver(handOver(claimOrdered(store))).next());
    assertThat(store.handOver(handOver(sixth.execution())).next()).isNull();
    parkAndPrune(queue);
    assertThat(queue.orderedJobs().orElseThrow().sweep().promoted()).isEmpty();
  }

  private static HandOver handOver(Execution ended) {
    return new HandOver(
        ended,
        new Lane("ordered", 0),
        WorkerId.boot("every"),
        List.of(Fixture.WORK.kind()),
        1_000,
        Fixture.LEASE);
  }

  private static void inOne(DataSource dataSource, Consumer<Connection> work) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      work.accept(connection);
      connection.commit();
    }
  }

  private static void parkAndPrune(JobQueue queue) {
    List<JobId> parked =
        queue.enqueueAll(
            Fixture.WORK.orderingPolicy(OrderingPolicy.PARK),
            Collections.nCopies(2, new Fixture.Work(1)),
            job -> job.onQueue("ordered").orderingKey("parked"));
    queue
        .store()
        .fail(
            List.of(
                new Failure(
                    claimOrdered(queue.store()), JobError.of("no luck"), Duration.ZERO, true)));
    assertThat(queue.admin().prune(parked)).containsOnly(PruneResult.PRUNED);
  }

  private static Execution claimOrdered(JobStore store) {
    return store
        .claim(Fixture.request(1, Fixture.LEASE, new Lane("ordered", 0)))
        .get(0)
        .execution();
  }

  /** Runs the statements of a producer. Leaves nine due jobs behind. */
  static void ofAProducer(JobQueue queue, DataSource dataSource) throws SQLException {
    queue.enqueueAll(Fixture.WORK, Collections.nCopies(6, new Fixture.Work(1)));
    NewJob plain = NewJob.of(Fixture.WORK, "{\"number\":1}", EnqueueOptions.none());
    queue.store().enqueue(List.of(plain, plain.tagged(List.of("other"))));
    queue.enqueue(Fixture.WORK, new Fixture.Work(1));
    enqueueWithKeys(queue);
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      enqueueWithKeys(queue.in(connection));
      connection.commit();
    }
  }

  /** Runs the statements of a worker, for nine due jobs. */
  static void ofAWorker(JobQueue queue, DataSource dataSource) throws SQLException {
    JobStore store = queue.store();
    store.dueLanes(List.of("default"));
    List<Execution> claimed =
        store.claim(Fixture.request(9, Fixture.LEASE, new Lane("default", 0))).stream()
            .map(ClaimedJob::execution)
            .toList();
    assertThat(claimed).hasSize(9);
    store.heartbeat(claimed, Fixture.LEASE);
    try (LeaseKeeper leases = queue.leases()) {
      leases.cancelRequested(claimed);
    }
    store.progress(List.of(new Progress(claimed.get(2), 50, "half way")));
    store.statuses(claimed);
    assertThat(store.complete(claimed.subList(0, 2))).containsOnly(Verdict.DONE);
    assertThat(store.complete(claimed.subList(8, 9))).containsOnly(Verdict.DONE);
    assertThat(
            store.endWithData(
                List.of(
                    FinalOutcome.completed(claimed.get(5), "{\"n\":1}"),
                    FinalOutcome.cancelled(claimed.get(6), "no use"))))
        .containsOnly(Verdict.DONE);
    store.fail(
        List.of(new Failure(claimed.get(2), JobError.of("no luck"), Duration.ofHours(1), false)));
    store.requeue(
        List.of(
            Requeue.until(
                claimed.get(3), ExecutionStatus.SNOOZED, Instant.now().plus(Duration.ofHours(1)))));
    store.rescue(Duration.ZERO, 10);
    store.claimFew(Fixture.request(1, Fixture.LEASE, new Lane("none", 0)));
    store.heldBy(WorkerId.boot("every"), new ExecutionId(0), 10);
    store.claimWithoutPayload(Fixture.request(1, Fixture.LEASE, new Lane("none", 0)));
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      store.completeIn(connection, claimed.get(4));
      store.completeIn(connection, claimed.get(7), "[1]");
      connection.commit();
    }
  }

  private static void ofMinutes(JobQueue queue, WorkerId worker) {
    DurationHistogram none = DurationHistogram.EMPTY;
    queue
        .workers()
        .addMinute(worker, List.of(new JobMinute("default", "work", 1, 0, 0, 0, 0, 0, none, none)));
    queue.workers().addDepths();
    MinutesQuery lastHour = MinutesQuery.last(Duration.ofHours(1));
    queue.reader().minutes(lastHour);
    queue.reader().depths(lastHour);
  }

  /** Runs the statements of administrative commands and of schedules. */
  static void ofAPerson(JobQueue queue) {
    JobStore store = queue.store();
    queue.enqueueAll(Fixture.WORK, Collections.nCopies(2, new Fixture.Work(1)));
    JobId waiting = queue.enqueue(Fixture.WORK, new Fixture.Work(2), job -> job.priority(7));
    List<JobId> dead =
        store.claim(Fixture.request(2, Fixture.LEASE, new Lane("default", 0))).stream()
            .map(job -> kill(store, job))
            .toList();
    queue.admin().edit(waiting, JobEdit.nothing().priority(3));
    JobOperations operations = queue.operations();
    OperationPreview preview =
        operations.preview(
            OperationAction.EDIT, JobQuery.live().status(JobStatus.DEAD), "{\"number\": 4}");
    JobOperation patch = operations.start(preview, "every");
    assertThat(operations.run(patch.id(), step -> {}).done()).isEqualTo(2);
    queue.admin().redrive(dead.subList(0, 1));
    queue.admin().unblock("none");
    queue.admin().skipHead("none");
    assertThat(queue.admin().pruneAll(DeadJobs.all(), Duration.ZERO)).isEqualTo(1);
    queue.admin().cancel(List.of(waiting, dead.get(0)));
    queue.admin().configure("default", QueueSettings.defaults().deadRetention(Duration.ofDays(1)));
    queue.admin().pause("other");
    queue.admin().resume("other");
    ofLimits(queue.admin(), queue.reader());
    queue.reader().find(waiting);
    queue.reader().findWithoutPayload(waiting);
    queue.reader().list(JobQuery.live());
    queue.reader().counts();
    queue.reader().oldestPending();
    queue.reader().deadLetters();
    queue.reader().queues();
    queue.reader().blockedKeys();
    queue.maintenance().prune();
    WorkerId worker = WorkerId.boot("every");
    queue
        .workers()
        .announce(new WorkerRow(worker, null, 1, List.of("default"), List.of("work"), "{}"));
    queue.reader().workers();
    ofMinutes(queue, worker);
    queue.workers().remove(worker);
    ofSchedules(queue);
  }

  /** Runs the statements about limits and groups. Leaves no limit behind. */
  private static void ofLimits(QueueAdmin admin, JobReader reader) {
    admin.limit("every", Limit.none().running(1));
    assertThat(admin.declareLimit("every", Limit.none())).isFalse();
    assertThat(admin.limit("every")).isPresent();
    assertThat(admin.declare("limited", QueueSettings.defaults().limitedBy("every"))).isTrue();
    admin.configureGroup("limited", "group", GroupSettings.defaults());
    admin.pauseGroup("limited", "group");
    admin.resumeGroup("limited", "group");
    assertThat(admin.groupSettings("limited", "group")).isPresent();
    assertThat(reader.limits()).hasSize(1);
    assertThat(reader.groups("limited")).hasSize(1);
    assertThat(reader.held()).isEmpty();
    admin.configure("limited", QueueSettings.defaults());
    assertThat(admin.removeLimit("every")).isTrue();
  }

  /**
   * Runs the statements that declare, change, list and fire schedules. Leaves no schedule behind.
   */
  private static void ofSchedules(JobQueue queue) {
    Schedules schedules = queue.schedules();
    ScheduleStore store = queue.scheduleStore().orElseThrow();
    Schedule fixed =
        Schedule.cron("0 9 * * *")
            .zone("Europe/Berlin")
            .except(List.of(LocalDate.of(2030, 1, 1)))
            .named("fixed")
            .enqueue(Fixture.WORK, new Fixture.Work(1), job -> job.tags("a", "b").priority(1))
            .overlap(Overlap.SKIP_WHILE_LIVE);
    Schedule broken =
        Schedule.every(Duration.ofDays(1))
            .named("broken")
            .enqueueFrom(
                Fixture.WORK,
                fire -> {
                  throw new IllegalStateException("no work for " + fire);
                });
    schedules.declare(List.of(fixed, broken));
    assertThat(schedules.listWithoutPayloads()).hasSize(2);
    assertThat(schedules.findWithoutPayload("fixed")).isPresent();
    schedules.change("fixed", Timing.every(Duration.ofDays(1)));
    schedules.fireNow("fixed");
    schedules.fireNow("broken");
    store.touch(List.of(fixed));
    assertThat(store.recalculate()).isEmpty();
    assertThat(store.undeclared()).isEmpty();
    ScheduleStore.Round round = store.fireDue(List.of(fixed, broken));
    assertThat(round.fired()).hasSize(1);
    assertThat(round.failed()).hasSize(1);
    assertThat(schedules.list()).hasSize(2);
    assertThat(schedules.find("fixed")).isPresent();
    assertThat(schedules.retire("fixed")).isTrue();
    assertThat(schedules.retire("broken")).isTrue();
  }

  /**
   * Runs the statements of maintenance and each kind of list, including those that find nothing to
   * do.
   */
  static void ofMaintenance(JobQueue queue, DataSource dataSource, String schema) {
    queue.maintenance().createPartitions(Duration.ofDays(1));
    queue.maintenance().removePartitions(Retention.defaults());
    queue.maintenance().prune();
    queue.admin().redriveAll(DeadJobs.all());
    queue.admin().redriveAll(DeadJobs.all().ofQueue("default"));
    queue.admin().redriveAll(DeadJobs.all().ofKind("work"));
    queue.admin().redriveAll(DeadJobs.all().ofQueue("default").ofKind("work"));
    for (JobStatus live :
        List.of(JobStatus.PENDING, JobStatus.RUNNING, JobStatus.WAITING, JobStatus.DEAD)) {
      JobQuery query = JobQuery.live().status(live).queue("default").kind("work").tag("t");
      queue.reader().list(query);
      queue.reader().list(query.payload("number", "1"));
    }
    queue.reader().list(JobQuery.pending("default"));
    queue.reader().list(JobQuery.pending("default").payload("number", "1"));
    queue.reader().list(JobQuery.archived());
    queue.reader().list(JobQuery.archived().payload("number", "1"));

    OwnTransactions transactions = new OwnTransactions(dataSource);
    DSLContext dialect = StatementDialect.forSchema(schema);
    transactions.run(RescueStatement.firstExpired(dialect), 0L);
    transactions.run(RescueStatement.oldestRunning(dialect), 0L);
    HistoryStatements.runThoseOfSomePartitions(transactions, schema);
    ReadStatements.runCountSample(transactions.readOnly(), schema);
    assertThat(queue.doctor().run()).isNotEmpty();
    DiagnosisStatements.runThoseOfAJob(transactions.snapshot(), schema);
    ScheduleStatements.runThatOfAnUnreadableRow(transactions, schema);
  }

  /**
   * Returns the texts of all statements of the store, for attempts that began in the current week.
   */
  static Map<String, StatementText> texts(String schema) {
    Map<String, StatementText> all =
        new TreeMap<>(GoldenSqlTest.statements(schema, AuditWeeks.containing(Instant.now())));
    all.putAll(DiagnosisStatements.texts(schema));
    all.putAll(HistoryStatements.texts(schema));
    all.putAll(OrderingStatements.texts(schema));
    all.putAll(ReadStatements.texts(schema));
    all.putAll(ScheduleStatements.texts(schema));
    return all;
  }

  private static JobId kill(JobStore store, ClaimedJob job) {
    store.fail(List.of(new Failure(job.execution(), JobError.of("no luck"), Duration.ZERO, true)));
    return job.execution().jobId();
  }

  /**
   * Enqueues a job with a key that is known after the first run, and a job with a new key. Both are
   * due after all other jobs.
   */
  private static void enqueueWithKeys(JobEnqueuer enqueuer) {
    enqueuer.enqueueAllOnce(
        Fixture.WORK,
        List.of(new Fixture.Work(1), new Fixture.Work(2)),
        (work, job) ->
            job.idempotencyKey(work.number() == 1 ? "known" : UUID.randomUUID().toString())
                .delay(Duration.ofDays(1)));
  }
}
