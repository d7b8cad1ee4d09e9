package dev.skipjack.store.jooq.internal.schedule;

import static dev.skipjack.store.jooq.internal.schedule.ScheduleFixture.REPORT;
import static dev.skipjack.store.jooq.internal.schedule.ScheduleFixture.daily;
import static dev.skipjack.store.jooq.internal.schedule.ScheduleFixture.every;
import static dev.skipjack.store.jooq.internal.schedule.ScheduleFixture.times;
import static java.time.temporal.ChronoUnit.HOURS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobType;
import dev.skipjack.api.PayloadException;
import dev.skipjack.api.schedule.Missed;
import dev.skipjack.api.schedule.Overlap;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.ScheduleOrigin;
import dev.skipjack.api.schedule.ScheduleState;
import dev.skipjack.api.schedule.Timing;
import dev.skipjack.store.jooq.internal.schedule.ScheduleFixture.Report;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests declarations in code, changes by operators, and which of the two takes precedence. */
@QueueTest
class DeclarationTest {

  private static final Timing AT_NOON = Timing.cron("0 12 * * *");

  private ScheduleFixture on;

  @BeforeEach
  void create(QueueDatabase database) {
    on = new ScheduleFixture(database);
  }

  @Test
  void thousandsOfSchedulesAreListedInPages() {
    on.fixture.execute(
        "INSERT INTO @job_schedules (name, cron, queue, kind, payload, origin)"
            + " SELECT 's' || to_char(n, 'FM0000'), '@daily', 'default', 'report', '1', 'operator' FROM generate_series(1, 1200) AS n");

    List<String> all = on.schedules.list().stream().map(ScheduleState::name).toList();

    assertThat(all).hasSize(1_200).isSorted().doesNotHaveDuplicates();
    assertThat(on.schedules.listWithoutPayloads()).hasSize(1_200);
    assertThat(on.schedules.list("", 2))
        .extracting(ScheduleState::name)
        .isEqualTo(all.subList(0, 2));
    assertThat(on.schedules.listWithoutPayloads("s0500", 500))
        .extracting(ScheduleState::name)
        .isEqualTo(all.subList(500, 1_000));
    assertThat(on.schedules.list("s1200", 500)).isEmpty();
    assertThatThrownBy(() -> on.schedules.list("", 501)).hasMessage("Limit 501 is not in 1..500.");
    assertThatThrownBy(() -> on.schedules.list("", 0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aDeclarationIsStoredAndListedWithItsNextFiveFires() {
    on.schedules.declare(
        Schedule.cron("0 9 * * MON-FRI")
            .zone("Europe/Berlin")
            .except(List.of(LocalDate.of(2030, 1, 1), LocalDate.of(2029, 12, 25)))
            .named("report")
            .enqueue(REPORT, new Report("\"ü\\"), job -> job.tags("a \"b\"", "c\\d", "e,f"))
            .missed(Missed.all(7))
            .overlap(Overlap.SKIP_WHILE_LIVE)
            .jitter(Duration.ofSeconds(30))
            .description("every morning")
            .authoritative());

    ScheduleState state = on.schedules.list().get(0);

    assertThat(state.name()).isEqualTo("report");
    assertThat(state.timing())
        .isEqualTo(
            Timing.cron("0 9 * * MON-FRI")
                .zone("Europe/Berlin")
                .except(List.of(LocalDate.of(2029, 12, 25), LocalDate.of(2030, 1, 1))));
    assertThat(state.missed()).isEqualTo(Missed.all(7));
    assertThat(state.overlap()).isEqualTo(Overlap.SKIP_WHILE_LIVE);
    assertThat(state.jitter()).isEqualTo(Duration.ofSeconds(30));
    assertThat(state.tags()).containsExactly("a \"b\"", "c\\d", "e,f");
    assertThat(state.payload()).contains("\\\"ü\\\\");
    assertThat(state.description()).isEqualTo("every morning");
    assertThat(state.origin()).isEqualTo(ScheduleOrigin.CODE);
    assertThat(state.authoritative()).isTrue();
    assertThat(state.isChangedAtRunTime()).isFalse();
    assertThat(state.isUndeclared()).isFalse();
    assertThat(state.nextFires()).hasSize(5).isSorted().doesNotHaveDuplicates();
    assertThat(state.lastFire()).isNull();
    assertThat(state.lastJob()).isNull();
  }

  @Test
  void theSameDeclarationChangesNothing() {
    on.schedules.declare(daily("report"));
    ScheduleState before = on.state("report");

    on.schedules.declare(daily("report"));

    assertThat(on.state("report")).isEqualTo(before);
  }

  @Test
  void aChangedDeclarationReplacesTheOneBefore() {
    on.schedules.declare(daily("report"));

    on.schedules.declare(Schedule.of(AT_NOON).named("report").enqueue(REPORT, new Report("new")));

    ScheduleState state = on.state("report");
    assertThat(state.timing()).isEqualTo(AT_NOON);
    assertThat(state.payload()).contains("new");
    assertThat(state.nextFires().get(0).getEpochSecond() % 86_400).isEqualTo(12 * 3_600);
  }

  @Test
  void aChangedPayloadKeepsAFireThatWasMissed() {
    on.schedules.declare(every(Duration.ofHours(1), "sync"));
    Instant hour = on.now().truncatedTo(HOURS);
    on.plan("sync", hour);

    on.schedules.declare(
        Schedule.every(Duration.ofHours(1)).named("sync").enqueue(REPORT, new Report("new")));

    assertThat(times(on.fireAll())).containsExactly(hour);
    assertThat(on.fixture.value("SELECT payload ->> 'of' FROM @jobs")).isEqualTo("new");
  }

  @Test
  void pauseAndTimingOfAnOperatorSurviveADeploy() {
    on.schedules.declare(daily("report"));
    on.schedules.pause("report");
    on.schedules.change("report", AT_NOON);

    on.schedules.declare(daily("report"));
    on.schedules.declare(daily("report").description("the next version"));

    ScheduleState state = on.state("report");
    assertThat(state.isPaused()).isTrue();
    assertThat(state.timing()).isEqualTo(AT_NOON);
    assertThat(state.timingChangedAt()).isNotNull();
    assertThat(state.isChangedAtRunTime()).isTrue();
    assertThat(state.description()).isEqualTo("the next version");
  }

  @Test
  void anAuthoritativeDeclarationEndsPauseAndTimingOfAnOperator() {
    on.schedules.declare(daily("report").authoritative());
    on.schedules.pause("report");
    on.schedules.change("report", AT_NOON);

    on.schedules.declare(daily("report").authoritative());

    ScheduleState state = on.state("report");
    assertThat(state.isPaused()).isFalse();
    assertThat(state.timing()).isEqualTo(Timing.cron("0 9 * * *"));
    assertThat(state.isChangedAtRunTime()).isFalse();
    assertThat(state.nextFires().get(0).getEpochSecond() % 86_400).isEqualTo(9 * 3_600);
  }

  @Test
  void aDeclarationWithTheTimingOfTheOperatorEndsTheChange() {
    on.schedules.declare(daily("report"));
    on.schedules.change("report", AT_NOON);

    on.schedules.declare(Schedule.of(AT_NOON).named("report").enqueue(REPORT, new Report("x")));

    assertThat(on.state("report").isChangedAtRunTime()).isFalse();
  }

  @Test
  void firesDuringAPauseAreNotMissedOnes() {
    on.schedules.declare(every(Duration.ofHours(1), "sync").missed(Missed.all(100)));
    on.schedules.pause("sync");
    on.plan("sync", on.now().truncatedTo(HOURS).minus(9, HOURS));
    on.fixture.execute("UPDATE @job_schedules SET paused_at = now() - interval '10 hours'");
    assertThat(on.fireAll()).isEmpty();

    on.schedules.resume("sync");

    assertThat(on.fireAll()).isEmpty();
    assertThat(on.state("sync").nextFires().get(0)).isAfter(on.now());
  }

  @Test
  void codeTakesOverAScheduleThatAnOperatorAdded() {
    on.schedules.add(daily("report"));
    assertThat(on.state("report").origin()).isEqualTo(ScheduleOrigin.OPERATOR);

    on.schedules.declare(daily("report"));

    assertThat(on.state("report").origin()).isEqualTo(ScheduleOrigin.CODE);
  }

  @Test
  void scheduleThatAnOperatorAddsMustBeNewAndStorable() {
    on.schedules.add(daily("report"));

    assertThatThrownBy(() -> on.schedules.add(daily("report")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Schedule 'report' exists already");
    assertThatThrownBy(
            () ->
                on.schedules.add(
                    Schedule.of(AT_NOON)
                        .named("made")
                        .enqueueFrom(REPORT, fire -> new Report("x"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Schedule 'made' needs code");
    assertThatThrownBy(() -> on.schedules.change("report", AT_NOON.except(date -> true)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cannot be stored");
    assertThat(on.schedules.list()).hasSize(1);
  }

  @Test
  void operatorsRemoveTheirOwnSchedulesAndCodeRetiresDeclaredOnes() {
    on.schedules.add(daily("added"));
    on.schedules.declare(daily("declared"));

    assertThatThrownBy(() -> on.schedules.remove("declared"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("was declared by code");
    assertThat(on.schedules.retire("added")).isFalse();
    assertThat(on.schedules.remove("added")).isTrue();
    assertThat(on.schedules.remove("added")).isFalse();
    assertThat(on.schedules.retire("declared")).isTrue();
    assertThat(on.schedules.retire("declared")).isFalse();
    assertThat(on.schedules.list()).isEmpty();
  }

  @Test
  void aScheduleThatNoProgramHasDeclaredForSevenDaysIsReported() {
    on.schedules.declare(List.of(daily("report"), daily("paused"), daily("current")));
    on.schedules.declare(
        Schedule.of(AT_NOON).named("made").enqueueFrom(REPORT, fire -> new Report("x")));
    on.schedules.add(daily("operators"));
    on.schedules.pause("paused");
    on.fixture.execute(
        "UPDATE @job_schedules SET declared_at = now() - interval '7 days 1 minute' WHERE name IN ('report', 'paused')");
    on.fixture.execute(
        "UPDATE @job_schedules SET declared_at = now() - interval '8 days' WHERE name = 'made'");
    on.fixture.execute(
        "UPDATE @job_schedules SET declared_at = now() - interval '6 days 23 hours' WHERE name = 'current'");

    assertThat(on.schedules.list())
        .filteredOn(ScheduleState::isUndeclared)
        .extracting(ScheduleState::name)
        .containsExactly("made", "paused", "report");
    assertThat(on.store.undeclared())
        .extracting(it -> it.schedule() + " " + it.declaredAt() + " " + it.needsCode())
        .containsExactly(
            "made " + on.state("made").declaredAt() + " true",
            "report " + on.state("report").declaredAt() + " false");

    on.store.touch(List.of(daily("report")));
    assertThat(on.state("report").isUndeclared()).isFalse();
    assertThat(on.store.undeclared()).extracting(it -> it.schedule()).containsExactly("made");
    on.store.touch(List.of(daily("retired")));
    assertThat(on.schedules.list()).hasSize(5);
  }

  @Test
  void nextFiresAreCalculatedAgainWithNewerTimeZoneData() {
    on.schedules.declare(
        Schedule.cron("0 9 * * *")
            .zone("Europe/Berlin")
            .named("zoned")
            .enqueue(REPORT, new Report("x")));
    on.schedules.declare(daily("utc"));
    Instant next = on.state("zoned").nextFires().get(0);
    assertThat(on.store.recalculate()).isEmpty();
    on.fixture.execute(
        "UPDATE @job_schedules SET zone_rules = '1999a', next_at = next_at + interval '1 hour', due_at = due_at + interval '1 hour' WHERE name = 'zoned'");

    assertThat(on.store.recalculate()).containsExactly("zoned");

    assertThat(on.state("zoned").nextFires().get(0)).isEqualTo(next);
    assertThat(on.store.recalculate()).isEmpty();
  }

  /** A worker with newer time zone data has calculated the fire time that this worker fires. */
  @Test
  void aFireRecordsTheTimeZoneDataOfTheWorkerThatCalculatedTheNextOne() {
    on.schedules.declare(
        Schedule.cron("0 9 * * *")
            .zone("Europe/Berlin")
            .named("zoned")
            .enqueue(REPORT, new Report("x")));
    String rules = zoneRules();
    on.fixture.execute("UPDATE @job_schedules SET zone_rules = '9999z'");

    on.schedules.fireNow("zoned");
    assertThat(on.fireAll()).hasSize(1);
    assertThat(zoneRules()).as("the next fire has not changed").isEqualTo("9999z");

    on.plan("zoned", Instant.parse("2026-01-05T08:00:00Z"));
    assertThat(on.fireAll()).hasSize(1);
    assertThat(zoneRules()).isEqualTo(rules);
  }

  private String zoneRules() {
    return on.fixture.value("SELECT zone_rules FROM @job_schedules WHERE name = 'zoned'");
  }

  @Test
  void newTimeZoneDataDoesNotRestartAnInterval() {
    on.schedules.declare(
        Schedule.of(Timing.every(Duration.ofDays(30)).fromLastFire().zone("Europe/Berlin"))
            .named("monthly")
            .enqueue(REPORT, new Report("x")));
    on.fixture.execute(
        "UPDATE @job_schedules SET zone_rules = '1999a', next_at = now() + interval '1 day', due_at = now() + interval '1 day'");
    Instant next = on.state("monthly").nextFires().get(0);

    assertThat(on.store.recalculate()).isEmpty();

    assertThat(on.state("monthly").nextFires().get(0)).isEqualTo(next);
  }

  @Test
  void aDeployThatAddsAHolidayKeepsAFireThatIsDue() {
    Schedule hourly = hourlyExcept(List.of());
    on.schedules.declare(hourly);
    Instant due = on.now().truncatedTo(ChronoUnit.HOURS);
    on.plan("hourly", due);
    on.fixture.execute("UPDATE @job_schedules SET updated_at = now() - interval '1 day'");

    Schedule withHoliday = hourlyExcept(List.of(LocalDate.of(2199, 12, 25)));
    on.schedules.declare(withHoliday);

    assertThat(on.store.fireDue(List.of(withHoliday)).fired())
        .extracting(fired -> fired.fire().at())
        .containsExactly(due);
  }

  /** A predicate may hang, and the declaration holds locks. */
  @Test
  void declaringCallsNoPredicateAndTheFirstExceptedTimeIsNotFired() {
    Schedule broken =
        Schedule.every(Duration.ofHours(1))
            .except(
                date -> {
                  throw new IllegalStateException("no calendar");
                })
            .named("broken")
            .enqueue(REPORT, new Report("x"))
            .authoritative();
    on.schedules.declare(List.of(broken, daily("sound")));
    on.schedules.pause("broken");
    on.schedules.declare(broken);
    on.schedules.declare(broken.jitter(Duration.ofSeconds(1)));

    assertThat(on.schedules.list())
        .extracting(ScheduleState::name)
        .containsExactly("broken", "sound");
    assertThat(on.state("broken").nextFires()).isNotEmpty();
  }

  @Test
  void anOperatorsTimingThatCannotBeUsedStopsNoOtherDeclaration() {
    on.schedules.declare(daily("odd"));
    on.fixture.execute(
        "UPDATE @job_schedules SET zone = 'Mars/Olympus', timing_changed_at = now(), paused_at = now()");

    on.schedules.declare(List.of(daily("odd").description("changed"), daily("sound")));
    on.schedules.declare(
        List.of(
            Schedule.cron("0 10 * * *").named("odd").enqueue(REPORT, new Report("x")),
            daily("other")));

    assertThat(on.schedules.list())
        .extracting(ScheduleState::name)
        .containsExactly("odd", "other", "sound");
  }

  private static Schedule hourlyExcept(List<LocalDate> dates) {
    return Schedule.of(Timing.cron("0 * * * *").except(dates))
        .named("hourly")
        .enqueue(REPORT, new Report("x"));
  }

  @Test
  void anOperatorsTimingKeepsTheHolidays() {
    LocalDate holiday = LocalDate.of(2199, 12, 25);
    on.schedules.declare(hourlyExcept(List.of(holiday)));

    on.schedules.change("hourly", Timing.cron("30 * * * *"));
    assertThat(timing("hourly").exceptDates()).containsExactly(holiday);

    LocalDate other = LocalDate.of(2199, 12, 26);
    on.schedules.change("hourly", Timing.cron("30 * * * *").except(List.of(other)));
    assertThat(timing("hourly").exceptDates()).containsExactly(other);
  }

  private Timing timing(String schedule) {
    return Objects.requireNonNull(on.state(schedule).timing());
  }

  /**
   * A worker of an older version declares the same name, but lacks the code that the schedule now
   * needs.
   */
  @Test
  void onlyAWorkerWithTheCodeFiresAScheduleThatNeedsIt() {
    Schedule old = daily("report");
    Schedule madeByCode =
        Schedule.cron("0 9 * * *")
            .named("report")
            .enqueueFrom(REPORT, fire -> new Report(fire.toString()));
    on.schedules.declare(madeByCode);
    on.plan("report", Instant.parse("2026-01-05T09:00:00Z"));

    var byOld = on.store.fireDue(List.of(old));
    assertThat(byOld.fired()).isEmpty();
    assertThat(byOld.failed()).isEmpty();

    assertThat(on.store.fireDue(List.of(madeByCode)).fired()).hasSize(1);
  }

  @Test
  void aZoneThatThisJvmDoesNotKnowFailsThatScheduleOnly() {
    on.schedules.declare(List.of(daily("elsewhere"), daily("here")));
    on.fixture.execute("UPDATE @job_schedules SET zone = 'Mars/Base' WHERE name = 'elsewhere'");
    on.plan("elsewhere", on.now().minusSeconds(5));
    on.plan("here", Instant.parse("2026-01-05T09:00:00Z"));

    var round = on.store.fireDue(List.of());

    assertThat(round.fired()).extracting(fired -> fired.fire().schedule()).containsExactly("here");
    assertThat(round.failed().get(0).error()).hasMessageContaining("'Mars/Base' is unknown");
    assertThat(on.state("elsewhere").timing()).isNull();
  }

  @Test
  void programsThatStartTogetherDeclareEachScheduleOnce() throws Exception {
    List<Schedule> schedules =
        IntStream.range(0, 50).mapToObj(n -> every(Duration.ofDays(1), "s" + n)).toList();
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      for (Future<?> done :
          threads.invokeAll(
              Collections.nCopies(
                  4,
                  () -> {
                    on.store.declare(schedules);
                    return null;
                  }))) {
        done.get();
      }
    } finally {
      threads.shutdownNow();
    }

    assertThat(on.schedules.list()).hasSize(50);
  }

  @Test
  void scheduleThatCannotBeStoredIsRefusedBeforeAnySql() {
    assertThatThrownBy(() -> on.schedules.declare(List.of(daily("a"), daily("a"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'a' is declared twice");
    assertThatThrownBy(() -> Schedule.of(AT_NOON).named("Not A Name"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Schedule name 'Not A Name'");
    assertThatThrownBy(
            () ->
                Schedule.of(AT_NOON)
                    .named("a")
                    .enqueue(REPORT, new Report("x"), job -> job.delay(Duration.ofHours(1))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Schedule 'a' sets a delay");
    assertThatThrownBy(
            () ->
                Schedule.of(AT_NOON)
                    .named("a")
                    .enqueue(REPORT, new Report("x"), job -> job.orderingKey("k")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ordering key");
    assertThatThrownBy(
            () ->
                Schedule.of(AT_NOON)
                    .named("a")
                    .enqueue(REPORT.orderedBy(report -> report.of()), new Report("key")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Schedule 'a' has a fixed payload")
        .hasMessageContaining("Use enqueueFrom");
    assertThatThrownBy(() -> daily("a").jitter(Duration.ofHours(2)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Jitter PT2H of schedule 'a'");
    assertThatThrownBy(
            () ->
                on.schedules.declare(
                    Schedule.of(AT_NOON)
                        .named("a")
                        .enqueue(JobType.of("big", String.class), "x".repeat(300_000))))
        .isInstanceOf(PayloadException.class);
    assertThat(on.schedules.list()).isEmpty();
  }
}
