package dev.skipjack.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobType;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.DurationHistogram;
import dev.skipjack.api.operations.HandlerStack;
import dev.skipjack.api.operations.JobMinutes;
import dev.skipjack.api.operations.MinutesQuery;
import dev.skipjack.api.operations.QueueDepth;
import dev.skipjack.api.operations.RunningJob;
import dev.skipjack.api.operations.WorkerInfo;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.JobMinute;
import dev.skipjack.api.spi.StackSample;
import dev.skipjack.api.spi.UnhandledKind;
import dev.skipjack.api.spi.WorkerInstructions;
import dev.skipjack.api.spi.WorkerRow;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Workers register themselves, for display. */
abstract class WorkerPromises extends Promises {

  private final WorkerId id = WorkerId.boot("mailer");

  private WorkerRow row(String... queues) {
    return new WorkerRow(
        id, "host-1", 4711, List.of(queues), List.of("work", "other"), "{\"lease\": \"PT30S\"}");
  }

  private WorkerInstructions announce(WorkerRow row) {
    return fixture.ports.workers().announce(row);
  }

  @Test
  void workersAreShownAsTheyWereAnnounced() throws SQLException {
    Instant before = fixture.now();

    announce(row("a", "b"));

    WorkerInfo worker = reader.workers().get(0);
    assertThat(reader.workers()).hasSize(1);
    assertThat(worker.name()).isEqualTo("mailer");
    assertThat(worker.bootId()).isEqualTo(id.bootId());
    assertThat(worker.host()).isEqualTo("host-1");
    assertThat(worker.pid()).isEqualTo(4711);
    assertThat(worker.queues()).containsExactly("a", "b");
    assertThat(worker.kinds()).containsExactly("work", "other");
    assertThat(worker.settings()).isEqualTo("{\"lease\": \"PT30S\"}");
    assertThat(worker.startedAt()).isBetween(before, fixture.now());
    assertThat(worker.seenAt()).isBetween(before, fixture.now());
  }

  @Test
  void workersKeepTheirStartAndShowTheirLatestState() throws SQLException {
    announce(row("a"));
    Instant started = reader.workers().get(0).startedAt();
    Instant between = fixture.now();

    announce(new WorkerRow(id, null, 1, List.of(), List.of(), "{}"));

    assertThat(reader.workers())
        .singleElement()
        .satisfies(
            worker -> {
              assertThat(worker.startedAt()).isEqualTo(started);
              assertThat(worker.seenAt()).isAfterOrEqualTo(between);
              assertThat(worker.host()).isNull();
              assertThat(worker.pid()).isEqualTo(1);
              assertThat(worker.queues()).isEmpty();
              assertThat(worker.kinds()).isEmpty();
              assertThat(worker.settings()).isEqualTo("{}");
            });
  }

  @Test
  void workersGetThePausedQueues() {
    admin.pause("a");
    admin.pause("elsewhere");

    assertThat(announce(row("a", "b")).pausedQueues()).containsExactly("a");

    admin.resume("a");
    assertThat(announce(row("a", "b")).pausedQueues()).isEmpty();

    admin.pause("a", Duration.ofHours(1));
    assertThat(announce(row("a", "b")).pausedQueues()).containsExactly("a");
    fixture.database.timeTravel(Duration.ofHours(1));
    assertThat(announce(row("a", "b")).pausedQueues()).isEmpty();
  }

  @Test
  void workersGetTheSchemaVersion() {
    assertThat(announce(row("a")).schemaVersion()).isPositive();
  }

  @Test
  void workersMayShareAName() {
    announce(row("a"));
    announce(
        new WorkerRow(WorkerId.boot("mailer"), "host-2", 1, List.of("a"), List.of("work"), "{}"));

    assertThat(reader.workers()).extracting(WorkerInfo::host).containsExactly("host-1", "host-2");
  }

  @Test
  void workersMayHaveAnyHost() {
    announce(
        new WorkerRow(
            id, "nul \0 lone \uD800 " + "x".repeat(1_000), 1, List.of(), List.of(), "{}"));

    assertThat(reader.workers().get(0).host()).startsWith("nul \uFFFD lone \uFFFD x");
  }

  @Test
  void workersAreRemovedWhenTheyStop() {
    WorkerId other = WorkerId.boot("mailer");
    announce(row("a"));

    fixture.ports.workers().remove(other);
    assertThat(reader.workers()).hasSize(1);

    fixture.ports.workers().remove(id);
    fixture.ports.workers().remove(id);
    assertThat(reader.workers()).isEmpty();
  }

