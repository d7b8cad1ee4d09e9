package dev.skipjack.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.FailureRule;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.DeadJobs;
import dev.skipjack.api.operations.EditResult;
import dev.skipjack.api.operations.Finding;
import dev.skipjack.api.operations.Fix;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.operations.JobEdit;
import dev.skipjack.api.operations.JobExplanation;
import dev.skipjack.api.operations.JobOperation;
import dev.skipjack.api.operations.JobOperations;
import dev.skipjack.api.operations.JobPage;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.OperationAction;
import dev.skipjack.api.operations.OperationPreview;
import dev.skipjack.api.operations.QueuePause;
import dev.skipjack.api.operations.QueueSettings;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.api.operations.RedriveSummary;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.dedup.Unique;
import dev.skipjack.dedup.UniqueJobs;
import dev.skipjack.micrometer.MicrometerMetrics;
import dev.skipjack.micrometer.QueueMetrics;
import dev.skipjack.migrations.Migrations;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueAssertions;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.ConnectException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that the recipes of docs/guides/how-do-i.md do what that page says. */
@QueueTest
class HowDoITest {

  record Remind(String user) {}

  static final JobType<Remind> REMIND =
      JobType.of("remind", Remind.class).onQueue("emails").maxAttempts(1);

  private JobQueue queue;
  private DataSource dataSource;

  @BeforeEach
  void setUp(QueueDatabase database) throws SQLException {
    dataSource = database.dataSource();
    execute("DROP TABLE IF EXISTS reminders", "CREATE TABLE reminders (for_user text NOT NULL)");
    queue = JobQueue.builder(database.dataSource()).schema(database.schema()).build();
  }

  static JobQueue queue(DataSource dataSource) {
    Migrations.migrate(dataSource); // creates the tables in the schema skipjack
    return JobQueue.on(dataSource);
  }

  // snippet: jdbc
  void remindOf(Connection transaction, String user) throws SQLException {
    try (PreparedStatement insert =
        transaction.prepareStatement("INSERT INTO reminders (for_user) VALUES (?)")) {
      insert.setString(1, user);
      insert.executeUpdate();
    }
    queue.in(transaction).enqueue(REMIND, new Remind(user));
  }

  // end of snippet

  List<JobId> remindAll(List<String> users) {
    return queue.enqueueAll(REMIND, users.stream().map(Remind::new).toList());
  }

  // snippet: once
  EnqueueResult remindOnce(String user) {
    return queue.enqueueOnce(
        REMIND, new Remind(user), job -> job.idempotencyKey("first-login-" + user));
  }

  // end of snippet

  EnqueueResult remindWhenQuiet(String user) {
    Unique<Remind> perUser =
        Unique.by(Remind::user).debounce(Duration.ofMinutes(5), Duration.ofHours(1));
    return UniqueJobs.on(queue).enqueue(REMIND, new Remind(user), perUser);
  }

  // snippet: options
  JobId urgently(String user, String tenant) {
    return queue.enqueue(
        REMIND, new Remind(user), job -> job.priority(50).tags("vip").header("tenant", tenant));
  }

  // end of snippet

  static final JobType<Remind> IN_ORDER =
      JobType.of("remind-in-order", Remind.class).orderedBy(Remind::user);

  // snippet: schedule
  static final Schedule MORNING =
      Schedule.cron("0 8 * * MON-FRI")
          .zone("Europe/Berlin")
          .named("morning-reminder")
          .enqueue(REMIND, new Remind("everyone"));

  // end of snippet

  // snippet: sql
  static final String FROM_SQL =
      "SELECT skipjack.enqueue('remind', '{\"user\": \"ada\"}', queue => 'emails')";

  // end of snippet

  // snippet: rules
  static final JobType<Remind> WITH_RULES =
      JobType.of("remind-by-mail", Remind.class)
          .maxAttempts(10)
          .retry(Backoff.exponential(Duration.ofSeconds(10)).atMost(Duration.ofHours(1)))
          .retryOn(ConnectException.class, Backoff.fixed(Duration.ofMinutes(5)))
          .deadOn(IllegalArgumentException.class)
          .timeout(Duration.ofMinutes(2));

  // end of snippet

  // snippet: outcomes
  Outcome send(Remind reminder, JobContext context) {
    if (reminder.user().isEmpty()) {
      return Outcome.dead("The reminder has no user.");
    }
    return isQuietTime()
        ? Outcome.snooze(Duration.ofHours(8)) // uses no attempt
        : Outcome.completed(Map.of("channel", "mail")); // the result of the job
  }

  // end of snippet

  // snippet: progress
  Outcome sendMany(Remind reminder, JobContext context) {
    for (int part = 0; part < 100 && !context.isCancelled(); part++) {
      context.progress(part, "sending");
    }
    return Outcome.completed();
  }

