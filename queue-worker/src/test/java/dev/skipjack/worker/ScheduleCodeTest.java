package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.spi.ScheduleStore.Plan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Tests that the code of one schedule delays neither other schedules nor the thread that fires
 * them.
 */
@Timeout(30)
class ScheduleCodeTest {

  private final AtomicLong now = new AtomicLong();
  private final AtomicInteger threads = new AtomicInteger();
  private final Semaphore late = new Semaphore(0);
  private final CountDownLatch released = new CountDownLatch(1);
  private final Set<String> interrupted = ConcurrentHashMap.newKeySet();
  private final ScheduleCode code = code(ScheduleCode.PATIENCE);

  private ScheduleCode code(Duration patience) {
    return new ScheduleCode(
        body -> {
          threads.incrementAndGet();
          Thread thread = new Thread(body, "schedule-code-test");
          thread.setDaemon(true);
          return thread;
        },
        late::release,
        now::get,
        patience);
  }

  /** Runs plans, and then rounds until the expected ones have ended. */
  private void runUntilEnded(List<Plan> plans, Plan... expected) {
    List<Plan> ended = new ArrayList<>(code.run(plans));
    await()
        .untilAsserted(
            () -> {
              ended.addAll(code.run(List.of()));
              assertThat(ended).containsExactlyInAnyOrder(expected);
            });
  }

  @AfterEach
  void release() {
    released.countDown();
    code.close();
  }

  private static final class Planned implements Plan {

    private final String schedule;
    private final Runnable body;
    private volatile boolean ran;
    private volatile @Nullable Throwable failure;

    private Planned(String schedule, Runnable body) {
      this.schedule = schedule;
      this.body = body;
    }

    @Override
    public String schedule() {
      return schedule;
    }

    @Override
    public void run() {
      body.run();
      ran = true;
    }

    @Override
    public void fail(Throwable error) {
      failure = error;
    }
  }

  private static Planned quick(String schedule) {
    return new Planned(schedule, () -> {});
  }

  /** Returns a plan that ignores interrupts, but remembers them. */
  private Planned hanging(String schedule) {
    return new Planned(
        schedule,
        () -> {
          while (released.getCount() > 0) {
            try {
              released.await();
            } catch (InterruptedException ignored) {
              interrupted.add(schedule);
            }
          }
        });
  }

  private void pass(long seconds) {
    now.addAndGet(seconds * 1_000_000_000L);
  }

  @Test
  void codeThatReturnsQuicklyEndsInItsRoundAndUsesOneThread() {
    ScheduleCode patient = code(Duration.ofMinutes(1));
    List<Plan> plans = List.of(quick("a"), quick("b"), quick("c"));

    assertThat(patient.run(plans)).containsExactlyInAnyOrderElementsOf(plans);

    assertThat(plans).allMatch(plan -> ((Planned) plan).ran);
    assertThat(patient.isRunning("a")).isFalse();
    await()
        .until(
            () -> {
              int before = threads.get();
              patient.run(List.of(quick("a")));
              return threads.get() == before; // a thread may not be idle yet
            });
    patient.close();
  }

  @Test
  void slowCodeDelaysNoOtherScheduleAndALaterRoundReturnsItsPlan() throws InterruptedException {
    Planned slow = hanging("slow");
    Planned quick = quick("quick");

    runUntilEnded(List.of(slow, quick), quick);
    assertThat(code.isRunning("slow")).isTrue();
    assertThat(code.run(List.of())).isEmpty();

    late.drainPermits();
    released.countDown();
    late.acquire();
    assertThat(code.run(List.of())).containsExactly(slow);
    assertThat(slow.failure).isNull();
    assertThat(code.isRunning("slow")).isFalse();
    assertThat(code.run(List.of())).isEmpty();
  }

  @Test
  void codeThatHangsIsInterruptedAtTheLimitAndFailsOnce() {
    Planned hanging = hanging("hanging");
    assertThat(code.run(List.of(hanging))).isEmpty();
    assertThat(code.untilLimit()).isEqualTo(ScheduleCode.LIMIT.toNanos());
    assertThat(code.hanging()).isEmpty();

    pass(30);
    assertThat(code.untilLimit()).isZero();
    assertThat(code.run(List.of())).containsExactly(hanging);
    assertThat(hanging.failure).hasMessageContaining("'hanging'").hasMessageContaining("30 s");
    await().until(() -> interrupted.contains("hanging"));

    pass(30);
    assertThat(code.run(List.of())).isEmpty();
    assertThat(code.isRunning("hanging")).isTrue();
    assertThat(code.untilLimit()).isEqualTo(Scheduler.NEVER);
    assertThat(code.hanging()).singleElement().asString().contains("'hanging' has run for 60 s");
    assertThat(threads).hasValue(1);

    released.countDown();
    late.acquireUninterruptibly();
    assertThat(code.run(List.of())).isEmpty();
    assertThat(code.isRunning("hanging")).isFalse();
    assertThat(code.hanging()).isEmpty();
  }

  @Test
  void hundredSchedulesThatHangUseFewThreadsAndDelayTheOthersUntilTheLimit() {
    List<Plan> plans = IntStream.range(0, 100).<Plan>mapToObj(n -> hanging("h" + n)).toList();
    Planned quick = quick("quick");

    assertThat(code.run(plans)).isEmpty();
    assertThat(threads).hasValue(ScheduleCode.MOST);
    assertThat(code.isRunning("h15")).isTrue();
    assertThat(code.isRunning("h16")).isFalse();
    assertThat(code.run(List.of(quick))).isEmpty();
    assertThat(code.isRunning("quick")).isFalse();
    assertThat(late.availablePermits()).isZero();

    pass(30);
    Set<Plan> ended = new HashSet<>(code.run(List.of(quick)));
    await()
        .until(
            () -> {
              ended.addAll(code.run(List.of()));
              return ended.contains(quick);
            });
    assertThat(ended).hasSize(ScheduleCode.MOST + 1).containsAll(plans.subList(0, 16));
  }

  @Test
  void plansThatWereLeftOutFollowWhenThereIsRoom() {
    CountDownLatch sixteen = new CountDownLatch(ScheduleCode.MOST);
    List<Plan> plans =
        IntStream.range(0, 20)
            .<Plan>mapToObj(
                n ->
                    new Planned(
                        "s" + n,
                        () -> {
                          sixteen.countDown();
                          awaitUninterruptibly(sixteen);
                        }))
            .toList();
    Set<Plan> ended = new HashSet<>(code.run(plans));
    while (ended.size() < plans.size()) {
      late.acquireUninterruptibly();
      ended.addAll(
          code.run(
              plans.stream()
                  .filter(plan -> !ended.contains(plan) && !code.isRunning(plan.schedule()))
                  .toList()));
    }
    assertThat(plans).allMatch(plan -> ((Planned) plan).ran);
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void aThreadThatCannotBeCreatedFailsThePlan() {
    ScheduleCode exhausted =
        new ScheduleCode(
            body -> {
              throw new OutOfMemoryError("unable to create native thread");
            },
            late::release,
            now::get,
            ScheduleCode.PATIENCE);
    Planned plan = quick("a");

    assertThat(exhausted.run(List.of(plan))).containsExactly(plan);
    assertThat(plan.failure).isInstanceOf(OutOfMemoryError.class);
    assertThat(exhausted.isRunning("a")).isFalse();
  }
}
