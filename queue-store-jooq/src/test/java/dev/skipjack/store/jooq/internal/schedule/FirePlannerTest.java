package dev.skipjack.store.jooq.internal.schedule;

import static dev.skipjack.store.jooq.internal.schedule.ScheduleFixture.REPORT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.JobType;
import dev.skipjack.api.schedule.Missed;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.schedule.ScheduleOrigin;
import dev.skipjack.api.schedule.ScheduledFire;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.store.jooq.internal.QueueExtension.JobFactory;
import dev.skipjack.store.jooq.internal.schedule.DueSchedulesStatement.Due;
import dev.skipjack.store.jooq.internal.schedule.FireSchedulesStatement.Fire;
import dev.skipjack.store.jooq.internal.schedule.FireSchedulesStatement.Firing;
import dev.skipjack.store.jooq.internal.schedule.ScheduleFixture.Report;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests that a plan of many slow calls ends before a worker interrupts it. */
class FirePlannerTest {

  private static final Instant NINE = Instant.parse("2026-03-02T09:00:00Z");

  private final AtomicLong nanoTime = new AtomicLong();
  private final JobFactory jobs =
      new JobFactory() {
        @Override
        public <T> NewJob create(
            JobType<T> type, T payload, UnaryOperator<EnqueueOptions> options) {
          return NewJob.of(type, "{}", options.apply(EnqueueOptions.none()));
        }
      };
  private final FirePlanner planner = new FirePlanner(jobs, nanoTime::get);

  @Test
  void aPlanOfManySlowCallsMakesSomeJobsAndLeavesTheOthersForLater() {
    Firing firing = planner.firing(due(NINE, null), hourly(Duration.ofSeconds(2)));

    assertThat(times(firing)).containsExactly(NINE, hours(1), hours(2));
    assertThat(firing.moved().progress().nextAt()).isEqualTo(hours(3));
    assertThat(firing.moved().progress().dueAt()).isEqualTo(hours(3));
    assertThat(firing.moved().progress().lastAt()).isEqualTo(hours(2));
  }

  @Test
  void aPlanMakesAtLeastOneJobHoweverSlowTheCallIs() {
    Firing firing = planner.firing(due(NINE, null), hourly(Duration.ofSeconds(20)));
    assertThat(times(firing)).containsExactly(NINE);
    assertThat(firing.moved().progress().nextAt()).isEqualTo(hours(1));

    Instant requested = hours(9).plusSeconds(5);
    Firing onRequest = planner.firing(due(NINE, requested), hourly(Duration.ofSeconds(20)));
    assertThat(times(onRequest)).containsExactly(requested);
    assertThat(onRequest.moved().progress().nextAt()).isEqualTo(NINE);
    assertThat(onRequest.moved().progress().lastAt()).isNull();
  }

  private static List<Instant> times(Firing firing) {
    return firing.fires().stream().map(Fire::fire).map(ScheduledFire::at).toList();
  }

  private static Instant hours(int more) {
    return NINE.plus(Duration.ofHours(more));
  }

  private Schedule hourly(Duration call) {
    return Schedule.cron("0 * * * *")
        .named("slow")
        .enqueueFrom(
            REPORT,
            fire -> {
              nanoTime.addAndGet(call.toNanos());
              return new Report("x");
            })
        .missed(Missed.all(1_000));
  }

  /** A schedule that missed ten fires. */
  private Due due(Instant next, @Nullable Instant requested) {
    StoredSchedule row =
        new StoredSchedule(
            "slow",
            Declaration.of(hourly(Duration.ZERO), jobs).definition(),
            new StoredSchedule.Source(ScheduleOrigin.CODE, false, null, null, null),
            new StoredSchedule.Progress(next, next, null, null, requested, null, null),
            StoredSchedule.Failures.NONE,
            null,
            NINE.minusSeconds(1),
            NINE.minusSeconds(1));
    return new Due(row, "1", hours(9).plusSeconds(10));
  }
}
