package dev.skipjack.store.jooq.internal.schedule;

import static dev.skipjack.store.jooq.internal.schedule.ScheduleFixture.daily;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the table of schedules accepts only values that every program can read. */
@QueueTest
class ScheduleLimitsTest {

  private ScheduleFixture on;

  @BeforeEach
  void create(QueueDatabase database) {
    on = new ScheduleFixture(database);
    on.schedules.declare(daily("odd"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "next_at = '-infinity'",
        "due_at = '-infinity'",
        "due_at = 'infinity'",
        "next_at = '0001-01-01'",
        "next_at = '10000-01-01'",
        "due_at = '294276-12-31'",
        "updated_at = 'infinity'",
        "last_at = '-infinity'",
        "requested_at = '-infinity'",
        "declared_at = '294276-12-31'",
        "except_dates = '{infinity}'",
        "except_dates = '{NULL}'",
        "except_dates = '{10000-01-01}'",
        "except_dates = '{{2026-01-01},{2026-01-02}}'",
        "except_dates = array_fill('2026-01-01'::date, '{1000000}')",
        "tags = '{NULL}'",
        "tags = '{{a},{b}}'",
        "tags = array[repeat('x', 6000)]",
        "cron = repeat('x', 10000000)",
        "description = repeat('x', 10000000)",
        "zone = repeat('x', 10000000)",
        "payload = to_jsonb(repeat('x', 40000000))",
        "jitter_ms = -1",
        "jitter_ms = 9223372036854775807",
        "failures = -1",
        "last_job_id = -1",
        "cron = NULL, interval_seconds = 9223372036854775807"
      })
  void theTableRefusesValuesThatNoProgramCanUse(String change) {
    assertThatThrownBy(
            () ->
                on.fixture.execute(
                    "UPDATE @job_schedules SET %s WHERE name = 'odd'".formatted(change)))
        .cause()
        .hasMessageContaining("violates check constraint");
  }

  @Test
  void theTableAcceptsTheLongestInterval() {
    on.fixture.execute(
        "UPDATE @job_schedules SET cron = NULL, interval_seconds = 3153600000 WHERE name = 'odd'");
    assertThat(on.schedules.find("odd")).isPresent();
  }
}
