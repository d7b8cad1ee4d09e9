package dev.skipjack.operations.read;

import static dev.skipjack.store.jooq.Fixture.EXPIRED;
import static dev.skipjack.store.jooq.Fixture.LEASE;
import static dev.skipjack.store.jooq.Fixture.WORK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.operations.DeadLetterGroup;
import dev.skipjack.api.operations.JobCount;
import dev.skipjack.api.operations.JobExecution;
import dev.skipjack.api.operations.JobPage;
import dev.skipjack.api.operations.JobQuery;
import dev.skipjack.api.operations.JobQuery.PayloadField;
import dev.skipjack.api.operations.JobReader;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.api.operations.PendingAge;
import dev.skipjack.api.operations.QueueState;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.store.jooq.Fixture;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@QueueTest
class ReadStatementTest {

  private Fixture fixture;
  private JobReader reader;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    reader = fixture.queue.reader();
  }

  @Nested
  class Lists {

    @Test
    void liveJobsAreListedByIdInPages() {
      fixture.enqueue(5);

      JobPage first = reader.list(JobQuery.live().limit(3));
      JobPage second = reader.list(JobQuery.live().limit(3).after(first.next().orElseThrow()));

      assertThat(first.jobs()).hasSize(3);
      assertThat(second.jobs()).hasSize(2);
      assertThat(second.next()).isEmpty();
      List<JobSummary> all = new ArrayList<>(first.jobs());
      all.addAll(second.jobs());
      assertThat(all).extracting(job -> job.id().value()).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void jobsAreFilteredByQueueKindStatusAndTag() {
      fixture.execute(
          "INSERT INTO @jobs (queue, kind, payload, tags) SELECT 'q' || n % 2, 'k' || n % 3, '{}',"
              + " CASE WHEN n % 5 = 0 THEN '{vip,eu}'::text[] END FROM generate_series(1, 30) n");

      assertThat(idsOf(JobQuery.live().queue("q1"))).hasSize(15);
      assertThat(idsOf(JobQuery.live().kind("k2"))).hasSize(10);
      assertThat(idsOf(JobQuery.live().tag("vip"))).hasSize(6);
      assertThat(idsOf(JobQuery.live().queue("q1").kind("k2").tag("eu"))).hasSize(1);
      assertThat(idsOf(JobQuery.live().status(JobStatus.PENDING))).hasSize(30);
      assertThat(idsOf(JobQuery.live().queue("q1").limit(4))).hasSize(15);
      assertThat(reader.list(JobQuery.live().tag("vip")).jobs().get(0).tags())
          .containsExactly("vip", "eu");
    }

    @Test
    void jobsAreFilteredByTheirGroup() {
      fixture.execute(
          "INSERT INTO @jobs (queue, kind, payload, group_key, status, died_at) SELECT 'q' || n % 2, 'k', '{}', CASE WHEN n % 3 > 0 THEN 'it''s ' || n % 3 END,"
              + " CASE WHEN n % 5 = 0 THEN 'dead' ELSE 'pending' END, now() FROM generate_series(1, 30) n");

      assertThat(idsOf(JobQuery.live().group("it's 1"))).hasSize(10);
      assertThat(idsOf(JobQuery.live().group("it's 1").queue("q0"))).hasSize(5);
      assertThat(idsOf(JobQuery.live().group("it's 1").status(JobStatus.DEAD))).hasSize(2);
      assertThat(idsOf(JobQuery.pending("q0").group("it's 2"))).hasSize(4);
      assertThat(idsOf(JobQuery.archived().group("it's 1"))).isEmpty();
      assertThat(idsOf(JobQuery.live().group("%"))).isEmpty();
      assertThat(reader.list(JobQuery.live().limit(3)).jobs())
          .extracting(JobSummary::group)
          .containsExactly("it's 1", "it's 2", null);
    }

    @Test
    void jobsAreFilteredByTheirLastErrorIgnoringCase() {
      fixture.execute(
          "INSERT INTO @jobs (kind, payload, status, died_at, last_error) SELECT 'k', '{}', 'dead', now(),"
              + " CASE n % 3 WHEN 0 THEN 'Connection TIMEOUT after 30 s' WHEN 1 THEN '100% wrong' END FROM generate_series(1, 30) n");

      assertThat(idsOf(JobQuery.live().error("timeout"))).hasSize(10);
      assertThat(idsOf(JobQuery.live().status(JobStatus.DEAD).error("Timeout After"))).hasSize(10);
      assertThat(idsOf(JobQuery.live().status(JobStatus.DEAD).error("0% W").limit(3))).hasSize(10);
      assertThat(idsOf(JobQuery.live().error("t_meout"))).isEmpty();
    }

    @Test
    void jobsAreFilteredByTheTimeOfTheirEnqueueOrEnd() {
      fixture.execute(
          "INSERT INTO @jobs (kind, payload, created_at) SELECT 'k', '{}', '2030-01-01Z'::timestamptz + n * interval '1 day'"
              + " FROM generate_series(1, 20) n");
      fixture.execute(
          "INSERT INTO @jobs_archive (id, finished_at, status, queue, kind, payload, payload_version, priority, scheduled_at, created_at, attempts, uncounted_attempts, max_attempts)"
              + " SELECT 1000000 + n, now() + n * interval '1 hour', 'completed', 'q', 'k', '{}', 1, 0, now(), '2001-01-01', 1, 0, 3 FROM generate_series(1, 20) n");
      Instant since =
          OffsetDateTime.parse(
                  fixture.value(
                      "SELECT to_char((now() + interval '10.5 hours') AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"))
              .toInstant();

      assertThat(idsOf(JobQuery.live().since(Instant.parse("2030-01-11T00:00:00Z")))).hasSize(11);
      assertThat(idsOf(JobQuery.pending("default").since(Instant.parse("2030-01-20T12:00:00Z"))))
          .hasSize(1);
      assertThat(idsOf(JobQuery.archived().since(since).limit(3))).hasSize(10);
      assertThat(idsOf(JobQuery.archived().since(Instant.MIN))).hasSize(20);
    }

    @Test
    void jobsAreFilteredByAFieldOfTheirPayload() {
      fixture.execute(
          "INSERT INTO @jobs (kind, payload, status, died_at) SELECT 'k', json_build_object('user', json_build_object('id', n % 4, 'a.b', 'x'), 'ok', n % 2 = 0)::jsonb,"
              + " CASE WHEN n % 3 = 0 THEN 'dead' ELSE 'pending' END, now() FROM generate_series(1, 24) n");
      fixture.execute(
          "INSERT INTO @jobs (kind, payload) VALUES ('k', '[1, \"b\"]'), ('k', '\"b\"')");

      assertThat(idsOf(JobQuery.live().payload("user.id", "3"))).hasSize(6);
      assertThat(idsOf(JobQuery.live().payload("ok", "true").limit(2))).hasSize(12);
      assertThat(idsOf(JobQuery.live().status(JobStatus.DEAD).payload("user.id", "3"))).hasSize(2);
      assertThat(idsOf(JobQuery.pending("default").payload("user.id", "3"))).hasSize(4);
      assertThat(idsOf(JobQuery.live().payload(new PayloadField(List.of("user", "a.b"), "x"))))
          .hasSize(24);
      assertThat(idsOf(JobQuery.live().payload("1", "b"))).hasSize(1);
      assertThat(idsOf(JobQuery.live().payload("user.id", "'; --"))).isEmpty();
    }

    @Test
    void pageByPayloadReadsAThousandJobsAndReturnsTheNextPosition() {
      fixture.execute(
          "INSERT INTO @jobs (kind, payload) SELECT 'k', json_build_object('n', n)::jsonb FROM generate_series(1, 1500) n");

      JobPage first = reader.list(JobQuery.live().payload("n", "1400"));

      assertThat(first.jobs()).isEmpty();
      assertThat(
              reader
                  .list(JobQuery.live().payload("n", "1400").after(first.next().orElseThrow()))
                  .jobs())
          .hasSize(1);
    }

    @Test
    void runningWaitingAndDeadJobsAreListed() {
      fixture.enqueue(6);
      List<ClaimedJob> claimed = fixture.claim(4);
      Execution fatal = claimed.get(1).execution();
      fixture.store.fail(List.of(new Failure(fatal, JobError.of("no"), Duration.ZERO, true)));
      fixture.execute(
          "INSERT INTO @jobs (kind, payload, status, ordering_key) VALUES ('work', '{}', 'waiting', 'b'), ('work', '{}', 'waiting', 'a')");

      assertThat(idsOf(JobQuery.live().status(JobStatus.RUNNING).limit(2)))
          .hasSize(3)
          .isSorted()
          .doesNotContain(fatal.jobId().value());
      assertThat(idsOf(JobQuery.live().status(JobStatus.WAITING).limit(1))).hasSize(2).isSorted();
      assertThat(idsOf(JobQuery.live().status(JobStatus.DEAD)))
          .containsExactly(fatal.jobId().value());
      assertThat(reader.list(JobQuery.live().status(JobStatus.DEAD)).jobs().get(0).diedAt())
          .isNotNull();
    }

    @Test
    void manyRunningJobsAreListedByWalkingThePrimaryKey() {
      fixture.execute(
          "INSERT INTO @jobs (queue, kind, payload, status, current_execution_id, lease_expires_at, started_at)"
              + " SELECT 'q', 'k' || n % 400, '{}', 'running', 20000 - n, now(), now() FROM generate_series(1, 10500) n");

      assertThat(idsOf(JobQuery.live().status(JobStatus.RUNNING).limit(500)))
          .hasSize(10_500)
          .isSorted()
          .doesNotHaveDuplicates();
      assertThat(idsOf(JobQuery.live().status(JobStatus.RUNNING).kind("k7"))).hasSize(27);
    }

    @Test
    void deadJobsOfManyQueuesAndKindsAreListedById() {
      fixture.execute(
          "INSERT INTO @jobs (queue, kind, payload, status, tags) SELECT 'q' || n % 3, 'k' || n % 7, '{}', 'dead',"
              + " ARRAY['t' || n % 2] FROM generate_series(1, 200) n");
      JobQuery dead = JobQuery.live().status(JobStatus.DEAD);

      assertThat(idsOf(dead.limit(7))).hasSize(200).isSorted().doesNotHaveDuplicates();
      assertThat(idsOf(dead.queue("q1").limit(7))).hasSize(67).isSorted();
      assertThat(idsOf(dead.queue("q1").kind("k1").limit(7))).hasSize(10).isSorted();
      assertThat(idsOf(dead.tag("t1").limit(7))).hasSize(100).isSorted();
      assertThat(reader.list(dead.limit(7)).jobs()).hasSize(7);
    }

    @Test
    void pendingJobsAreListedByDueTimeWhateverTheirPriority() {
      for (int minute = 1; minute <= 9; minute++) {
        int priority = minute % 3;
        Duration delay = Duration.ofMinutes((minute * 4) % 9);
        fixture.queue.enqueue(
            WORK, new Fixture.Work(minute), job -> job.delay(delay).priority(priority));
      }
      fixture.queue.enqueue(WORK, new Fixture.Work(99), job -> job.onQueue("other"));

      List<JobSummary> all = all(JobQuery.pending("default").limit(2));

      assertThat(all).hasSize(9);
      assertThat(all).extracting(JobSummary::scheduledAt).isSorted();
      assertThat(idsOf(JobQuery.pending("default").kind("none").limit(2))).isEmpty();
      assertThat(idsOf(JobQuery.pending("empty"))).isEmpty();
    }

    @Test
    void archivedJobsAreListedFromTheLatest() {
      fixture.enqueue(7);
      for (int i = 0; i < 7; i++) {
        fixture.store.complete(List.of(fixture.claimOne(LEASE)));
      }
      fixture.execute(
          "SELECT @create_partition('jobs_archive', '2020-02-03 00:00Z'), @create_partition('jobs_archive', '2020-02-04 00:00Z')");
      fixture.execute(
          "INSERT INTO @jobs_archive (id, finished_at, status, queue, kind, payload, payload_version, priority, scheduled_at, created_at, attempts, uncounted_attempts, max_attempts, tags)"
              + " SELECT 1000000 + n, '2020-02-03 23:59:50Z'::timestamptz + n * interval '2 s', 'cancelled', 'old', 'k', '{}', 1, 0, now(), now(), 0, 0, 3, '{vip}'"
              + " FROM generate_series(1, 10) n");

      List<JobSummary> all = all(JobQuery.archived().limit(3));

      assertThat(all).hasSize(17);
      assertThat(all)
          .extracting(JobSummary::finishedAt)
          .isSortedAccordingTo((a, b) -> b.compareTo(a));
      assertThat(idsOf(JobQuery.archived().status(JobStatus.CANCELLED).limit(3))).hasSize(10);
      assertThat(idsOf(JobQuery.archived().queue("old").tag("vip").kind("k"))).hasSize(10);
      assertThat(idsOf(JobQuery.archived().status(JobStatus.COMPLETED))).hasSize(7);
    }

    private List<JobSummary> all(JobQuery query) {
      List<JobSummary> all = new ArrayList<>();
      JobPage page = reader.list(query);
      all.addAll(page.jobs());
      while (page.next().isPresent()) {
        page = reader.list(query.after(page.next().orElseThrow()));
        all.addAll(page.jobs());
      }
      return all;
    }

    private List<Long> idsOf(JobQuery query) {
      return all(query).stream().map(job -> job.id().value()).toList();
    }
  }

  /** All stack traces of a job that failed 1,000 times with the longest texts would take 40 MB. */
  @Test
  void aJobIsFoundWithTheStackTracesOfItsLatestFailuresOnly() {
    fixture.enqueue(1);
    JobId id = new JobId(Long.parseLong(fixture.value("SELECT id FROM @jobs")));
    fixture.execute(
        "INSERT INTO @job_executions (id, job_id, started_at, finished_at, attempt, queue, kind, status, error_message, error_stack)"
            + " SELECT 1000000 + n, "
            + id
            + ", now(), now(), n, 'default', 'work', 'failed', 'no luck', repeat('x', 1000) FROM generate_series(1, 100) n");

    List<JobExecution> executions = reader.find(id).orElseThrow().executions();

    assertThat(executions).hasSize(100).allMatch(e -> e.error() != null);
    assertThat(executions)
        .filteredOn(e -> Objects.requireNonNull(e.error()).stack() != null)
        .extracting(JobExecution::attempt)
        .containsExactlyElementsOf(IntStream.rangeClosed(81, 100).boxed().toList());
  }

  @Nested
  class Counts {

    @Test
    void smallCountsAreExactByQueueKindAndStatus() {
      fixture.execute(
          "INSERT INTO @jobs (queue, kind, payload, priority) SELECT 'a', 'k' || n % 2, '{}', n % 3 FROM generate_series(1, 10) n");
      fixture.execute(
          "INSERT INTO @jobs (queue, kind, payload, status) SELECT 'b', 'k' || n % 2, '{}', 'dead' FROM generate_series(1, 3) n");
      fixture.execute(
          "INSERT INTO @jobs (queue, kind, payload, status, ordering_key) VALUES ('b', 'k0', '{}', 'waiting', 'x')");
      fixture.enqueue(2);
      fixture.claim(1);

      assertThat(reader.counts())
          .containsExactly(
              new JobCount("a", "k0", JobStatus.PENDING, 5, false),
              new JobCount("a", "k1", JobStatus.PENDING, 5, false),
              new JobCount("b", "k0", JobStatus.WAITING, 1, false),
              new JobCount("b", "k0", JobStatus.DEAD, 1, false),
              new JobCount("b", "k1", JobStatus.DEAD, 2, false),
              new JobCount("default", "work", JobStatus.PENDING, 1, false),
              new JobCount("default", "work", JobStatus.RUNNING, 1, false));
    }

    @Test
    void countsAreExactUpToTenThousandAndEstimatedBeyond() {
      fixture.execute(
          "INSERT INTO @jobs (queue, kind, payload) SELECT 'full', 'k', '{}' FROM generate_series(1, 10000)");
      assertThat(reader.counts())
          .containsExactly(new JobCount("full", "k", JobStatus.PENDING, 10_000, false));

      fixture.execute(
          "INSERT INTO @jobs (queue, kind, payload) SELECT 'small', 'k', '{}' FROM generate_series(1, 7)");
      fixture.execute(
          "INSERT INTO @jobs (queue, kind, payload) SELECT 'full', CASE WHEN n % 4 = 0 THEN 'late' ELSE 'k' END, '{}'"
              + " FROM generate_series(1, 90000) n");

      List<JobCount> counts = reader.counts();

      assertThat(counts).contains(new JobCount("small", "k", JobStatus.PENDING, 7, false));
      assertThat(counts)
          .filteredOn(JobCount::estimated)
          .extracting(JobCount::queue, JobCount::kind)
          .containsExactly(tuple("full", "*"), tuple("full", "k"), tuple("full", "late"));
      assertThat(jobs(counts, "k")).isBetween(77_500L * 3 / 4, 77_500L * 5 / 4);
      assertThat(jobs(counts, "late")).isBetween(22_500L * 3 / 4, 22_500L * 5 / 4);
    }

    /** The sample of the table's pages rarely contains the rare kind. */
    @Test
    void countsReportThatAGroupMayBeMissing() {
      fixture.execute(
          "INSERT INTO @jobs (queue, kind, payload) SELECT 'full', 'k', '{}' FROM generate_series(1, 20000)");
      fixture.execute(
          "INSERT INTO @jobs (queue, kind, payload) VALUES ('full', 'rare', '{}'), ('small', 'k', '{}')");

      List<JobCount> counts = reader.counts();

      assertThat(counts)
          .filteredOn(JobCount::isOthers)
          .containsExactly(new JobCount("full", JobCount.OTHERS, JobStatus.PENDING, 0, true));
    }

    @Test
    void countsShowThatRunningJobsOfAnyQueueMayBeMissing() {
      fixture.execute(
          "INSERT INTO @jobs (kind, payload, status, current_execution_id, started_at, lease_expires_at, attempts)"
              + " SELECT 'k', '{}', 'running', n, now(), now() + interval '1 hour', 1 FROM generate_series(1, 10001) n");

      assertThat(reader.counts())
          .filteredOn(JobCount::isOthers)
          .containsExactly(
              new JobCount(JobCount.OTHERS, JobCount.OTHERS, JobStatus.RUNNING, 0, true));
    }

    private static long jobs(List<JobCount> counts, String kind) {
      return counts.stream()
          .filter(count -> count.queue().equals("full") && count.kind().equals(kind))
          .mapToLong(JobCount::jobs)
          .sum();
    }
  }

  @Nested
  class OldestPending {

    @Test
    void oldestPendingIsTheFirstDueOfAllPriorities() {
      fixture.execute(
          "INSERT INTO @jobs (queue, kind, payload, priority, scheduled_at) VALUES"
              + " ('a', 'k', '{}', 5, now() - interval '1 minute'), ('a', 'k', '{}', -5, now() - interval '1 hour'),"
              + " ('a', 'k', '{}', 0, now()), ('b', 'k', '{}', 0, now() + interval '1 day')");

      List<PendingAge> ages = reader.oldestPending();

      assertThat(ages).extracting(PendingAge::queue).containsExactly("a", "b");
      assertThat(ages.get(0).age()).isBetween(Duration.ofMinutes(60), Duration.ofMinutes(65));
      assertThat(ages.get(1).age()).isZero();
      assertThat(ages.get(1).scheduledAt()).isAfter(ages.get(0).scheduledAt());
    }
  }

  @Nested
  class DeadLetters {

    @Test
    void deadJobsAreGroupedByTheFirstLineOfTheirError() {
      fixture.enqueue(3);
      List<ClaimedJob> claimed = fixture.claim(3);
      fixture.store.fail(
          List.of(
              died(claimed.get(0), new IllegalStateException("no route\nto 10.0.0.1")),
              died(claimed.get(1), new IllegalStateException("no route\nto 10.0.0.2")),
              died(claimed.get(2), new ArithmeticException("/ by zero"))));

      var letters = reader.deadLetters();

      assertThat(letters).hasSize(2);
      assertThat(letters.get(0).error()).isEqualTo("no route");
      assertThat(letters.get(0).errorClass()).isEqualTo("java.lang.IllegalStateException");
      assertThat(letters.get(0).jobs()).isEqualTo(2);
      assertThat(letters.get(0).atLeast()).isFalse();
      assertThat(letters.get(0).example()).isEqualTo(claimed.get(1).execution().jobId());
      assertThat(letters.get(0).firstDiedAt()).isBeforeOrEqualTo(letters.get(0).lastDiedAt());
      assertThat(letters.get(1).error()).isEqualTo("/ by zero");
      assertThat(letters.get(1).errorClass()).isEqualTo("java.lang.ArithmeticException");
    }

    /** The values in a message differ between jobs. Two bugs differ in the class of the error. */
    @Test
    void deadJobsOfOneBugAreOneGroup() {
      fixture.enqueue(45);
      List<Failure> failures = new ArrayList<>();
      for (ClaimedJob job : fixture.claim(45)) {
        int n = failures.size();
        UUID id = UUID.randomUUID();
        failures.add(
            died(
                job,
                n < 40
                    ? new ClassCastException(
                        "Order %d-A of '%s', user %s can't be cast after 1.%dE7 ms"
                            .formatted(n, "customer " + "x".repeat(n * 4), id, n))
                    : n < 43
                        ? new IllegalStateException("declined: \"%s".formatted("no ".repeat(n * 3)))
                        : new IllegalArgumentException("declined: \"\"")));
      }
      fixture.store.fail(failures);

      var letters = reader.deadLetters();

      assertThat(letters)
          .extracting(DeadLetterGroup::jobs, DeadLetterGroup::errorClass, DeadLetterGroup::error)
          .containsExactly(
              tuple(
                  40L,
                  "java.lang.ClassCastException",
                  "Order * of *, user * can't be cast after *.* ms"),
              tuple(3L, "java.lang.IllegalStateException", "declined: *"),
              tuple(2L, "java.lang.IllegalArgumentException", "declined: *"));
      JobQuery live = JobQuery.live().limit(500);
      assertThat(reader.list(live.errorGroup(letters.get(0).error())).jobs()).hasSize(40);
      assertThat(reader.list(live.errorClass("IllegalStateException")).jobs()).hasSize(3);
      assertThat(
              reader
                  .list(
                      live.errorClass("java.lang.IllegalArgumentException")
                          .errorGroup("declined: *"))
                  .jobs())
          .hasSize(2);
      assertThat(reader.list(live.errorClass("StateException")).jobs()).isEmpty();
      assertThat(reader.list(JobQuery.archived().errorGroup("declined: *")).jobs()).isEmpty();
    }

    @Test
    void deadJobsWithoutAnErrorAreShown() {
      fixture.execute(
          "INSERT INTO @jobs (queue, kind, payload, status) VALUES ('q', 'k', '{}', 'dead')");

      var letter = reader.deadLetters().get(0);

      assertThat(letter.error()).isEmpty();
      assertThat(letter.errorClass()).isNull();
    }

    @Test
    void deadJobsThatLostTheirLeaseHaveNoErrorClass() {
      fixture.enqueue(1);
      for (int attempt = 1; attempt <= 3; attempt++) {
        fixture.claimOne(EXPIRED);
        fixture.store.rescue(Duration.ZERO, 10);
      }

      var letter = reader.deadLetters().get(0);

      JobSummary dead = reader.list(JobQuery.live().status(JobStatus.DEAD)).jobs().get(0);
      assertThat(letter.error()).isNotEmpty().isEqualTo(dead.lastError());
      assertThat(letter.errorClass()).isNull();
    }

    private static Failure died(ClaimedJob job, Throwable thrown) {
      return new Failure(job.execution(), JobError.of(thrown), Duration.ZERO, true);
    }
  }

  @Nested
  class Queues {

    @Test
    void queuesAreListedWithTheirSettings() {
      fixture.execute("INSERT INTO @job_limits (name, max_running) VALUES ('stripe', 4)");
      fixture.execute(
          "INSERT INTO @job_queues (queue, paused_at, limit_name, fair, archive_retention, dead_retention, default_priority, default_max_attempts)"
              + " VALUES ('b', now(), 'stripe', true, interval '1 month', interval '0', -7, 9), ('a', NULL, NULL, false, NULL, interval '0.5 s', NULL, NULL)");

      List<QueueState> queues = reader.queues();

      assertThat(queues).extracting(QueueState::queue).containsExactly("a", "b");
      assertThat(queues.get(0).paused()).isFalse();
      assertThat(queues.get(0).limit()).isNull();
      assertThat(queues.get(0).archiveRetention()).isNull();
      assertThat(queues.get(0).deadRetention()).isEqualTo(Duration.ofSeconds(1));
      assertThat(queues.get(1).paused()).isTrue();
      assertThat(queues.get(1).pausedUntil()).isNull();
      assertThat(queues.get(1).limit()).isEqualTo("stripe");
      assertThat(queues.get(1).fair()).isTrue();
      assertThat(queues.get(1).archiveRetention()).isEqualTo(Duration.ofDays(30));
      assertThat(queues.get(1).deadRetention()).isZero();
      assertThat(queues.get(1).defaultPriority()).isEqualTo(-7);
      assertThat(queues.get(1).defaultMaxAttempts()).isEqualTo(9);
    }
  }
}
