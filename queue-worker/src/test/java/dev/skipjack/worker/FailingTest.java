package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.Outcome;
import dev.skipjack.worker.WorkerEvent.Dead;
import dev.skipjack.worker.WorkerEvent.Failed;
import dev.skipjack.worker.WorkerEvent.Succeeded;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Tests that a failed attempt is retried or ends its job, and does not affect other jobs. */
class FailingTest extends WorkerFixture {

  @Test
  void failedAttemptIsRetriedUntilTheJobSucceedsOrIsDead() {
    JobId twice = store.add(job().payload("twice"));
    JobId never = store.add(job().payload("never"));

    start(
        on(
            (payload, context) -> {
              if (payload.equals("never") || context.attempt() < 2) {
                throw new IllegalStateException("attempt " + context.attempt());
              }
              return Outcome.completed();
            },
            2),
        config());

    await().until(() -> store.status(twice) == JobStatus.COMPLETED);
    await().until(() -> store.status(never) == JobStatus.DEAD);
    assertThat(store.attempts(twice)).isEqualTo(2);
    assertThat(store.attempts(never)).isEqualTo(3);
    assertThat(store.error(never)).isEqualTo("attempt 3");
    await().until(() -> events.all(Dead.class).size() == 1);
    await().until(() -> events.all(Failed.class).size() == 3);
  }

  @Test
  void aPayloadThatCannotBeReadFailsItsJobAlone() {
    JobId poison = store.add(job().payload("poison").maxAttempts(1));
    JobId good = store.add(job().payload("good").maxAttempts(1));

    start(on((payload, context) -> Outcome.completed(), 1), config());

    await().until(() -> store.status(good) == JobStatus.COMPLETED);
    await().until(() -> store.status(poison) == JobStatus.DEAD);
    assertThat(store.error(poison)).isEqualTo("Not a payload.");
  }

  /** An Error does not end a thread of the worker. */
  @Test
  void errorsFailTheirAttemptAndEndNoThread() {
    for (int i = 0; i < 20; i++) {
      store.add(job().payload("overflow").maxAttempts(1));
      store.add(job().payload("memory").maxAttempts(1));
      store.add(job().payload("class").maxAttempts(1));
      store.add(job().payload("initializer").maxAttempts(1));
      store.add(job().payload("thread").maxAttempts(1));
    }
    JobId good = store.add(job().payload("good").priority(-1).maxAttempts(1));

    start(
        on(
            (payload, context) ->
                switch (payload) {
                  case "overflow" -> overflow(0) > 0 ? Outcome.completed() : Outcome.dead("never");
                  case "memory" -> throw new OutOfMemoryError("told to");
                  case "class" -> throw new NoClassDefFoundError("told to");
                  case "initializer" -> throw new ExceptionInInitializerError("told to");
                  case "thread" -> throw threadDeath();
                  default -> Outcome.completed();
                },
            4),
        config());

    await().until(() -> store.status(good) == JobStatus.COMPLETED);
    await().until(() -> store.count(JobStatus.DEAD) == 100);
    await().until(() -> events.all(Dead.class).size() == 100);
    assertThat(
            events.all(Dead.class).stream()
                .map(event -> event.error().errorClass())
                .collect(Collectors.toSet()))
        .containsExactlyInAnyOrder(
            "java.lang.StackOverflowError",
            "java.lang.OutOfMemoryError",
            "java.lang.NoClassDefFoundError",
            "java.lang.ExceptionInInitializerError",
            "java.lang.ThreadDeath");
  }

  @SuppressWarnings("removal") // Thread.stop throws it on Java 17
  private Error threadDeath() {
    return new ThreadDeath();
  }

  private int overflow(int depth) {
    return depth < 0 ? 0 : overflow(depth + 1) + 1;
  }

  @Test
  void aTimeoutInterruptsTheHandlerAndFailsTheAttempt() {
    JobId slow = store.add(job().payload("slow").maxAttempts(1));
    JobId next = store.add(job().payload("next").priority(-1).maxAttempts(1));
    AtomicBoolean leaked = new AtomicBoolean();

    start(
        Worker.on(store)
            .handle(
                TYPE.timeout(Duration.ofMillis(50)),
                (payload, context) -> {
                  leaked.compareAndSet(false, Thread.currentThread().isInterrupted());
                  if (payload.equals("slow")) {
                    new CountDownLatch(1).await();
                  }
                  return Outcome.completed();
                })
            .queue("q", 1),
        config());

    await().until(() -> store.status(next) == JobStatus.COMPLETED);
    assertThat(store.status(slow)).isEqualTo(JobStatus.DEAD);
    assertThat(store.error(slow)).contains("timeout of PT0.05S has passed");
    assertThat(leaked).isFalse();
  }

  @Test
  void anInterruptFlagLeftByAHandlerDoesNotReachTheNextJob() {
    List<Boolean> flags = new CopyOnWriteArrayList<>();
    store.addAll(20, job().maxAttempts(1));

    start(
        on(
            (payload, context) -> {
              flags.add(Thread.currentThread().isInterrupted());
              Thread.currentThread().interrupt();
              return Outcome.completed();
            },
            1),
        config());

    await().until(() -> store.count(JobStatus.COMPLETED) == 20);
    assertThat(flags).hasSize(20).containsOnly(false);
  }

  @Test
  void aListenerThatThrowsFailsNoJob() {
    JobId job = store.add(job().maxAttempts(1));
    start(
        on((payload, context) -> Outcome.completed(), 1)
            .listener(
                event -> {
                  throw new IllegalStateException("bad listener");
                }),
        config());

    await().until(() -> store.status(job) == JobStatus.COMPLETED);
    await().until(() -> events.all(Succeeded.class).size() == 1);
  }
}
