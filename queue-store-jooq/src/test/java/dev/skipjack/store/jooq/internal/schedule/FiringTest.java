package dev.skipjack.store.jooq.internal.schedule;

import static dev.skipjack.store.jooq.internal.schedule.ScheduleFixture.REPORT;
import static dev.skipjack.store.jooq.internal.schedule.ScheduleFixture.daily;
import static dev.skipjack.store.jooq.internal.schedule.ScheduleFixture.every;
import static dev.skipjack.store.jooq.internal.schedule.ScheduleFixture.times;
import static java.time.temporal.ChronoUnit.HOURS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.operations.JobDetails;
import dev.skipjack.api.schedule.Missed;
import dev.skipjack.api.schedule.Overlap;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.ScheduledFire;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.ScheduleStore;
import dev.skipjack.api.spi.ScheduleStore.Failed;
import dev.skipjack.api.spi.ScheduleStore.Fired;
import dev.skipjack.api.spi.ScheduleStore.Round;
import dev.skipjack.store.jooq.internal.schedule.ScheduleFixture.Report;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that due schedules enqueue their jobs and get their next fire time. */
@QueueTest
class FiringTest {

  private ScheduleFixture on;

  @BeforeEach
  void create(QueueDatabase database) {
    on = new ScheduleFixture(database);
  }

  @Test
  void aDueScheduleEnqueuesItsJobOnceAndMovesToTheNextFire() {
    on.schedules.declare(
        Schedule.every(Duration.ofHours(1))
            .named("sync")
            .enqueue(
                REPORT, new Report("a"), job -> job.priority(7).maxAttempts(2).tags("x", "y")));
    Instant hour = on.now().truncatedTo(HOURS);
    on.plan("sync", hour);

    List<Fired> fired = on.fireAll();

    assertThat(times(fired)).containsExactly(hour);
    assertThat(on.fireAll()).isEmpty();
    assertThat(on.jobs()).isEqualTo(1);
    assertThat(
            on.fixture.value(
                "SELECT concat_ws(' ', queue, kind, payload, priority, max_attempts, tags) FROM @jobs"))
        .isEqualTo("default report {\"of\": \"a\"} 7 2 {x,y}");
    assertThat(on.state("sync"))
        .satisfies(
            state -> {
              assertThat(state.lastFire()).isEqualTo(hour);
              assertThat(state.lastJob()).isEqualTo(fired.get(0).job());
              assertThat(state.nextFires().get(0)).isEqualTo(hour.plus(1, HOURS));
            });
  }

  @Test
  void aJobShowsItsScheduleAndPlannedTimeToHandlerAndReaderAndInTheArchive() {
    on.schedules.declare(every(Duration.ofHours(1), "sync"));
    Instant hour = on.now().truncatedTo(HOURS);
    on.plan("sync", hour);
    JobId job = Objects.requireNonNull(on.fireAll().get(0).job());
    ScheduledFire fire = new ScheduledFire("sync", hour);

    ClaimedJob claimed = on.claim().get(0);
    assertThat(claimed.fire()).contains(fire);
    assertThat(claimed.traceparent()).isNull();
    assertThat(on.fixture.queue.reader().find(job)).map(JobDetails::fire).contains(fire);

    on.fixture.store.complete(List.of(claimed.execution()));

    JobDetails archived = on.fixture.queue.reader().find(job).orElseThrow();
    assertThat(archived.fire()).isEqualTo(fire);
    assertThat(archived.traceparent()).isNull();
    assertThat(on.state("sync").lastStatus()).hasToString("COMPLETED");
  }

  @Test
  void anIdempotencyKeyOfTheApplicationSuppressesNoFire() {
    on.schedules.declare(every(Duration.ofHours(1), "sync"));
    Instant hour = on.now().truncatedTo(HOURS);
    on.plan("sync", hour);
    String text = new ScheduledFire("sync", hour).text();
    on.fixture.queue.enqueueAllOnce(
        REPORT, List.of(new Report("a")), (report, options) -> options.idempotencyKey(text));

    assertThat(times(on.fireAll())).containsExactly(hour);
    assertThat(on.jobs()).isEqualTo(2);
  }