  // end of snippet

  // snippet: worker
  Worker worker() {
    return Worker.on(queue)
        .handle(REMIND, this::send)
        .queue("emails", 10) // at most ten at once in this worker
        .schedule(MORNING)
        .build();
  }

  // end of snippet

  void keepHistoryForAMonth() {
    queue
        .admin()
        .configure("emails", QueueSettings.defaults().archiveRetention(Duration.ofDays(30)));
  }

  void aReminderWasEnqueued(QueueDatabase database) {
    QueueAssertions.assertThat(database).hasEnqueued(REMIND);
  }

  // snippet: metrics
  Worker measured(MeterRegistry registry) {
    QueueMetrics.of(queue.reader(), queue.doctor()).bindTo(registry); // in one process
    return Worker.on(queue)
        .handle(REMIND, this::send)
        .queue("emails", 10)
        .metrics(new MicrometerMetrics(registry))
        .build();
  }

  // end of snippet

  // snippet: health
  List<Finding> problems() {
    return queue.doctor().run().stream().filter(it -> it.level() == Finding.Level.RED).toList();
  }

  static boolean isReady(Worker worker) {
    return worker.health().ready();
  }

  // end of snippet

  // snippet: later
  JobId inTwoHours() {
    return queue.enqueue(REMIND, new Remind("ada"), job -> job.delay(Duration.ofHours(2)));
  }

  JobId at(Instant instant) {
    return queue.enqueue(REMIND, new Remind("ada"), job -> job.at(instant));
  }

  // end of snippet

  // snippet: cancel
  CancelResult cancel(JobId job) {
    return queue.admin().cancel(List.of(job)).get(0);
  }

  // end of snippet

  // snippet: redrive
  RedriveResult redrive(JobId dead) {
    return queue.admin().redrive(List.of(dead)).get(0);
  }

  RedriveSummary redriveAllReminders() {
    return queue.admin().redriveAll(DeadJobs.all().ofQueue("emails").ofKind("remind"));
  }

  // end of snippet

  // snippet: patch
  JobOperation correctUserAndRedrive() {
    JobOperations operations = queue.operations();
    OperationPreview preview =
        operations.preview(
            OperationAction.REDRIVE,
            JobQuery.live().kind("remind").errorClass("NoSuchElementException"),
            "{\"user\": \"grace\"}");
    JobOperation operation = operations.start(preview, "anna");
    return operations.run(operation.id(), progress -> {});
  }

  // end of snippet

  // snippet: list
  JobPage waiting() {
    return queue.reader().list(JobQuery.pending("emails").kind("remind").limit(20));
  }

  JobDetails details(JobId job) {
    return queue.reader().find(job).orElseThrow();
  }

  // end of snippet

  // snippet: why
  String whyNot(JobId job) {
    JobExplanation why = queue.reader().why(job).orElseThrow();
    Fix fix = why.fix();
    return fix == null ? why.sentence() : why.sentence() + " Fix: " + fix.command();
  }

  // end of snippet

  // snippet: pause
  void pauseForAnHour() {
    QueuePause hour = QueuePause.of(Duration.ofHours(1)).by("anna");
    queue.admin().pause("emails", hour.because("The mail server is down."));
  }

  void resume() {
    queue.admin().resume("emails");
  }

  // end of snippet

  int drain() {
    try (Worker worker =
        Worker.on(queue)
            .handle(REMIND, (reminder, context) -> Outcome.completed())
            .queue("emails", 10)
            .build()) {
      return worker.runUntilIdle();
    }
  }

  // snippet: edit
  EditResult remindAnotherUser(JobId waiting) {
    return queue.admin().edit(waiting, JobEdit.nothing().payload(new Remind("grace")));
  }

  // end of snippet

  @Test
  void aDelayedJobIsListedEditedAndCancelled() {
    JobId job = inTwoHours();
    at(Instant.now().plus(Duration.ofDays(1)));

    assertThat(waiting().jobs()).hasSize(2);
    remindAnotherUser(job);
    assertThat(details(job).payload()).contains("grace");
    assertThat(cancel(job)).isEqualTo(CancelResult.CANCELLED);
    assertThat(cancel(job)).isEqualTo(CancelResult.GONE);
    assertThat(waiting().jobs()).hasSize(1);
  }

  @Test
  void aPausedQueueIsNotDrainedBeforeItIsResumed() {
    JobId job = at(Instant.now());
    pauseForAnHour();
    assertThat(drain()).isZero();
    assertThat(whyNot(job))
        .startsWith("Queue emails has been paused by anna for ")
        .endsWith("Reason: The mail server is down. Fix: skipjack queues resume emails");
    resume();
    assertThat(drain()).isEqualTo(1);
  }

