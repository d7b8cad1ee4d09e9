package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests two slots on an executor that begins tasks only on request. */
class SlotsTest {

  private static final int SLOTS = 2;

  private final Kept executor = new Kept();
  private final List<Attempt> ran = new ArrayList<>();
  private final List<Attempt> takenBack = new ArrayList<>();
  private final ServedQueue queue =
      new ServedQueue(
          "q",
          SLOTS,
          100,
          new Wakeup(),
          LaneOrder.Reserve.A_TENTH,
          new PayloadBudget(Long.MAX_VALUE));
  private final Slots slots =
      new Slots(
          queue,
          HandlerThreads.of(executor).open(new WorkerThreads("slots")),
          new Slots.Runner() {
            @Override
            public boolean run(Attempt attempt, Runnable later) {
              return ran.add(attempt);
            }

            @Override
            public void release(Attempt attempt) {
              takenBack.add(attempt);
            }

            @Override
            public void refused(Attempt attempt, Throwable why) {
              throw new AssertionError(why);
            }

            @Override
            public void notBegun(Attempt attempt) {
              takenBack.add(attempt);
            }
          },
          new Reporter(List.of()));

  @Test
  void anExecutorThatHangsIsGivenNoMoreThanTwiceTheSlots() {
    for (long id = 1; id <= 10; id++) {
      assertThat(slots.add(Attempts.of(id, 0, Duration.ofMinutes(1)))).isTrue();
    }
    assertThat(executor.tasks).hasSize(SLOTS);

    for (int round = 0; round < 5; round++) {
      slots.takeBack(0);
    }

    assertThat(executor.tasks).hasSize(2 * SLOTS);
    assertThat(takenBack).hasSize(2 * SLOTS);
  }

  @Test
  void slotsAreFreedByTheTasksThatTheExecutorBeginsLate() {
    for (long id = 1; id <= 10; id++) {
      assertThat(slots.add(Attempts.of(id, 0, Duration.ofMinutes(1)))).isTrue();
    }
    for (int round = 0; round < 5; round++) {
      slots.takeBack(0);
    }

    executor.runAll();

    assertThat(ran).hasSize(10 - takenBack.size()).doesNotContainAnyElementsOf(takenBack);
  }

  /** An executor that begins a task only on request. */
  private static final class Kept extends AbstractExecutorService {
    final Deque<Runnable> tasks = new ArrayDeque<>();

    void runAll() {
      for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
        task.run();
      }
    }

    @Override
    public void execute(Runnable task) {
      tasks.add(task);
    }

    @Override
    public void shutdown() {
      tasks.clear();
    }

    @Override
    public List<Runnable> shutdownNow() {
      return List.of();
    }

    @Override
    public boolean isShutdown() {
      return false;
    }

    @Override
    public boolean isTerminated() {
      return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
      return true;
    }
  }
}
