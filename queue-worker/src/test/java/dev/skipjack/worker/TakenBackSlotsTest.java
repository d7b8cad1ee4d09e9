package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Execution;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the slots of a queue on an executor that begins tasks late, in any order, or never. */
class TakenBackSlotsTest {

  private final List<Runnable> tasks = new ArrayList<>();
  private final Told told = new Told();
  private boolean refusesOne;
  private ServedQueue queue = served(1);

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aTaskThatBeginsAfterItWasTakenBackRunsNothingAndFreesNoSlot(boolean own) {
    Slots slots = slots(1, own);
    add(slots, 1);
    add(slots, 2);

    slots.takeBack(0);
    assertThat(told.notBegun).containsExactly(1L);
    assertThat(tasks).as("the next attempt has its slot").hasSize(2);
    tasks.get(0).run();

    assertThat(told.run).isEmpty();
    add(slots, 3);
    assertThat(tasks).as("the only slot is taken").hasSize(2);
    tasks.get(1).run();
    runAll(2);
    assertThat(told.run).containsExactly(2L, 3L);
    assertThat(told.notBegun).containsExactly(1L);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void manyLateTasksNeitherLoseNorAddSlots(boolean own) {
    Slots slots = slots(2, own);
    for (long id = 1; id <= 6; id++) {
      add(slots, id);
    }

    for (int round = 0; round < 4; round++) {
      slots.takeBack(0);
    }
    assertThat(told.notBegun).containsExactlyInAnyOrder(1L, 2L, 3L, 4L);
    List.copyOf(tasks).subList(0, 4).forEach(Runnable::run);
    add(slots, 7);
    told.keeps = true;
    tasks.get(4).run();
    assertThat(tasks).hasSize(6);
    tasks.get(5).run();
    assertThat(tasks).as("attempts that have begun hold both slots").hasSize(6);

    told.end(5);

    assertThat(tasks).as("one slot is free again").hasSize(7);
    tasks.get(6).run();
    assertThat(told.run).containsExactly(5L, 6L, 7L);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void runningAndNewAttemptsAreNotTakenBack(boolean own) {
    told.keeps = true;
    Slots slots = slots(2, own);
    add(slots, 1);
    tasks.get(0).run();
    slots.takeBack(0);
    add(slots, 2);
    slots.takeBack(Duration.ofHours(1).toNanos());

    assertThat(told.notBegun).isEmpty();
    tasks.get(1).run();
    assertThat(told.run).containsExactly(1L, 2L);
  }

  /** Waking a thread for each job of a claim would cost more than running short jobs. */
  @Test
  void eachOfTheWorkersThreadsStartsTheNextWhenItBegins() {
    told.keeps = true;
    Slots slots = slots(3, true);
    for (long id = 1; id <= 4; id++) {
      add(slots, id);
    }

    for (int begun = 0; begun < 3; begun++) {
      assertThat(tasks).hasSize(begun + 1);
      tasks.get(begun).run();
    }

    assertThat(tasks).as("no slot is free").hasSize(3);
    assertThat(told.run).containsExactly(1L, 2L, 3L);
  }

  /**
   * A thread may begin late on a busy machine, or while other handlers occupy all carrier threads.
   */
  @Test
  void threadThatBeginsLateDelaysTheOthersOnlyUntilTheNextRound() {
    Slots slots = slots(3, true);
    for (long id = 1; id <= 4; id++) {
      add(slots, id);
    }

    slots.releaseWaiting(Duration.ofHours(1).toNanos());

    assertThat(tasks).hasSize(3);
  }

  @Test
  void attemptWithoutAThreadDelaysNoOther() {
    told.keeps = true;
    Slots slots = slots(3, true);
    for (long id = 1; id <= 3; id++) {
      add(slots, id);
    }
    refusesOne = true;

    runAll(0);

    assertThat(told.refused).containsExactly(2L);
    assertThat(told.run).containsExactly(1L, 3L);
  }

  @Test
  void anAttemptRunsAlthoughTheNextOneFailsToStart() {
    told.keeps = true;
    Slots slots = slots(2, true);
    add(slots, 1);
    add(slots, 2);
    refusesOne = true;
    told.failsToRelease = true;

    runAll(0);

    assertThat(told.run).containsExactly(1L);
  }

  private void runAll(int from) {
    for (int next = from; next < tasks.size(); next++) {
      tasks.get(next).run();
    }
  }

  private Slots slots(int concurrency, boolean own) {
    queue = served(concurrency);
    return new Slots(
        queue, new HandlerThreads.Running(this::execute, own, null), told, new Reporter(List.of()));
  }

  private void execute(Runnable task) {
    if (refusesOne) {
      refusesOne = false;
      throw new RejectedExecutionException();
    }
    tasks.add(task);
  }

  private static ServedQueue served(int concurrency) {
    return new ServedQueue(
        "q",
        concurrency,
        10,
        new Wakeup(),
        LaneOrder.Reserve.A_TENTH,
        new PayloadBudget(Long.MAX_VALUE));
  }

  private void add(Slots slots, long id) {
    ClaimedJob job =
        new ClaimedJob(
            new Execution(new JobId(id), new ExecutionId(id), Instant.EPOCH),
            "q",
            "k",
            "payload",
            1,
            0,
            1,
            0,
            3,
            Instant.EPOCH,
            Map.of());
    assertThat(slots.add(new Attempt(job, queue, Duration.ofMinutes(1), System.nanoTime())))
        .isTrue();
  }

  /** Records the attempts that it receives, and ends them at once or when the test requests it. */
  private static final class Told implements Slots.Runner {

    final List<Long> run = new ArrayList<>();
    final List<Long> notBegun = new ArrayList<>();
    final Map<Long, Runnable> endings = new HashMap<>();
    final List<Long> refused = new ArrayList<>();
    boolean keeps;
    boolean failsToRelease;

    @Override
    public boolean run(Attempt attempt, Runnable later) {
      run.add(id(attempt));
      endings.put(id(attempt), later);
      return !keeps;
    }

    @Override
    public void release(Attempt attempt) {
      throw new AssertionError("nothing is closed");
    }

    @Override
    public void refused(Attempt attempt, Throwable why) {
      refused.add(id(attempt));
      if (failsToRelease) {
        throw new IllegalStateException("not released", why);
      }
    }

    @Override
    public void notBegun(Attempt attempt) {
      notBegun.add(id(attempt));
    }

    void end(long id) {
      Objects.requireNonNull(endings.get(id), "it has not begun").run();
    }

    private static long id(Attempt attempt) {
      return attempt.job().execution().jobId().value();
    }
  }
}