  @Test
  void aDeadJobIsRedriven() {
    JobId job = at(Instant.now());
    try (Worker worker =
        Worker.on(queue)
            .handle(REMIND, (reminder, context) -> Outcome.dead("no such user"))
            .queue("emails", 1)
            .build()) {
      worker.runUntilIdle();
    }
    assertThat(details(job).summary().status()).isEqualTo(JobStatus.DEAD);

    assertThat(redrive(job)).isEqualTo(new RedriveResult.Redriven());
    redriveAllReminders();
    assertThat(drain()).isEqualTo(1);
  }

  @Test
  void aWrongPayloadIsCorrectedAndItsJobRedriven() {
    JobId job = at(Instant.now());
    try (Worker worker =
        Worker.on(queue)
            .handle(
                REMIND,
                (reminder, context) -> {
                  throw new NoSuchElementException(reminder.user());
                })
            .queue("emails", 1)
            .build()) {
      worker.runUntilIdle();
    }

    assertThat(correctUserAndRedrive().done()).isEqualTo(1);
    assertThat(details(job).payload()).isEqualTo("{\"user\": \"grace\"}");
    assertThat(drain()).isEqualTo(1);
  }

  @Test
  void aJobIsEnqueuedWithTheRowsOfATransaction(QueueDatabase database) throws SQLException {
    try (Connection transaction = dataSource.getConnection()) {
      transaction.setAutoCommit(false);
      remindOf(transaction, "ada");
      transaction.rollback();
      assertThat(waiting().jobs()).isEmpty();
      remindOf(transaction, "ada");
      transaction.commit();
    }
    aReminderWasEnqueued(database);
  }

  @Test
  void jobsAreEnqueuedInBulkOnceAndWithOptions() {
    assertThat(remindAll(List.of("ada", "grace"))).hasSize(2);
    JobId once = remindOnce("ada").jobId();
    assertThat(remindOnce("ada").jobId()).isEqualTo(once);
    JobId debounced = remindWhenQuiet("ada").jobId();
    assertThat(remindWhenQuiet("ada").jobId()).isEqualTo(debounced);
    JobDetails urgent = details(urgently("ada", "acme"));
    assertThat(urgent.summary().priority()).isEqualTo(50);
    assertThat(urgent.headers()).containsEntry("tenant", "acme");
  }

  @Test
  void sqlEnqueuesWhatJavaHandles() throws SQLException {
    execute(FROM_SQL);
    assertThat(drain()).isEqualTo(1);
  }

  @Test
  void handlersDecideAndReturnResults() {
    JobId empty = queue.enqueue(REMIND, new Remind(""));
    JobId sent = queue.enqueue(REMIND, new Remind("ada"));
    try (Worker worker = worker()) {
      worker.runUntilIdle();
    }
    assertThat(details(empty).summary().status()).isEqualTo(JobStatus.DEAD);
    assertThat(details(sent).result()).isEqualTo("{\"channel\": \"mail\"}");
  }

  @Test
  void aLongJobShowsItsProgress() {
    JobId job = queue.enqueue(IN_ORDER, new Remind("ada"));
    try (Worker worker =
        Worker.on(queue).handle(IN_ORDER, this::sendMany).queue("default", 1).build()) {
      assertThat(worker.runUntilIdle()).isEqualTo(1);
    }
    assertThat(details(job).summary().status()).isEqualTo(JobStatus.COMPLETED);
  }

  @Test
  void theHistoryOfAQueueIsKeptForAMonth() {
    keepHistoryForAMonth();
    assertThat(queue.admin().settings("emails").orElseThrow().archiveRetention())
        .contains(Duration.ofDays(30));
  }

  @Test
  void aQueueIsCreatedForADatabase() {
    assertThat(queue(dataSource).enqueue(REMIND, new Remind("ada")).value()).isPositive();
  }

  @Test
  void aWorkerIsMeasuredAndChecked() {
    MeterRegistry registry = new SimpleMeterRegistry();
    queue.enqueue(REMIND, new Remind("ada"));
    try (Worker worker = measured(registry)) {
      assertThat(worker.runUntilIdle()).isEqualTo(1);
      assertThat(isReady(worker)).isFalse(); // it was not started
    }
    assertThat(registry.get("skipjack.jobs.run").timer().count()).isEqualTo(1);
    // The server of the tests does not write durably.
    assertThat(problems()).extracting(Finding::check).containsExactly("settings");
  }

  @Test
  void aTypeHasItsOwnRules() {
    assertThat(WITH_RULES.timeout()).contains(Duration.ofMinutes(2));
    assertThat(WITH_RULES.ruleFor(new IllegalArgumentException()))
        .isEqualTo(new FailureRule.Dead());
  }

  private static boolean isQuietTime() {
    return false;
  }

  private void execute(String... sql) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      for (String one : sql) {
        statement.execute(one);
      }
    }
  }
}
