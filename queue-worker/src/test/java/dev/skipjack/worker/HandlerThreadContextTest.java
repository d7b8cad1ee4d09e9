package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/**
 * The thread that completes a stage may also start the thread for the worker's next job. Tests that
 * the job then inherits neither the user nor the class loader of the thread that completed the
 * stage.
 */
@Timeout(30)
class HandlerThreadContextTest {

  private static final InheritableThreadLocal<String> USER = new InheritableThreadLocal<>();

  /** The context that a handler found in its thread. */
  private record Seen(@Nullable String user, @Nullable ClassLoader loader) {
    static Seen here() {
      return new Seen(USER.get(), Thread.currentThread().getContextClassLoader());
    }
  }

  private final Thread starter = Thread.currentThread();
  private final ClassLoader outer = starter.getContextClassLoader();
  private final URLClassLoader application = new URLClassLoader(new URL[0], outer);
  private final URLClassLoader odd = new URLClassLoader(new URL[0], outer);

  @AfterEach
  void restore() throws IOException {
    USER.remove();
    starter.setContextClassLoader(outer);
    application.close();
    odd.close();
  }

  @Test
  void platformThreadsInheritNothingFromTheThreadThatStartsThem() throws Exception {
    inheritNothing(HandlerThreads.platform());
  }

  @Test
  @EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "Virtual threads require Java 21")
  void virtualThreadsInheritNothingFromTheThreadThatStartsThem() throws Exception {
    inheritNothing(HandlerThreads.virtual());
  }

  private void inheritNothing(HandlerThreads handlerThreads) throws Exception {
    starter.setContextClassLoader(application);
    WorkerThreads threads = new WorkerThreads("context");
    CompletableFuture<Seen> seen = new CompletableFuture<>();
    try (HandlerThreads.Running running = handlerThreads.open(threads)) {
      Thread client =
          new Thread(
              () -> {
                USER.set("alice");
                Thread.currentThread().setContextClassLoader(odd);
                running.executor().execute(() -> seen.complete(Seen.here()));
              });
      client.start();
      assertThat(seen.get(10, SECONDS)).isEqualTo(new Seen(null, application));
      client.join();
    }
  }

  @Test
  void handlersHaveTheClassLoaderOfTheThreadThatStartedTheWorker() throws Exception {
    MemoryStore store = new MemoryStore();
    store.add(job().maxAttempts(1));
    CompletableFuture<Seen> seen = new CompletableFuture<>();
    starter.setContextClassLoader(odd);
    Worker worker =
        Worker.on(store)
            .handle(
                JobType.of("k", String.class),
                (payload, context) -> {
                  seen.complete(Seen.here());
                  return Outcome.completed();
                })
            .queue("q", 1)
            .build();
    starter.setContextClassLoader(application);
    USER.set("starter");

    try (Worker started = worker.start()) {
      assertThat(seen.get(10, SECONDS)).isEqualTo(new Seen(null, application));
      assertThat(started.status().started()).isTrue();
    }
  }
}
