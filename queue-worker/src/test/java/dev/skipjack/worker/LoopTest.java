package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.StoreException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LoopTest {

  private final AtomicInteger runs = new AtomicInteger();
  private final Loop loop =
      new Loop(
          "rescuer",
          this::fail,
          new Wakeup(),
          new Reporter(List.of()),
          new SplittableRandom(7),
          Loop.LONGEST_PAUSE);

  private long fail() {
    runs.incrementAndGet();
    throw new StoreException("failed", new SQLException("failed", "08001"));
  }

  @AfterEach
  void stop() throws InterruptedException {
    loop.stop();
    assertThat(loop.join(Duration.ofSeconds(10).toNanos())).isTrue();
  }

  @Test
  void theSuccessOfOthersShortensThePausesOfAFailingLoopOnlyOnce() {
    loop.start(new WorkerThreads("test"));
    await().until(() -> runs.get() >= 4);

    for (int i = 0; i < 200; i++) {
      loop.databaseIsBack();
      await()
          .pollDelay(Duration.ZERO)
          .pollInterval(Duration.ofMillis(1))
          .until(() -> loop.trouble() != null);
    }

    // After the first four runs, pauses double from 25 ms again: a dozen more would take 25 s.
    assertThat(runs).hasValueLessThan(16);
  }

  @Test
  void aLoopWithoutMemoryForAWaitContinues() {
    AtomicInteger waits = new AtomicInteger();
    Loop hungry =
        new Loop(
            "rescuer",
            () -> Duration.ofDays(1).toNanos(),
            new Wakeup() {
              @Override
              boolean awaitRaise(long nanos) {
                if (waits.incrementAndGet() <= 3) {
                  throw new OutOfMemoryError("for the test");
                }
                return super.awaitRaise(nanos);
              }
            },
            new Reporter(List.of()),
            new SplittableRandom(7),
            Loop.LONGEST_PAUSE);
    hungry.start(new WorkerThreads("test"));

    await().until(() -> waits.get() == 4);

    assertThat(hungry.isAlive(Loop.LONGEST_PAUSE)).isTrue();
    hungry.stop();
  }

  @Nested
  class RunByAnotherThread {

    private final BlockingQueue<String> steps = new LinkedBlockingQueue<>();
    private final CountDownLatch began = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private volatile Deed next = Deed.WAIT_LONG;
    private final Loop visited =
        new Loop(
            "claim-loop",
            new Loop.Step() {
              @Override
              public long run() throws Exception {
                Deed deed = next;
                next = Deed.WAIT_LONG;
                steps.add(Thread.currentThread() == tester ? "visit" : "own");
                return switch (deed) {
                  case WAIT_LONG -> Duration.ofDays(1).toNanos();
                  case GO_ON -> 0;
                  case FAIL -> throw new StoreException("no", new SQLException("no", "08001"));
                  case BLOCK -> {
                    began.countDown();
                    mayEnd.await();
                    yield Duration.ofDays(1).toNanos();
                  }
                };
              }

              @Override
              public void end() {
                steps.add("end");
              }
            },
            new Wakeup(),
            new Reporter(List.of()),
            new SplittableRandom(7),
            Loop.LONGEST_PAUSE);
    private final Thread tester = Thread.currentThread();

    enum Deed {
      WAIT_LONG,
      GO_ON,
      FAIL,
      BLOCK
    }

    @AfterEach
    void stop() throws InterruptedException {
      mayEnd.countDown();
      visited.stop();
      assertThat(visited.join(Duration.ofSeconds(10).toNanos())).isTrue();
    }

    @Test
    void theLoopRunsAgainWhenTheStepOfTheVisitRequestsIt() throws InterruptedException {
      visited.start(new WorkerThreads("test"));
      assertThat(steps.take()).isEqualTo("own");

      visit(Deed.WAIT_LONG);
      assertThat(steps.take()).isEqualTo("visit");
      visit(Deed.GO_ON);

      assertThat(steps.take()).isEqualTo("visit");
      assertThat(steps.take()).isEqualTo("own");
      assertThat(steps).isEmpty();
    }

    @Test
    void theLoopPausesAfterAFailureOfTheVisitor() throws InterruptedException {
      visited.start(new WorkerThreads("test"));
      assertThat(steps.take()).isEqualTo("own");

      visit(Deed.FAIL);

      assertThat(steps.take()).isEqualTo("visit");
      assertThat(steps.take()).isEqualTo("own"); // after the pause
      await().until(() -> visited.trouble() == null);
    }

    @Test
    void onlyOneThreadRunsTheStep() throws InterruptedException {
      next = Deed.BLOCK;
      visited.start(new WorkerThreads("test"));
      began.await();

      assertThat(visited.runHere()).isFalse();
    }

    @Test
    void aStoppedLoopIsNotVisited() throws InterruptedException {
      visited.start(new WorkerThreads("test"));
      assertThat(steps.take()).isEqualTo("own");
      visited.stop();

      assertThat(visited.runHere()).isFalse();
    }

    @Test
    void theLoopEndsAfterTheVisit() throws InterruptedException {
      visited.start(new WorkerThreads("test"));
      assertThat(steps.take()).isEqualTo("own");
      next = Deed.BLOCK;
      Thread visitor = new Thread(this::visitOnceItWaits);
      visitor.start();
      began.await();
      visited.stop();

      assertThat(visited.join(Duration.ofMillis(50).toNanos())).isFalse();
      assertThat(steps).doesNotContain("end");
      mayEnd.countDown();
      visitor.join();

      assertThat(visited.join(Duration.ofSeconds(10).toNanos())).isTrue();
      assertThat(steps).endsWith("end");
    }

    /** The loop's own thread may still be about to wait. */
    private void visitOnceItWaits() {
      while (!visited.runHere()) {
        Thread.onSpinWait();
      }
    }

    /** Runs the step in another thread, once the loop's own thread waits. */
    private void visit(Deed deed) {
      await()
          .pollInSameThread()
          .until(
              () -> {
                next = deed;
                return visited.runHere();
              });
    }
  }
}