  @Test
  void aJitteredScheduleFiresLaterButForItsPlannedTime() {
    on.schedules.declare(every(Duration.ofHours(1), "sync").jitter(Duration.ofMinutes(50)));

    assertThat(
            on.fixture.value(
                "SELECT due_at > next_at AND due_at < next_at + interval '50 minutes' FROM @job_schedules"))
        .isEqualTo("t");

    on.plan("sync", on.now().truncatedTo(HOURS).minus(1, HOURS));
    assertThat(times(on.fireAll()))
        .hasSize(1)
        .allMatch(planned -> planned.equals(planned.truncatedTo(HOURS)));
  }

  @Test
  void aFunctionMakesThePayloadFromTheTimeOfTheFire() {
    Schedule made =
        Schedule.every(Duration.ofHours(1))
            .named("made")
            .enqueueFrom(REPORT, fire -> new Report(fire.toString()));
    on.schedules.declare(made);
    Instant hour = on.now().truncatedTo(HOURS);
    on.plan("made", hour);

    assertThat(on.fireAll()).isEmpty();
    assertThat(on.store.fireDue(List.of()).nextIn()).isNull();

    assertThat(times(on.fireAll(made))).containsExactly(hour);
    assertThat(on.fixture.value("SELECT payload ->> 'of' FROM @jobs")).isEqualTo(hour.toString());
  }

  @Test
  void jobsWhoseTypeDerivesAnOrderingKeyRunOneAfterAnother() {
    Schedule ordered =
        Schedule.every(Duration.ofHours(1))
            .named("ordered")
            .enqueueFrom(REPORT.orderedBy(report -> "key"), fire -> new Report(fire.toString()))
            .missed(Missed.all(2));
    on.schedules.declare(ordered);
    on.plan("ordered", on.now().truncatedTo(HOURS).minus(1, HOURS));

    List<JobId> jobs =
        on.fireAll(ordered).stream().map(fired -> Objects.requireNonNull(fired.job())).toList();

    assertThat(jobs).extracting(on::status).containsExactly("PENDING", "WAITING");
    on.fixture.store.complete(List.of(on.claim().get(0).execution()));
    assertThat(jobs).extracting(on::status).containsExactly("COMPLETED", "PENDING");
  }

  @Test
  void aScheduleWhosePolicyWasChangedInSqlFires() {
    on.schedules.declare(every(Duration.ofHours(1), "sync").missed(Missed.all(5)));
    on.fixture.execute("UPDATE @job_schedules SET missed = 'once'");
    Instant hour = on.now().truncatedTo(HOURS);
    on.plan("sync", hour.minus(4, HOURS));

    assertThat(times(on.fireAll())).containsExactly(hour);
    assertThat(on.state("sync").missed()).isEqualTo(Missed.once());
  }

  @Test
  void workerThatDeclaredAPredicateForExceptedDatesCallsIt() {
    Schedule never =
        Schedule.every(Duration.ofHours(1))
            .except(date -> date.getYear() < 2100)
            .named("late")
            .enqueue(REPORT, new Report("x"));
    on.schedules.declare(never);
    on.plan("late", on.now().truncatedTo(HOURS));

    assertThat(on.fireAll(never)).isEmpty();
    assertThat(on.state("late").nextFires().get(0)).isAfter("2099-12-31T22:00:00Z");
  }

  @Test
  void aScheduleThatFailsIsTriedAgainLaterAndDoesNotStopTheOthers() {
    Schedule broken =
        Schedule.every(Duration.ofHours(1))
            .named("broken")
            .enqueueFrom(
                REPORT,
                fire -> {
                  throw new IllegalStateException("no report for " + fire);
                });
    on.schedules.declare(List.of(broken, every(Duration.ofHours(1), "sound")));
    Instant hour = on.now().truncatedTo(HOURS);
    on.plan("broken", hour);
    on.plan("sound", hour);

    Round round = on.store.fireDue(List.of(broken));

    assertThat(round.fired()).extracting(fired -> fired.fire().schedule()).containsExactly("sound");
    assertThat(round.failed()).extracting(failed -> failed.schedule()).containsExactly("broken");
    assertThat(round.nextIn()).isBetween(Duration.ofSeconds(1), Duration.ofSeconds(5));
    assertThat(on.state("broken").failure())
        .satisfies(
            failure -> {
              assertThat(failure.tries()).isEqualTo(1);
              assertThat(failure.error()).contains("no report for " + hour);
            });
    assertThat(on.state("broken").nextFires().get(0)).isEqualTo(hour);

    on.fixture.execute("UPDATE @job_schedules SET due_at = next_at");
    Schedule fixed =
        Schedule.every(Duration.ofHours(1))
            .named("broken")
            .enqueueFrom(REPORT, fire -> new Report("fixed"));
    assertThat(times(on.fireAll(fixed))).containsExactly(hour);
    assertThat(on.state("broken").failure()).isNull();
  }

