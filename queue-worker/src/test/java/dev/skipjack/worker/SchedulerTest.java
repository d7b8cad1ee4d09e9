package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.JobType;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.schedule.Schedule;
import dev.skipjack.api.spi.ScheduleStore;
import dev.skipjack.api.spi.WorkerInstructions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests when a worker calls the schedule store and when it does not. */
class SchedulerTest {

  private static final Schedule DAILY =
      Schedule.cron("@daily").named("daily").enqueue(JobType.of("k", String.class), "payload");

  private final List<String> calls = new ArrayList<>();
  private long nanoTime = Long.MAX_VALUE - Duration.ofHours(1).toNanos(); // overflows in the tests
  private final Deque<Optional<Duration>> nextIn = new ArrayDeque<>();
  private @Nullable StoreException failure;
  private @Nullable Throwable declaring;
  private @Nullable StoreException recalculating;
  private int started;

  private final ScheduleStore store =
      new ScheduleStore() {
        @Override
        public void require(Schedule schedule) {}

        @Override
        public void declare(Collection<Schedule> schedules) {
          call("declare");
          failDeclaring();
        }

        @Override
        public void touch(Collection<Schedule> schedules) {
          call("touch");
          failDeclaring();
        }

        @Override
        public List<String> recalculate() {
          call("recalculate");
          if (recalculating != null) {
            throw recalculating;
          }
          return List.of();
        }

        @Override
        public List<Undeclared> undeclared() {
          call("undeclared");
          return List.of();
        }

        @Override
        public Round fireDue(Collection<Schedule> declared, PlanRunner runner) {
          call("fireDue");
          return new Round(
              List.of(), List.of(), nextIn.isEmpty() ? null : nextIn.pop().orElse(null));
        }
      };

  private void failDeclaring() {
    if (declaring instanceof Error error) {
      throw error;
    }
    if (declaring instanceof RuntimeException rejected) {
      throw rejected;
    }
  }

  private void call(String name) {
    calls.add(name);
    if (failure != null) {
      throw failure;
    }
  }

  private Scheduler scheduler(Schedule... declared) {
    return new Scheduler(
        Optional.of(store),
        List.of(declared),
        new Wakeup(),
        new Reporter(List.of()),
        () -> nanoTime,
        new SplittableRandom(1),
        Thread::new,
        () -> started++);
  }

  private static WorkerInstructions nextFireIn(@Nullable Duration duration) {
    return new WorkerInstructions(Set.of(), 1, WorkerInstructions.UTF8, duration, false, false);
  }

  @Test
  void schedulerDoesNothingWithoutSchedules() {
    Scheduler scheduler = scheduler();
    scheduler.instructed(nextFireIn(null));

    assertThat(scheduler.isDue()).isFalse();
    assertThat(scheduler.run()).isEqualTo(Scheduler.NEVER);
    assertThat(calls).isEmpty();
  }

  @Test
  void schedulerSleepsUntilTheNextFireAndFiresThen() {
    Scheduler scheduler = scheduler();
    scheduler.instructed(nextFireIn(Duration.ofHours(1)));
    assertThat(scheduler.run()).isEqualTo(Duration.ofHours(1).toNanos());
    pass(Duration.ofMinutes(59));
    assertThat(scheduler.run()).isEqualTo(Duration.ofMinutes(1).toNanos());
    assertThat(calls).isEmpty();

    nextIn.add(Optional.of(Duration.ZERO));
    pass(Duration.ofMinutes(1));
    assertThat(scheduler.isDue()).isTrue();

    assertThat(scheduler.run()).isZero();
    assertThat(scheduler.run()).isEqualTo(Scheduler.NEVER);
    assertThat(calls).containsExactly("fireDue", "recalculate", "undeclared", "fireDue");
  }

  @Test
  void schedulerDeclaresOnceAndRenewsTheDeclarationTwiceADay() {
    Scheduler scheduler = scheduler(DAILY);

    long untilRenewal = scheduler.run();
    assertThat(untilRenewal)
        .isBetween(Duration.ofHours(9).toNanos(), Duration.ofHours(15).toNanos());
    scheduler.schedulesChanged();
    assertThat(scheduler.run()).isEqualTo(untilRenewal);
    assertThat(calls).containsExactly("declare", "fireDue", "recalculate", "undeclared", "fireDue");

    calls.clear();
    pass(Duration.ofNanos(untilRenewal));
    scheduler.run();
    assertThat(calls).containsExactly("fireDue", "touch");
  }

  @Test
  void undeclaredSchedulesAreReadOnceADayAndOnlyIfAScheduleIsDue() {
    Scheduler scheduler = scheduler();
    for (int hour = 0; hour < 96; hour++) {
      scheduler.instructed(nextFireIn(Duration.ZERO));
      scheduler.run();
      pass(Duration.ofHours(1));
    }
    assertThat(calls).filteredOn("undeclared"::equals).hasSizeBetween(4, 5);

    calls.clear();
    pass(Duration.ofDays(2));
    scheduler.run();
    assertThat(calls).isEmpty();
  }

