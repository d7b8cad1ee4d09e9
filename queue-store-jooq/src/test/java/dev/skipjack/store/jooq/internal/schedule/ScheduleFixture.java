package dev.skipjack.store.jooq.internal.schedule;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.ScheduleState;
import dev.skipjack.api.schedule.ScheduledFire;
import dev.skipjack.api.schedule.Schedules;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.ScheduleStore;
import dev.skipjack.api.spi.ScheduleStore.Round;
import dev.skipjack.store.jooq.Fixture;
import dev.skipjack.testkit.QueueDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** The steps that tests of schedules share. Tests move next fire times instead of the clock. */
final class ScheduleFixture {

  record Report(String of) {}

  static final JobType<Report> REPORT = JobType.of("report", Report.class);

  /** An interval that does not end while a test runs. */
  static final Duration RARELY = Duration.ofDays(365);

  final Fixture fixture;
  final Schedules schedules;
  final ScheduleStore store;

  ScheduleFixture(QueueDatabase database) {
    this.fixture = new Fixture(database);
    this.schedules = fixture.queue.schedules();
    this.store = fixture.queue.scheduleStore().orElseThrow();
  }

  static Schedule daily(String name) {
    return Schedule.cron("0 9 * * *").named(name).enqueue(REPORT, new Report(name));
  }

  static Schedule every(Duration interval, String name) {
    return Schedule.every(interval).named(name).enqueue(REPORT, new Report(name));
  }

  /** Sets the next fire time of a schedule to {@code planned}, as if it had never fired. */
  void plan(String name, Instant planned) {
    fixture.execute(
        "UPDATE @job_schedules SET next_at = '%1$s', due_at = '%1$s', last_at = NULL WHERE name = '%2$s'"
            .formatted(planned, name));
  }

  /** Fires until nothing is due. */
  List<ScheduleStore.Fired> fireAll(Schedule... declared) {
    List<ScheduleStore.Fired> fired = new ArrayList<>();
    Duration nextIn = Duration.ZERO;
    while (nextIn != null && nextIn.isZero()) {
      Round round = store.fireDue(List.of(declared));
      fired.addAll(round.fired());
      nextIn = round.nextIn();
    }
    return fired;
  }

  static List<Instant> times(List<ScheduleStore.Fired> fired) {
    return fired.stream().map(ScheduleStore.Fired::fire).map(ScheduledFire::at).toList();
  }

  ScheduleState state(String name) {
    return schedules.find(name).orElseThrow();
  }

  Instant now() {
    return Instant.parse(
        fixture.value(
            "SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"));
  }

  int jobs() {
    return Integer.parseInt(fixture.value("SELECT count(*) FROM @jobs"));
  }

  /** Claims all jobs of reports. */
  List<ClaimedJob> claim() {
    return fixture.store.claim(
        new dev.skipjack.api.spi.ClaimRequest(
            dev.skipjack.api.WorkerId.boot("test"),
            List.of(
                new dev.skipjack.api.spi.LaneShare(
                    new dev.skipjack.api.spi.Lane("default", 0), 100, null)),
            List.of(REPORT.kind()),
            100,
            Fixture.LEASE));
  }

  String status(JobId job) {
    return fixture
        .queue
        .reader()
        .find(job)
        .map(found -> found.summary().status().name())
        .orElse("none");
  }
}