  static Stream<Throwable> thrown() {
    return Stream.of(
        new SQLException("checked"),
        new AssertionError("an assertion"),
        new OutOfMemoryError("too large"),
        new StackOverflowError("too deep"),
        new NoClassDefFoundError("missing"),
        new Throwable("neither exception nor error"),
        new IllegalStateException("odd") {
          private static final long serialVersionUID = 1L;

          @Override
          public String getMessage() {
            throw new IllegalStateException("cannot describe itself");
          }
        });
  }

  @ParameterizedTest
  @MethodSource("thrown")
  void throwableOfAFunctionFailsOnlyItsSchedule(Throwable thrown) {
    Schedule broken =
        Schedule.every(Duration.ofHours(1))
            .named("broken")
            .enqueueFrom(
                REPORT,
                fire -> {
                  throw FiringTest.<RuntimeException>sneaky(thrown);
                });
    on.schedules.declare(List.of(broken, every(Duration.ofHours(1), "sound")));
    on.plan("broken", on.now().truncatedTo(HOURS));
    on.plan("sound", on.now().truncatedTo(HOURS));

    Round round = on.store.fireDue(List.of(broken));

    assertThat(round.fired()).extracting(fired -> fired.fire().schedule()).containsExactly("sound");
    assertThat(round.failed()).extracting(Failed::error).containsExactly(thrown);
    assertThat(Objects.requireNonNull(on.state("broken").failure()).error()).isNotBlank();
  }

