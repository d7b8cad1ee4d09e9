package dev.skipjack.store.jooq.internal.schedule;

import static dev.skipjack.store.jooq.internal.schedule.ScheduleFixture.daily;
import static dev.skipjack.store.jooq.internal.schedule.ScheduleFixture.every;
import static java.time.temporal.ChronoUnit.HOURS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.operations.Finding;
import dev.skipjack.api.schedule.ScheduleState;
import dev.skipjack.api.spi.ScheduleStore.Failed;
import dev.skipjack.api.spi.ScheduleStore.Round;
import dev.skipjack.api.spi.WorkerRow;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that an unusable row of job_schedules stops neither other schedules nor operators. The test
 * drops the constraints that reject such a row.
 */
@QueueTest
class OddScheduleRowsTest {

  private ScheduleFixture on;

  @BeforeEach
  void create(QueueDatabase database) {
    on = new ScheduleFixture(database);
    dropConstraints();
    on.schedules.declare(List.of(daily("odd"), every(Duration.ofHours(1), "sound")));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "next_at = '-infinity', due_at = '-infinity'",
        "next_at = '0001-01-01', due_at = '0001-01-01'",
        "due_at = '-infinity'",
        "next_at = 'infinity', due_at = now() - interval '1 s'",
        "next_at = '294276-12-31', due_at = now() - interval '1 s'",
        "updated_at = 'infinity', due_at = now() - interval '1 s'",
        "requested_at = '-infinity', due_at = '-infinity'",
        "requested_at = 'infinity', due_at = now() - interval '1 s'",
        "except_dates = '{infinity}', due_at = now() - interval '1 s'",
        "except_dates = '{NULL}', due_at = now() - interval '1 s'",
        "except_dates = '{10000-01-01}', due_at = now() - interval '1 s'",
        "except_dates = array_fill('2026-01-01'::date, '{1000000}'), due_at = now() - interval '1 s'",
        "cron = repeat('x', 10000000), due_at = now() - interval '1 s'",
        "description = repeat('x', 10000000), due_at = now() - interval '1 s'",
        "jitter_ms = 9223372036854775807, due_at = now() - interval '1 s'",
        "failures = -1, cron = 'x', due_at = now() - interval '1 s'",
        "failures = 2147483647, cron = 'x', due_at = now() - interval '1 s'",
        "last_job_id = -1, overlap = 'cancel_previous', due_at = now() - interval '1 s'",
        "cron = NULL, interval_seconds = 9223372036854775807, due_at = now() - interval '1 s'"
      })
  void unusableRowStopsNoOtherSchedule(String change) {
    on.plan("odd", on.now().truncatedTo(HOURS));
    on.plan("sound", on.now().truncatedTo(HOURS));
    on.fixture.execute("UPDATE @job_schedules SET %s WHERE name = 'odd'".formatted(change));

    announce();
    assertThat(on.store.recalculate()).isEmpty();
    assertThat(on.store.undeclared()).isEmpty();
    on.schedules.declare(List.of(daily("odd"), daily("another")));
    Round round = on.store.fireDue(List.of());

    assertThat(round.fired()).extracting(fired -> fired.fire().schedule()).contains("sound");
    assertThat(round.failed()).extracting(Failed::schedule).containsExactly("odd");
    assertThat(round.nextIn()).isPositive();
    assertThat(on.fixture.value("SELECT last_error FROM @job_schedules WHERE name = 'odd'"))
        .isNotNull();
    assertThat(on.fixture.queue.doctor().run())
        .filteredOn(finding -> finding.check().equals("schedules"))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.level()).isEqualTo(Finding.Level.RED);
              assertThat(finding.sentence()).contains("odd");
            });
    assertThat(on.schedules.list())
        .extracting(ScheduleState::name)
        .containsExactly("another", "odd", "sound");
    assertThat(on.schedules.listWithoutPayloads()).hasSize(3);
    assertThat(on.schedules.find("odd")).isPresent();
    assertThat(on.schedules.pause("odd")).isTrue();
    assertThat(on.fixture.value("SELECT paused_at <= now() FROM @job_schedules WHERE name = 'odd'"))
        .isEqualTo("t");
    announce();
    assertThat(on.schedules.retire("odd")).isTrue();
    assertThat(on.schedules.list()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{{a},{b}}", "{a,NULL,b}"})
  void invalidTagsDoNotStopTheirSchedule(String tags) {
    on.plan("odd", on.now().truncatedTo(HOURS));
    on.fixture.execute("UPDATE @job_schedules SET tags = '%s' WHERE name = 'odd'".formatted(tags));

    assertThat(on.state("odd").unreadable()).isNull();
    assertThat(on.state("odd").tags()).containsExactly("a", "b");
  }

  private void announce() {
    WorkerRow row =
        new WorkerRow(
            WorkerId.boot("test"), "host", 1, List.of("default"), List.of("report"), "{}");
    assertThat(on.fixture.queue.workers().announce(row)).isNotNull();
  }

  private void dropConstraints() {
    for (String check : List.of("next", "dates", "tags")) {
      on.fixture.execute(
          "ALTER TABLE @job_schedules DROP CONSTRAINT IF EXISTS job_schedules_%s_check"
              .formatted(check));
    }
    for (String domain :
        List.of(
            "time", "text", "short_text", "payload", "jitter", "failures", "job_id", "interval")) {
      on.fixture.execute(
          "ALTER DOMAIN @job_schedule_%1$s DROP CONSTRAINT IF EXISTS job_schedule_%1$s_check"
              .formatted(domain));
    }
  }
}
