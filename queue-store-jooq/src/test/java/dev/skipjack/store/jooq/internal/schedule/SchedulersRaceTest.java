package dev.skipjack.store.jooq.internal.schedule;

import static dev.skipjack.store.jooq.internal.schedule.ScheduleFixture.REPORT;
import static dev.skipjack.store.jooq.internal.schedule.ScheduleFixture.daily;
import static dev.skipjack.store.jooq.internal.schedule.ScheduleFixture.every;
import static dev.skipjack.store.jooq.internal.schedule.ScheduleFixture.times;
import static java.time.temporal.ChronoUnit.HOURS;
import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.schedule.Missed;
import dev.skipjack.api.schedule.Overlap;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.ScheduledFire;
import dev.skipjack.api.schedule.Timing;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.ScheduleStore.Fired;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.store.jooq.internal.schedule.DueSchedulesStatement.Due;
import dev.skipjack.store.jooq.internal.schedule.FireSchedulesStatement.Fire;
import dev.skipjack.store.jooq.internal.schedule.FireSchedulesStatement.Firing;
import dev.skipjack.store.jooq.internal.schedule.FireSchedulesStatement.Result;
import dev.skipjack.store.jooq.internal.schedule.ScheduleFixture.Report;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jooq.DSLContext;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that each fire time is enqueued once despite races between schedulers, operators and
 * transactions, and despite steps of the clock.
 */
@QueueTest
@Timeout(60)
class SchedulersRaceTest {

  private ScheduleFixture on;
  private Statement<DueSchedulesStatement.Request, Due> read;
  private Statement<List<Firing>, Result> fire;

  @BeforeEach
  void create(QueueDatabase database) {
    on = new ScheduleFixture(database);
    DSLContext dialect = StatementDialect.forSchema(database.schema());
    read = DueSchedulesStatement.of(dialect);
    fire = FireSchedulesStatement.of(dialect);
  }

  private Connection begin() throws SQLException {
    Connection connection = on.fixture.database.connection();
    connection.setAutoCommit(false);
    return connection;
  }

  private List<Firing> readDue(Connection connection) throws SQLException {
    List<Firing> firings = new ArrayList<>();
    for (Due due : read.run(connection, new DueSchedulesStatement.Request(List.of(), 100))) {
      StoredSchedule schedule = (StoredSchedule) due.row();
      Instant planned = schedule.progress().nextAt();
      if (planned == null) {
        throw new AssertionError(schedule);
      }
      ScheduledFire cause = new ScheduledFire(schedule.name(), planned);
      firings.add(
          new Firing(
              schedule,
              schedule.with(
                  new StoredSchedule.Progress(
                      planned.plusSeconds(3_600),
                      planned.plusSeconds(3_600),
                      planned,
                      null,
                      null,
                      null,
                      null)),
              List.of(
                  new Fire(cause, NewJob.of(REPORT, "{}", EnqueueOptions.none()).firedBy(cause)))));
    }
    return firings;
  }

  private void declareDue(int count) {
    on.schedules.declare(
        IntStream.range(0, count).mapToObj(n -> every(Duration.ofHours(1), "s" + n)).toList());
    on.fixture.execute(
        "UPDATE @job_schedules SET next_at = '%1$s', due_at = '%1$s'"
            .formatted(on.now().truncatedTo(HOURS)));
  }

  @Test
  void secondSchedulerSkipsTheSchedulesThatTheFirstHasLocked() throws SQLException {
    declareDue(20);
    try (Connection first = begin();
        Connection second = begin()) {
      List<Firing> batch = readDue(first);
      List<Firing> same = readDue(second);
      assertThat(same).hasSize(20);

      assertThat(fire.run(first, batch)).hasSize(20);
      assertThat(fire.run(second, same)).isEmpty(); // does not wait
      first.commit();
      assertThat(fire.run(second, same)).isEmpty(); // the rows have changed since it read them
      second.commit();
    }

    assertThat(on.jobs()).isEqualTo(20);
    assertThat(on.fireAll()).isEmpty();
  }

  @Test
  void aSchedulerThatDiesBeforeItsCommitLeavesTheFireToTheNext() throws SQLException {
    declareDue(3);
    try (Connection dying = begin()) {
      assertThat(fire.run(dying, readDue(dying))).hasSize(3);
      dying.rollback();
    }

    assertThat(on.fireAll()).extracting(Fired::job).doesNotContainNull().hasSize(3);
    assertThat(on.jobs()).isEqualTo(3);
  }

  @Test
  void scheduleThatChangedSinceItWasReadIsNotFired() throws SQLException {
    declareDue(1);
    try (Connection connection = begin()) {
      List<Firing> stale = readDue(connection);
      on.schedules.pause("s0");

      assertThat(fire.run(connection, stale)).isEmpty();
      connection.commit();
    }

    assertThat(on.jobs()).isZero();
  }