  /** Throws any throwable, as functions can in Kotlin. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // hides the checked exception
  private static <T extends Throwable> T sneaky(Throwable thrown) throws T {
    throw (T) thrown;
  }

  @Test
  void codeThatHasNotReturnedYetDelaysItsScheduleOnlyAndItsPlanIsFiredLater() {
    Schedule slow =
        Schedule.every(Duration.ofHours(1))
            .named("slow")
            .enqueueFrom(REPORT, fire -> new Report("slow"));
    on.schedules.declare(List.of(slow, every(Duration.ofHours(1), "sound")));
    on.plan("slow", on.now().truncatedTo(HOURS));
    on.plan("sound", on.now().truncatedTo(HOURS));
    List<ScheduleStore.Plan> running = new ArrayList<>();

    Round first =
        on.store.fireDue(
            List.of(slow),
            plans -> {
              running.addAll(plans);
              return List.of();
            });
    Round second = on.store.fireDue(List.of(), plans -> plans);
    running.forEach(ScheduleStore.Plan::run);
    Round third = on.store.fireDue(List.of(), plans -> running);

    assertThat(first.fired()).extracting(fired -> fired.fire().schedule()).containsExactly("sound");
    assertThat(first.failed()).isEmpty();
    assertThat(first.nextIn()).isPositive();
    assertThat(second.fired()).isEmpty();
    assertThat(third.fired()).extracting(fired -> fired.fire().schedule()).containsExactly("slow");
  }

  @Test
  void aResultThatArrivesAfterItsPlanWasGivenUpIsIgnored() {
    Schedule slow =
        Schedule.every(Duration.ofHours(1))
            .named("slow")
            .enqueueFrom(REPORT, fire -> new Report("slow"));
    on.schedules.declare(slow);
    on.plan("slow", on.now().truncatedTo(HOURS));

    Round round =
        on.store.fireDue(
            List.of(slow),
            plans -> {
              plans.forEach(plan -> plan.fail(new IllegalStateException("too slow")));
              plans.forEach(ScheduleStore.Plan::run);
              return plans;
            });

    assertThat(round.fired()).isEmpty();
    assertThat(round.failed()).extracting(Failed::schedule).containsExactly("slow");
    assertThat(Objects.requireNonNull(on.state("slow").failure()).error()).contains("too slow");
  }

  @Test
  void plannedTimesBeforeAPauseAreFiredAfterItAndThoseWithinItAreNot() {
    on.schedules.declare(every(Duration.ofSeconds(1), "second").missed(Missed.all(1_000)));
    Instant pausedAt = on.now().minusSeconds(60);
    on.plan("second", pausedAt.minusSeconds(6));
    on.schedules.pause("second");
    on.fixture.execute("UPDATE @job_schedules SET paused_at = '%s'".formatted(pausedAt));

    on.schedules.resume("second");
    Instant resumedAt = Instant.parse(on.fixture.value(RESUMED_AT));
    List<Instant> fired = times(on.fireAll());

    assertThat(fired)
        .startsWith(
            IntStream.rangeClosed(0, 6)
                .mapToObj(n -> pausedAt.minusSeconds(6 - n))
                .toArray(Instant[]::new));
    assertThat(fired.subList(7, fired.size())).allMatch(time -> time.isAfter(resumedAt));
    assertThat(on.fixture.value("SELECT missed_until FROM @job_schedules")).isNull();
  }

  private static final String RESUMED_AT =
      "SELECT to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') FROM @job_schedules";

  @Test
  void overdueTimesOfSeveralBatchesAreFiredAfterAPause() {
    on.schedules.declare(every(Duration.ofSeconds(1), "second").missed(Missed.all(1_000)));
    Instant pausedAt = on.now().minusSeconds(600);
    on.plan("second", pausedAt.minusSeconds(249));
    on.schedules.pause("second");
    on.fixture.execute("UPDATE @job_schedules SET paused_at = '%s'".formatted(pausedAt));

    on.schedules.resume("second");

    assertThat(times(on.fireAll()))
        .filteredOn(time -> !time.isAfter(pausedAt))
        .hasSize(250)
        .isSorted()
        .doesNotHaveDuplicates();
  }

  @Test
  void aJobThatTheDatabaseRefusesPostponesItsScheduleOnly() {
    on.schedules.declare(List.of(daily("a"), daily("b"), daily("c")));
    on.fixture.execute("UPDATE @job_schedules SET payload_version = 5 WHERE name = 'b'");
    on.fixture.execute(
        "ALTER TABLE @jobs ADD CONSTRAINT refusing CHECK (payload_version <> 5) NOT VALID");
    for (String name : List.of("a", "b", "c")) {
      on.plan(name, Instant.parse("2026-01-05T09:00:00Z"));
    }

    Round round = on.store.fireDue(List.of());

    assertThat(round.fired()).extracting(it -> it.fire().schedule()).containsExactly("a", "c");
    assertThat(round.failed()).extracting(it -> it.schedule()).containsExactly("b");
    assertThat(Objects.requireNonNull(on.state("b").failure()).error()).contains("refusing");
  }

  @Test
  void aScheduleWithStrictOrderingWaitsForItsKeyAndDelaysNoOther() throws SQLException {
    JobType<Report> strict = REPORT.orderedBy(Report::of).strictOrdering();
    Schedule ordered =
        Schedule.every(Duration.ofHours(1))
            .named("ordered")
            .enqueueFrom(strict, fire -> new Report("key"));
    on.schedules.declare(List.of(ordered, every(Duration.ofHours(1), "plain")));
    on.plan("ordered", on.now().truncatedTo(HOURS));
    on.plan("plain", on.now().truncatedTo(HOURS));

    JobId first;
    try (Connection open = on.fixture.database.connection()) {
      open.setAutoCommit(false);
      first = on.fixture.queue.in(open).enqueue(strict, new Report("key"));
      Round round = on.store.fireDue(List.of(ordered));
      assertThat(round.fired()).extracting(it -> it.fire().schedule()).containsExactly("plain");
      assertThat(round.failed()).isEmpty();
      assertThat(round.nextIn()).isZero();
      open.commit();
    }
    JobId second = Objects.requireNonNull(on.fireAll(ordered).get(0).job());
    assertThat(second.value()).isGreaterThan(first.value());
    assertThat(on.fixture.value("SELECT string_agg(DISTINCT ordering_key, ' ') FROM @jobs"))
        .isEqualTo("key");
  }

  @Test
  void aRequestedFireHappensOnceEvenWhilePausedAndLeavesTheNextFire() {
    on.schedules.declare(daily("report"));
    on.schedules.pause("report");
    Instant next = on.state("report").nextFires().get(0);

    assertThat(on.schedules.fireNow("report")).isTrue();
    assertThat(on.schedules.fireNow("report")).isTrue();
    List<Fired> fired = on.fireAll();

    assertThat(fired).hasSize(1);
    assertThat(fired.get(0).fire().at())
        .isBetween(on.now().minusSeconds(60), on.now().plusSeconds(5));
    assertThat(on.fireAll()).isEmpty();
    assertThat(on.state("report").nextFires().get(0)).isEqualTo(next);
    assertThat(on.state("report").lastFire()).isNull();
    assertThat(on.state("report").lastJob()).isEqualTo(fired.get(0).job());
    assertThat(on.schedules.fireNow("unknown")).isFalse();
  }

  @Test
  void jobOfAKindWithoutAWorkerIsEnqueued() {
    on.schedules.declare(every(Duration.ofHours(1), "sync"));
    on.fixture.execute("UPDATE @job_schedules SET kind = 'from-the-future'");
    on.plan("sync", on.now().truncatedTo(HOURS));

    assertThat(on.fireAll()).hasSize(1);
    assertThat(on.fixture.value("SELECT kind FROM @jobs")).isEqualTo("from-the-future");
  }

  @Test
  void noFireIsEnqueuedTwiceEvenIfTheNextFireIsSetBack() {
    on.schedules.declare(every(Duration.ofHours(1), "sync"));
    Instant hour = on.now().truncatedTo(HOURS);
    on.plan("sync", hour);
    on.fireAll();

    on.plan("sync", hour);
    List<Fired> again = on.fireAll();

    assertThat(again).extracting(Fired::job).containsOnlyNulls();
    assertThat(on.jobs()).isEqualTo(1);
  }

  @Test
  void whileAJobIsLiveAScheduleThatMustNotOverlapEnqueuesNothing() {
    on.schedules.declare(every(Duration.ofHours(1), "sync").overlap(Overlap.SKIP_WHILE_LIVE));
    Instant hour = on.now().truncatedTo(HOURS);
    on.schedules.fireNow("sync");
    assertThat(on.fireAll()).hasSize(1);
    on.plan("sync", hour);

    List<Fired> second = on.fireAll();

    assertThat(second).extracting(Fired::job).containsOnlyNulls();
    assertThat(on.jobs()).isEqualTo(1);
    assertThat(on.state("sync").lastFire()).isEqualTo(hour);
    ClaimedJob first = on.claim().get(0);
    on.fixture.store.complete(List.of(first.execution()));
    on.schedules.fireNow("sync");
    assertThat(on.fireAll()).extracting(Fired::job).doesNotContainNull().hasSize(1);
  }

  @Test
  void fireCancelsThePreviousJobIfTheScheduleRequestsIt() {
    on.schedules.declare(
        every(Duration.ofHours(1), "sync").overlap(Overlap.CANCEL_PREVIOUS).missed(Missed.all(10)));
    Instant hour = on.now().truncatedTo(HOURS);
    on.plan("sync", hour.minus(5, HOURS));
    List<Fired> first = on.fireAll();
    assertThat(times(first)).containsExactly(hour);

    on.schedules.fireNow("sync");
    List<Fired> second = on.fireAll();

    assertThat(on.status(Objects.requireNonNull(first.get(0).job()))).isEqualTo("CANCELLED");
    assertThat(on.status(Objects.requireNonNull(second.get(0).job()))).isEqualTo("PENDING");
  }

  @Test
  void aRequestAndADueFireEnqueueOneJobIfEachCancelsThePrevious() {
    on.schedules.declare(every(Duration.ofHours(1), "sync").overlap(Overlap.CANCEL_PREVIOUS));
    on.schedules.fireNow("sync");
    JobId previous = Objects.requireNonNull(on.fireAll().get(0).job());
    Instant hour = on.now().truncatedTo(HOURS);
    on.plan("sync", hour);
    on.schedules.fireNow("sync");

    List<Fired> fired = on.fireAll();

    assertThat(times(fired)).containsExactly(hour);
    assertThat(on.status(previous)).isEqualTo("CANCELLED");
    assertThat(on.jobs()).isEqualTo(1);
    assertThat(on.status(Objects.requireNonNull(fired.get(0).job()))).isEqualTo("PENDING");
  }

  @Test
  void aPreviousJobThatIsLockedPostponesItsScheduleOnly() throws SQLException {
    on.schedules.declare(
        List.of(
            every(Duration.ofHours(1), "locked").overlap(Overlap.CANCEL_PREVIOUS),
            every(Duration.ofHours(1), "free").overlap(Overlap.CANCEL_PREVIOUS),
            every(Duration.ofHours(1), "plain")));
    Map<String, JobId> previous = fireEachOnRequest();
    Instant hour = on.now().truncatedTo(HOURS);
    previous.keySet().forEach(name -> on.plan(name, hour));

    try (Connection other = on.fixture.database.connection()) {
      other.setAutoCommit(false);
      lock(other, of(previous, "locked"));

      Round round = on.store.fireDue(List.of());

      assertThat(round.fired())
          .extracting(it -> it.fire().schedule())
          .containsExactlyInAnyOrder("free", "plain");
      assertThat(round.failed()).extracting(Failed::schedule).containsExactly("locked");
      assertThat(Objects.requireNonNull(on.state("locked").failure()).error())
          .contains("Last job " + of(previous, "locked") + " of schedule 'locked' is locked");
      other.rollback();
    }
    assertThat(on.status(of(previous, "free"))).isEqualTo("CANCELLED");
    assertThat(on.status(of(previous, "locked"))).isEqualTo("PENDING");

    on.fixture.execute("UPDATE @job_schedules SET due_at = next_at WHERE name = 'locked'");
    assertThat(times(on.fireAll())).containsExactly(hour);
    assertThat(on.status(of(previous, "locked"))).isEqualTo("CANCELLED");
  }

  @Test
  void aCancelThatTheDatabaseRefusesPostponesItsScheduleOnly() {
    on.schedules.declare(
        List.of(
            every(Duration.ofHours(1), "a").overlap(Overlap.CANCEL_PREVIOUS),
            every(Duration.ofHours(1), "b").overlap(Overlap.CANCEL_PREVIOUS),
            every(Duration.ofHours(1), "c").overlap(Overlap.CANCEL_PREVIOUS),
            every(Duration.ofHours(1), "plain")));
    Map<String, JobId> previous = fireEachOnRequest();
    on.fixture.execute("UPDATE @jobs SET kind = 'refused' WHERE id = " + of(previous, "b"));
    on.fixture.execute(
        "ALTER TABLE @jobs_archive ADD CONSTRAINT refusing CHECK (kind <> 'refused') NOT VALID");
    Instant hour = on.now().truncatedTo(HOURS);
    previous.keySet().forEach(name -> on.plan(name, hour));

    Round round = on.store.fireDue(List.of());

    assertThat(round.fired())
        .extracting(it -> it.fire().schedule())
        .containsExactlyInAnyOrder("a", "c", "plain");
    assertThat(round.failed()).extracting(Failed::schedule).containsExactly("b");
    assertThat(Objects.requireNonNull(on.state("b").failure()).error()).contains("refusing");
    assertThat(on.state("b").nextFires().get(0)).isEqualTo(hour);
  }

  /** Returns the job that each schedule has enqueued, by the name of the schedule. */
  private Map<String, JobId> fireEachOnRequest() {
    on.schedules.list().forEach(schedule -> on.schedules.fireNow(schedule.name()));
    return on.fireAll().stream()
        .collect(
            Collectors.toMap(
                fired -> fired.fire().schedule(), fired -> Objects.requireNonNull(fired.job())));
  }

  private static JobId of(Map<String, JobId> jobs, String schedule) {
    return Objects.requireNonNull(jobs.get(schedule));
  }

  private void lock(Connection connection, JobId job) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "SELECT 1 FROM %s.jobs WHERE id = %s FOR UPDATE"
              .formatted(on.fixture.database.schema(), job));
    }
  }

  @Test
  void dayWithoutThePlannedTimeAndDayWithTwoOfItFireOnce() {
    on.schedules.declare(
        Schedule.cron("30 2 * * *")
            .zone("Europe/Berlin")
            .named("night")
            .enqueue(REPORT, new Report("night"))
            .missed(Missed.all(1_000)));
    on.plan("night", Instant.parse("2026-03-28T01:30:00Z"));

    List<Instant> times = times(on.fireAll());

    assertThat(times)
        .contains(
            Instant.parse("2026-03-28T01:30:00Z"),
            Instant.parse("2026-03-29T01:00:00Z"),
            Instant.parse("2026-03-30T00:30:00Z"),
            Instant.parse("2026-10-24T00:30:00Z"),
            Instant.parse("2026-10-25T00:30:00Z"),
            Instant.parse("2026-10-26T01:30:00Z"))
        .isSorted()
        .doesNotHaveDuplicates();
  }
}
