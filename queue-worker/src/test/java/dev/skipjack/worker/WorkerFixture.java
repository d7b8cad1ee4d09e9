package dev.skipjack.worker;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobType;
import dev.skipjack.api.StoreException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** The common parts of worker tests, which run workers on a {@link MemoryStore}. */
@Timeout(30)
abstract class WorkerFixture {

  /** A type of kind {@code k} that is retried at once. */
  static final JobType<String> TYPE =
      JobType.of("k", String.class).retry(Backoff.fixed(Duration.ZERO));

  final MemoryStore store = new MemoryStore();
  final EventLog events = new EventLog();
  private final List<Worker> workers = new ArrayList<>();

  /** Has a separate timeout, because that of the class does not apply to this method. */
  @AfterEach
  @Timeout(30)
  void closeWorkers() {
    workers.forEach(Worker::close);
  }

  /** Returns a builder of a worker for queue {@code q} with one handler. */
  Worker.Builder on(Handler<String> handler, int concurrency) {
    return Worker.on(store).handle(TYPE, handler).queue("q", concurrency);
  }

  /**
   * Like {@link #on}, but for handlers that spin. On virtual threads, such handlers could occupy
   * all cores and keep other handlers from running.
   */
  Worker.Builder onPlatformThreads(JobType<String> type, Handler<String> handler, int concurrency) {
    return Worker.on(store)
        .handle(type, handler)
        .handlerThreads(HandlerThreads.platform())
        .queue("q", concurrency);
  }

  static WorkerConfig.Builder config() {
    return WorkerConfig.builder()
        .pollInterval(Duration.ofMillis(50))
        .drainTimeout(Duration.ofSeconds(5));
  }

  /** Builds a worker, which is closed after the test. */
  Worker build(Worker.Builder builder, WorkerConfig.Builder config) {
    Worker worker = builder.config(config.build()).listener(events).build();
    workers.add(worker);
    return worker;
  }

  Worker start(Worker.Builder builder, WorkerConfig.Builder config) {
    return build(builder, config).start();
  }

  /** Returns a fault that fails every call, like a database that cannot be reached. */
  static MemoryStore.Fault unavailable() {
    return new MemoryStore.Fault() {
      @Override
      public void before(String call, int size) {
        throw new StoreException("unavailable", new SQLException("unavailable", "08006"));
      }
    };
  }

  /** Returns how many times this method of the store was called. */
  int calls(String name) {
    return (int) store.calls.stream().filter(name::equals).count();
  }

  /** Returns the names of the live threads whose name has the prefix. */
  static List<String> threads(String prefix) {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.startsWith(prefix))
        .toList();
  }

  static void pause(Duration time) throws InterruptedException {
    new CountDownLatch(1).await(time.toMillis(), TimeUnit.MILLISECONDS);
  }

  static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }
}