  @Test
  void workersGetTheDueKindsThatTheyDoNotHandle() {
    enqueue("a", "lost", job -> job);
    enqueue("a", "theirs", job -> job);
    enqueue("a", "work", job -> job);
    enqueue("a", "not-due", job -> job.delay(Duration.ofHours(1)));
    enqueue("elsewhere", "unserved", job -> job);
    enqueue("paused", "lost", job -> job);
    admin.pause("paused");
    WorkerRow row = row("a", "paused");
    announce(row);
    announce(new WorkerRow(WorkerId.boot("other"), null, 1, List.of("a"), List.of("theirs"), "{}"));

    assertThat(fixture.ports.workers().unhandledKinds(row))
        .containsExactlyInAnyOrder(
            new UnhandledKind("a", "lost", false), new UnhandledKind("a", "theirs", true));
  }

  private void enqueue(String queue, String kind, UnaryOperator<EnqueueOptions> options) {
    fixture
        .ports
        .enqueuer()
        .enqueue(JobType.of(kind, String.class).onQueue(queue), "payload", options);
  }

  /** A row that is locked is left for the next call. */
  @Test
  void silentWorkersAreRemovedAfterADay() throws Exception {
    announce(row("a"));
    WorkerId live = WorkerId.boot("live");
    announce(new WorkerRow(live, null, 1, List.of(), List.of(), "{}"));
    announce(new WorkerRow(WorkerId.boot("odd"), null, 1, List.of(), List.of(), "{}"));
    sql("UPDATE @.job_workers SET seen_at = seen_at - interval '25 hours' WHERE name = 'mailer'");
    sql("UPDATE @.job_workers SET seen_at = seen_at + interval '25 hours' WHERE name = 'odd'");
    sql("UPDATE @.job_workers SET seen_at = seen_at - interval '23 hours' WHERE name = 'live'");
    try (Connection rival = fixture.transaction();
        Statement statement = rival.createStatement()) {
      statement.execute(inSchema("SELECT FROM @.job_workers FOR UPDATE"));
      fixture.withoutWaiting(() -> fixture.ports.maintenance().prune());
      assertThat(reader.workers()).hasSize(3);
    }

    fixture.ports.maintenance().prune();

    assertThat(reader.workers()).extracting(WorkerInfo::bootId).containsExactly(live.bootId());
  }

  private static JobMinute minute(String queue, int completed, DurationHistogram runs) {
    return new JobMinute(queue, "work", completed, 1, 2, 3, 4, 5, DurationHistogram.EMPTY, runs);
  }

  @Test
  void minutesAreSummedOverWorkersAndKinds() throws SQLException {
    fixture
        .ports
        .workers()
        .addMinute(
            id,
            List.of(
                minute("a", 10, DurationHistogram.of(0, 1)),
                minute("b", 20, DurationHistogram.of(0, 2, 3))));
    fixture
        .ports
        .workers()
        .addMinute(WorkerId.boot("other"), List.of(minute("a", 30, DurationHistogram.EMPTY)));
    MinutesQuery hour = MinutesQuery.last(Duration.ofHours(1)).every(Duration.ofHours(1));

    List<JobMinutes> all = reader.minutes(hour);
    assertThat(all.stream().mapToLong(JobMinutes::completed).sum()).isEqualTo(60);
    assertThat(all.stream().mapToLong(JobMinutes::lost).sum()).isEqualTo(15);
    assertThat(DurationHistogram.sum(all.stream().map(JobMinutes::runs).toList()))
        .isEqualTo(DurationHistogram.of(0, 3, 3));
    assertThat(all.get(0).from()).isBeforeOrEqualTo(fixture.now());

    assertThat(reader.minutes(hour.queues(List.of("b"))))
        .extracting(JobMinutes::completed)
        .containsExactly(20L);
    assertThat(reader.minutes(hour.queues(List.of("c")))).isEmpty();
  }

  @Test
  void depthsAreCountedOnceAMinute() throws SQLException {
    enqueue("a", "work", job -> job);
    enqueue("a", "other", job -> job);
    enqueue("b", "work", job -> job);
    assertThat(announce(row("a")).depthsDue()).isTrue();

    fixture.ports.workers().addDepths();
    fixture.ports.workers().addDepths();

    MinutesQuery query = MinutesQuery.last(Duration.ofHours(1));
    assertThat(reader.depths(query)).isNotEmpty();
    assertThat(reader.depths(query)).extracting(QueueDepth::pending).containsOnly(3L);
    assertThat(reader.depths(query.queues(List.of("a"))))
        .extracting(QueueDepth::pending)
        .containsOnly(2L);
  }

