package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.spi.Progress;
import dev.skipjack.worker.WorkerEvent.Started;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

/** Tests the environment of a handler: log context, progress and interceptors. */
class HandlerContextTest extends WorkerFixture {

  @Test
  void theLogContextNamesTheJobAndIsCleanForTheNext() {
    JobId first = store.add(job().payload("first").priority(1));
    JobId second = store.add(job().payload("second"));
    List<Map<String, String>> contexts = new CopyOnWriteArrayList<>();

    start(
        on(
            (payload, context) -> {
              contexts.add(MDC.getCopyOfContextMap());
              MDC.put("left", "behind");
              return Outcome.completed();
            },
            1),
        config());

    await().until(() -> store.count(JobStatus.COMPLETED) == 2);
    assertThat(contexts)
        .containsExactly(
            Map.of("queue", "q", "kind", "k", "jobId", first.toString(), "attempt", "1"),
            Map.of("queue", "q", "kind", "k", "jobId", second.toString(), "attempt", "1"));
  }

  @Test
  void progressIsWrittenWithTheHeartbeats() throws Exception {
    JobId job = store.add(job());
    CountDownLatch end = new CountDownLatch(1);

    start(
        onPlatformThreads(
            TYPE,
            (payload, context) -> {
              context.progress(10, null);
              context.progress(42, "half way, nearly");
              assertThat(context.timeLeft()).isEmpty();
              end.await();
              return Outcome.completed();
            },
            1),
        config().lease(Duration.ofMillis(300)));

    await().until(() -> store.progress.containsKey(job.value()));
    assertThat(store.progress.values())
        .extracting(Progress::percent, Progress::message)
        .containsExactly(tuple(42, "half way, nearly"));
    end.countDown();
    await().until(() -> store.status(job) == JobStatus.COMPLETED);
  }

  @Test
  void interceptorsSurroundTheHandlerInTheirOrder() {
    JobId job = store.add(job());
    List<String> order = new CopyOnWriteArrayList<>();

    start(
        onPlatformThreads(
                TYPE,
                (payload, context) -> {
                  order.add("handler");
                  return Outcome.completed();
                },
                1)
            .interceptor(named("outer", order))
            .interceptor(named("inner", order)),
        config());

    await().until(() -> store.status(job) == JobStatus.COMPLETED);
    assertThat(order).containsExactly("outer in", "inner in", "handler", "inner out", "outer out");
    await().until(() -> events.all(Started.class).size() == 1);
  }

  private static ExecutionInterceptor named(String name, List<String> order) {
    return (context, next) -> {
      order.add(name + " in");
      Outcome outcome = next.proceed();
      order.add(name + " out");
      return outcome;
    };
  }

  @Test
  void anInterceptorThatThrowsFailsTheAttempt() {
    JobId job = store.add(job().maxAttempts(1));

    start(
        onPlatformThreads(TYPE, (payload, context) -> Outcome.completed(), 1)
            .interceptor(
                (context, next) -> {
                  throw new IllegalStateException("not today");
                }),
        config());

    await().until(() -> store.status(job) == JobStatus.DEAD);
    assertThat(store.error(job)).isEqualTo("not today");
  }
}
