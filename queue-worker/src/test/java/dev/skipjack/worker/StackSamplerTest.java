package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.StackSample;
import dev.skipjack.api.spi.UnhandledKind;
import dev.skipjack.api.spi.WorkerInstructions;
import dev.skipjack.api.spi.WorkerRegistry;
import dev.skipjack.api.spi.WorkerRow;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StackSamplerTest {

  private static final Duration LONG = StackSampler.Pace.STANDARD.after();
  private static final Duration EVERY = StackSampler.Pace.STANDARD.every();

  private final Registry registry = new Registry();
  private final RunningJobs running = new RunningJobs();
  private final List<Thread> threads = new ArrayList<>();
  private final CountDownLatch end = new CountDownLatch(1);
  private long now = System.nanoTime();
  private StackSampler sampler = sampler(ErrorRedactor.NONE);

  private StackSampler sampler(ErrorRedactor redactor) {
    return new StackSampler(
        registry,
        running,
        new Redaction(redactor),
        StackSampler.Pace.STANDARD,
        new Reporter(List.of()),
        () -> now);
  }

  private static final class Registry implements WorkerRegistry {
    private final List<StackSample> samples = new ArrayList<>();
    private final List<ExecutionId> ended = new ArrayList<>();
    private int calls;
    private @Nullable StoreException failure;

    @Override
    public void recordStacks(List<StackSample> changed, List<ExecutionId> removed) {
      calls++;
      if (failure != null) {
        throw failure;
      }
      samples.addAll(changed);
      ended.addAll(removed);
    }

    @Override
    public WorkerInstructions announce(WorkerRow row) {
      throw new UnsupportedOperationException();
    }

    @Override
    public List<UnhandledKind> unhandledKinds(WorkerRow worker) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void remove(WorkerId id) {
      throw new UnsupportedOperationException();
    }
  }

  @AfterEach
  void endThreads() throws InterruptedException {
    end.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
  }

  /** Adds an attempt that has run for the given time in a thread of its own, which waits. */
  private Attempt running(long id, Duration since) {
    Attempt attempt = Attempts.of(id, 0, Duration.ofHours(1));
    long begunAt = now - since.toNanos();
    running.add(attempt);
    Thread thread =
        new Thread(
            () -> {
              attempt.begin(begunAt);
              waitForEnd();
            });
    threads.add(thread);
    thread.start();
    await().until(() -> thread.getState() == Thread.State.WAITING);
    return attempt;
  }

  private void waitForEnd() {
    try {
      end.await();
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  private void runLater(Duration pause) {
    now += pause.toNanos();
    sampler.run();
  }

  @Test
  void anAttemptIsSampledAfterAMinute() {
    running(1, LONG.minusMillis(1));
    assertThat(sampler.isNeeded()).isFalse();
    sampler.run();
    assertThat(registry.calls).isZero();

    now += Duration.ofMillis(1).toNanos();

    assertThat(sampler.isNeeded()).isTrue();
    sampler.run();
    assertThat(registry.samples)
        .singleElement()
        .satisfies(
            sample -> {
              assertThat(sample.execution().id()).isEqualTo(new ExecutionId(1));
              assertThat(sample.problem()).isNull();
              assertThat(sample.stack())
                  .startsWith("\tat ")
                  .contains(StackSamplerTest.class.getName() + ".waitForEnd");
            });
  }

  @Test
  void aStackThatHasNotChangedIsNotWrittenAgain() {
    running(1, LONG);
    sampler.run();
    runLater(EVERY);
    runLater(EVERY);

    assertThat(registry.calls).isEqualTo(1);
  }

  @Test
  void aHandlerThatHasMovedOnIsWrittenAtMostEveryHalfMinute() {
    Attempt attempt = Attempts.begun(LONG);
    running.add(attempt);
    now = System.nanoTime();
    sampler.run();
    runLater(EVERY.minusMillis(1));
    assertThat(registry.samples).hasSize(1);

    now += Duration.ofMillis(1).toNanos();
    sampler.run(); // on another line
    assertThat(registry.samples).hasSize(2);
  }

  @Test
  void theSampleOfAnEndedAttemptIsRemovedOnce() {
    Attempt attempt = running(1, LONG);
    sampler.run();
    attempt.finish();
    runLater(EVERY);
    assertThat(registry.ended).isEmpty(); // the worker still holds the job

    running.settle(attempt);
    runLater(EVERY);
    runLater(EVERY);

    assertThat(registry.ended).containsExactly(new ExecutionId(1));
    assertThat(registry.calls).isEqualTo(2);
  }

  @Test
  void anAttemptThatEndsWhileItIsSampledIsLeftOut() {
    Attempt attempt = running(1, LONG);
    Thread before = Objects.requireNonNull(attempt.handlerThread());

    attempt.finish();

    assertThat(attempt.isRunBy(before)).isFalse();
    assertThat(attempt.isRunBy(null)).isFalse();
    sampler.run();
    assertThat(registry.samples).isEmpty();
  }

  @Test
  void aHandlerThatReturnedAStageHasAReasonInsteadOfAStack() {
    Attempt attempt = running(1, LONG);
    attempt.detach(() -> {});
    sampler.run();

    assertThat(registry.samples)
        .singleElement()
        .satisfies(
            sample -> {
              assertThat(sample.stack()).isNull();
              assertThat(sample.problem()).contains("returned a stage");
            });
  }

  @Test
  void aRunSamplesTheAttemptsThatWereSampledLongestAgo() {
    int all = StackSampler.MOST + 5;
    for (int i = 1; i <= all; i++) {
      running(i, LONG);
    }
    sampler.run();
    assertThat(registry.samples).hasSize(StackSampler.MOST);
    sampler.run();

    assertThat(registry.samples)
        .extracting(sample -> sample.execution().id())
        .hasSize(all)
        .doesNotHaveDuplicates();
  }

  @Test
  void stacksAreRedacted() {
    sampler = sampler(text -> text.replace("waitForEnd", "hidden"));
    running(1, LONG);
    sampler.run();

    assertThat(registry.samples.get(0).stack())
        .contains("StackSamplerTest.hidden")
        .doesNotContain("waitForEnd");
  }

  @Test
  void aRedactorThatFailsWithholdsTheStack() {
    sampler =
        sampler(
            text -> {
              throw new AssertionError("broken");
            });
    running(1, LONG);
    sampler.run();

    assertThat(registry.samples.get(0).stack()).isEqualTo(Redaction.WITHHELD);
  }

  @Test
  void aSampleThatCouldNotBeWrittenIsTakenAgain() {
    registry.failure = new StoreException("refused", new SQLException("refused", "42501"));
    Attempt attempt = running(1, LONG);
    sampler.run();
    registry.failure = null;
    sampler.run();
    assertThat(registry.samples).hasSize(1);

    registry.failure = new StoreException("refused", new SQLException("refused", "42501"));
    running.settle(attempt);
    sampler.run();
    registry.failure = null;
    sampler.run();
    assertThat(registry.ended).containsExactly(new ExecutionId(1));
  }
}