  @Test
  void minutesAreKeptForTwoDays() throws SQLException {
    fixture.ports.workers().addMinute(id, List.of(minute("a", 1, DurationHistogram.EMPTY)));
    enqueue("a", "work", job -> job);
    fixture.ports.workers().addDepths();
    sql("UPDATE @.job_minutes SET minute = minute - interval '47 hours'");
    sql("UPDATE @.job_depths SET minute = minute - interval '47 hours'");
    MinutesQuery kept = MinutesQuery.last(MinutesQuery.KEPT).every(Duration.ofHours(1));
    fixture.ports.maintenance().prune();
    assertThat(reader.minutes(kept)).hasSize(1);
    assertThat(reader.depths(kept)).hasSize(1);

    sql("UPDATE @.job_minutes SET minute = minute - interval '2 hours'");
    sql("UPDATE @.job_depths SET minute = minute - interval '2 hours'");
    fixture.ports.maintenance().prune();
    sql("UPDATE @.job_minutes SET minute = minute + interval '49 hours'");
    sql("UPDATE @.job_depths SET minute = minute + interval '49 hours'");
    assertThat(reader.minutes(kept)).isEmpty();
    assertThat(reader.depths(kept)).isEmpty();
  }

  @Test
  void stacksAreShownWhileTheirExecutionOwnsTheJob() {
    fixture.enqueue(1);
    Execution current = fixture.claimOne(AttemptFixture.LEASE);
    Execution stale =
        new Execution(
            current.jobId(), new ExecutionId(current.id().value() + 1_000), current.startedAt());
    record(List.of(sample(stale, "\tat a.B.stale(B.java:1)")), List.of());
    assertThat(stackOf(current)).isNull();

    record(List.of(sample(current, "\tat a.B.c(B.java:1)")), List.of());
    Instant since = Objects.requireNonNull(stackOf(current)).since();
    record(List.of(sample(current, "\tat a.B.d(B.java:2)")), List.of(stale.id()));

    HandlerStack stack = Objects.requireNonNull(stackOf(current));
    assertThat(stack.stack()).isEqualTo("\tat a.B.d(B.java:2)");
    assertThat(stack.problem()).isNull();
    assertThat(stack.since()).isAfter(since);
    assertThat(reader.longestRunning(Duration.ZERO, 10))
        .extracting(RunningJob::stack)
        .containsExactly(stack);

    record(List.of(), List.of(current.id()));
    assertThat(stackOf(current)).isNull();
  }

  @Test
  void stacksOfEndedAttemptsAreNotShownAndArePruned() throws SQLException {
    fixture.enqueueMany(2);
    Execution failed = fixture.claimOne(AttemptFixture.LEASE);
    Execution running = fixture.claimOne(AttemptFixture.LEASE);
    record(
        List.of(sample(failed, "\tat a.B.c(B.java:1)"), new StackSample(running, null, "A stage.")),
        List.of());
    fixture
        .ports
        .store()
        .fail(List.of(new Failure(failed, JobError.of("no luck"), Duration.ZERO, false)));
    assertThat(stackOf(failed)).isNull();

    fixture.ports.maintenance().prune();

    assertThat(count("@.job_stacks")).isEqualTo(1);
    assertThat(Objects.requireNonNull(stackOf(running)).problem()).isEqualTo("A stage.");
    assertThat(Objects.requireNonNull(stackOf(running)).stack()).isNull();
  }

  @Test
  void stacksMayHaveAnyText() {
    fixture.enqueue(1);
    Execution execution = fixture.claimOne(AttemptFixture.LEASE);

    record(List.of(sample(execution, "nul \0 lone \uD800 " + "x".repeat(20_000))), List.of());

    assertThat(Objects.requireNonNull(stackOf(execution)).stack())
        .startsWith("nul \uFFFD lone \uFFFD x")
        .hasSize(8_000);
    assertThat(
            Objects.requireNonNull(reader.longestRunning(Duration.ZERO, 1).get(0).stack()).stack())
        .hasSize(2_000);
  }

  private static StackSample sample(Execution execution, String stack) {
    return new StackSample(execution, stack, null);
  }

  private void record(List<StackSample> samples, List<ExecutionId> ended) {
    fixture.ports.workers().recordStacks(samples, ended);
  }

  private @Nullable HandlerStack stackOf(Execution execution) {
    return reader.find(execution.jobId()).orElseThrow().stack();
  }

  private long count(String table) throws SQLException {
    try (Connection connection = fixture.database.connection();
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(inSchema("SELECT count(*) FROM " + table))) {
      result.next();
      return result.getLong(1);
    }
  }

  private void sql(String text) throws SQLException {
    try (Connection connection = fixture.database.connection();
        Statement statement = connection.createStatement()) {
      statement.execute(inSchema(text));
    }
  }

  private String inSchema(String text) {
    return text.replace("@", "\"" + fixture.database.schema() + "\"");
  }
}