  private void pass(Duration time) {
    nanoTime += time.toNanos();
  }

  @Test
  void aWorkerThatMayNotFireContinuesWithoutSchedules() {
    Scheduler scheduler = scheduler();
    failure = new StoreException("forbidden", new SQLException("forbidden", "42501"));
    scheduler.instructed(nextFireIn(Duration.ZERO));

    assertThat(scheduler.run()).isEqualTo(Duration.ofMinutes(1).toNanos());
  }

  @Test
  void schedulersThreadIsStartedWhenThereIsASchedule() {
    scheduler().instructed(nextFireIn(null));
    scheduler().start();
    assertThat(started).isZero();

    scheduler(DAILY).start();
    scheduler().instructed(nextFireIn(Duration.ofDays(1)));
    scheduler().schedulesChanged();
    assertThat(started).isEqualTo(3);
  }

  /**
   * Returns failures of a declaration: the row is rejected or locked, the role lacks a right, or an
   * encoder fails.
   */
  static Stream<Throwable> failures() {
    return Stream.of(
        rejected("23514"),
        rejected("55P03"),
        rejected("42501"),
        rejected("P0001"),
        new IllegalStateException("no calendar"),
        new StackOverflowError());
  }

  private static StoreException rejected(String state) {
    return new StoreException("rejected", new SQLException("rejected", state));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void declarationsThatFailStopNoScheduleAndAreTriedAgain(Throwable failing) {
    Scheduler scheduler = scheduler(DAILY);
    declaring = failing;
    assertThat(scheduler.run()).isEqualTo(Duration.ofMinutes(1).toNanos());
    assertThat(calls).containsExactly("declare", "fireDue", "recalculate", "undeclared");

    calls.clear();
    pass(Duration.ofMinutes(1));
    assertThat(scheduler.run()).isEqualTo(Duration.ofMinutes(1).toNanos());
    assertThat(calls).containsExactly("fireDue", "declare");

    calls.clear();
    declaring = null;
    pass(Duration.ofMinutes(1));
    scheduler.run();
    assertThat(calls).containsExactly("fireDue", "declare");
    assertThat(scheduler.isDue()).as("the schedules may be due").isTrue();

    long untilRenewal = scheduler.run();
    calls.clear();
    declaring = failing;
    pass(Duration.ofNanos(untilRenewal));
    assertThat(scheduler.run()).isEqualTo(Duration.ofMinutes(1).toNanos());
    assertThat(calls).containsExactly("fireDue", "touch");
  }

  @Test
  void aRecalculationThatFailsStopsNoScheduleAndIsTriedAgain() {
    Scheduler scheduler = scheduler();
    recalculating = rejected("55P03");
    fireNow(scheduler);
    fireNow(scheduler);
    assertThat(calls).containsExactly("fireDue", "recalculate", "undeclared", "fireDue");

    calls.clear();
    recalculating = null;
    pass(Duration.ofMinutes(1));
    fireNow(scheduler);
    fireNow(scheduler);
    assertThat(calls).containsExactly("fireDue", "recalculate", "fireDue");
  }

  private static void fireNow(Scheduler scheduler) {
    scheduler.schedulesChanged();
    scheduler.run();
  }

  @Test
  void anInstructionThatWasReadBeforeAScheduleWasAddedDelaysNothing() {
    Scheduler scheduler = scheduler();
    nextIn.add(Optional.of(Duration.ofSeconds(1)));
    scheduler.schedulesChanged();
    scheduler.run();

    scheduler.instructed(nextFireIn(null));
    scheduler.instructed(nextFireIn(Duration.ofHours(1)));

    assertThat(scheduler.run()).isEqualTo(Duration.ofSeconds(1).toNanos());
  }

  @Test
  void durationsThatExceedANumberOfNanosecondsAreLimited() {
    Scheduler scheduler = scheduler();
    scheduler.instructed(nextFireIn(Duration.ofDays(1_000_000)));
    assertThat(scheduler.isDue()).isFalse();
    scheduler.instructed(nextFireIn(Duration.ofDays(-1_000_000)));
    assertThat(scheduler.isDue()).isTrue();
  }

  @Test
  void anOutageIsLeftToTheLoopAndNothingIsForgotten() {
    Scheduler scheduler = scheduler(DAILY);
    failure = new StoreException("unavailable", new SQLException("unavailable", "08006"));
    assertThatThrownBy(scheduler::run).isSameAs(failure);

    failure = null;
    scheduler.run();
    failure = new StoreException("unavailable", new SQLException("unavailable", "08006"));
    scheduler.schedulesChanged();
    assertThatThrownBy(scheduler::run).isSameAs(failure);
    assertThat(scheduler.isDue()).isTrue();

    assertThat(calls)
        .containsExactly(
            "declare", "fireDue", "declare", "fireDue", "recalculate", "undeclared", "fireDue");
  }
}