  @Test
  void fourSchedulersFireABatchOfHundredsOnce() throws Exception {
    declareDue(400);
    ExecutorService threads = Executors.newFixedThreadPool(4);
    List<Fired> fired = Collections.synchronizedList(new ArrayList<>());
    Callable<Boolean> scheduler = () -> fired.addAll(on.fireAll());
    try {
      for (Future<Boolean> done : threads.invokeAll(Collections.nCopies(4, scheduler))) {
        done.get();
      }
    } finally {
      threads.shutdownNow();
    }
    on.fireAll();

    assertThat(on.jobs()).isEqualTo(400);
    assertThat(on.fixture.value("SELECT count(DISTINCT headers) FROM @jobs")).isEqualTo("400");
    assertThat(fired).extracting(Fired::fire).doesNotHaveDuplicates();
  }

  /** A handler has completed the live job in its own transaction, which is still open. */
  @Test
  void aFireDoesNotWaitForTheTransactionThatEndsTheLiveJob() throws SQLException {
    on.schedules.declare(
        List.of(
            every(Duration.ofHours(1), "alone").overlap(Overlap.SKIP_WHILE_LIVE),
            every(Duration.ofHours(1), "other")));
    Instant hour = on.now().truncatedTo(HOURS);
    on.schedules.fireNow("alone");
    on.fireAll();
    ClaimedJob running = on.claim().get(0);
    try (Connection handlers = begin()) {
      on.fixture.store.completeIn(handlers, running.execution());
      on.plan("alone", hour);
      on.plan("other", hour);

      List<Fired> fired = on.fireAll();

      assertThat(fired).hasSize(2);
      assertThat(fired)
          .filteredOn(each -> each.job() == null)
          .extracting(each -> each.fire().schedule())
          .containsExactly("alone");
      handlers.commit();
    }
  }

  /** The clock was set back by an hour after the schedule had fired. */
  @Test
  void aClockThatStepsBackFiresNothingTwice() {
    on.schedules.declare(every(Duration.ofHours(1), "sync").missed(Missed.all(100)));
    Instant ahead = on.now().truncatedTo(HOURS).plus(1, HOURS);
    on.fixture.execute(
        "UPDATE @job_schedules SET last_at = '%1$s', next_at = '%2$s', due_at = '%2$s'"
            .formatted(ahead, ahead.plus(1, HOURS)));

    assertThat(on.fireAll()).isEmpty();
    on.schedules.pause("sync");
    on.schedules.resume("sync");
    on.schedules.change("sync", Timing.every(Duration.ofMinutes(1)));

    assertThat(on.state("sync").nextFires().get(0)).isEqualTo(ahead.plusSeconds(60));
    assertThat(on.fireAll()).isEmpty();
  }

  /** A step forward has the same effect as an hour without a worker. */
  @Test
  void aClockThatStepsForwardMissesTheFiresOfThatHour() {
    Instant recent = on.now().truncatedTo(MINUTES);
    Instant fiveMinutesAgo = recent.minus(5, MINUTES);
    on.schedules.declare(
        List.of(
            everyTenMinutes(recent, "all").missed(Missed.all(100)),
            everyTenMinutes(recent, "once"),
            everyTenMinutes(recent, "skip").missed(Missed.skip()),
            everyTenMinutes(fiveMinutesAgo, "skip-late").missed(Missed.skip())));
    for (String name : List.of("all", "once", "skip")) {
      on.plan(name, recent.minus(1, HOURS));
    }
    on.plan("skip-late", fiveMinutesAgo.minus(1, HOURS));

    List<Fired> fired = on.fireAll();

    assertThat(times(of(fired, "all"))).hasSize(7).isSorted().endsWith(recent);
    assertThat(times(of(fired, "once"))).containsExactly(recent);
    assertThat(times(of(fired, "skip"))).containsExactly(recent);
    assertThat(times(of(fired, "skip-late"))).isEmpty();
    assertThat(on.fireAll()).isEmpty();
  }

  private static Schedule everyTenMinutes(Instant at, String name) {
    int minute = at.atOffset(ZoneOffset.UTC).getMinute() % 10;
    return Schedule.cron(minute + "/10 * * * *").named(name).enqueue(REPORT, new Report(name));
  }

  private static List<Fired> of(List<Fired> fired, String schedule) {
    return fired.stream().filter(each -> each.fire().schedule().equals(schedule)).toList();
  }

  @Test
  void thousandsOfDueSchedulesFireInBatches() {
    on.schedules.declare(IntStream.range(0, 2_500).mapToObj(n -> daily("s" + n)).toList());
    on.fixture.execute(
        "UPDATE @job_schedules SET next_at = '2026-01-05 09:00+00', due_at = '2026-01-05 09:00+00'");

    assertThat(on.store.fireDue(List.of()).fired()).hasSize(JooqScheduleStore.LARGEST);
    assertThat(on.fireAll()).hasSize(1_500);
    assertThat(on.jobs()).isEqualTo(2_500);
  }
}
