package dev.skipjack.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.faults.ForkedJvm;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import dev.skipjack.worker.ExecutionInterceptor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Scanner;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Compares how long enqueues, calls of handlers and the start of an application take with and
 * without what the starter adds. Prints the medians.
 */
@QueueTest
@Tag("soak")
class StarterCostTest {

  private static final int TRANSACTIONS = 600;
  private static final int ENQUEUES = 10;
  private static final int JOBS = 5_000;
  private static final int STARTS = 15;
  private static final int WARM_UP_PART = 3;

  private static final Duration PATIENCE = Duration.ofSeconds(90);

  record Empty() {}

  static final JobType<Empty> SCANNED = JobType.of("scanned", Empty.class);

  static final JobType<Empty> REGISTERED = JobType.of("registered", Empty.class);

  static class Handlers {
    @JobHandler("scanned")
    void scanned(Empty job) {}
  }

  @Test
  void enqueueInATransaction(QueueDatabase database) {
    Map<String, List<Long>> nanos = new LinkedHashMap<>();
    try (HikariDataSource pool = database.newDataSource(2)) {
      JobQueue queue = JobQueue.on(pool);
      Jobs jobs = new Jobs(queue, pool, EnqueueTransaction.JOIN);
      TransactionTemplate transaction =
          new TransactionTemplate(new DataSourceTransactionManager(pool));
      for (int round = 0; round < TRANSACTIONS; round++) {
        boolean starterFirst = round % 2 == 0;
        transaction.executeWithoutResult(
            status -> {
              for (int each = 0; each < ENQUEUES; each++) {
                if (starterFirst == (each % 2 == 0)) {
                  time(nanos, "Jobs", () -> jobs.enqueue(SCANNED, new Empty()));
                } else {
                  time(
                      nanos,
                      "JobQueue.in",
                      () ->
                          queue
                              .in(DataSourceUtils.getConnection(pool))
                              .enqueue(SCANNED, new Empty()));
                }
              }
              status.setRollbackOnly();
            });
      }
    }
    report("enqueue in a transaction, ns", nanos);
  }

  @Test
  void callOfAHandler(QueueDatabase database) {
    Map<String, Queue<Long>> taken =
        Map.of(
            SCANNED.kind(), new ConcurrentLinkedQueue<>(),
            REGISTERED.kind(), new ConcurrentLinkedQueue<>());
    ExecutionInterceptor timer =
        (context, next) -> {
          long begin = System.nanoTime();
          try {
            return next.proceed();
          } finally {
            Objects.requireNonNull(taken.get(context.kind())).add(System.nanoTime() - begin);
          }
        };
    WorkerCustomizer registered =
        worker -> worker.handle(REGISTERED, (job, context) -> Outcome.completed());
    Contexts.on(database)
        .withBean(Handlers.class)
        .withBean(ExecutionInterceptor.class, () -> timer)
        .withBean(WorkerCustomizer.class, () -> registered)
        .run(
            context -> {
              Jobs jobs = context.getBean(Jobs.class);
              List<Empty> payloads = Collections.nCopies(10, new Empty());
              IntStream.range(0, JOBS / payloads.size())
                  .forEach(
                      each -> {
                        jobs.enqueueAll(SCANNED, payloads);
                        jobs.enqueueAll(REGISTERED, payloads);
                      });
              await()
                  .atMost(PATIENCE)
                  .until(() -> taken.values().stream().allMatch(each -> each.size() >= JOBS));
            });
    Map<String, List<Long>> nanos = new LinkedHashMap<>();
    nanos.put("@JobHandler", List.copyOf(Objects.requireNonNull(taken.get(SCANNED.kind()))));
    nanos.put("lambda", List.copyOf(Objects.requireNonNull(taken.get(REGISTERED.kind()))));
    report("call of a handler, ns", nanos);
  }

  @Test
  void startOfAnApplication(QueueDatabase database) throws IOException {
    Map<String, List<String>> variants = new LinkedHashMap<>();
    variants.put(
        "without the starter",
        List.of("--spring.autoconfigure.exclude=" + String.join(",", oursAndWhatWeBring())));
    variants.put("with the starter", List.of());
    variants.put("with a worker", List.of("--has-handlers=true"));
    Map<String, List<Long>> durations = new LinkedHashMap<>();
    Map<String, List<Long>> processor = new LinkedHashMap<>();
    List<String> names = new ArrayList<>(variants.keySet());
    for (int round = 0; round < STARTS; round++) {
      Collections.rotate(names, 1);
      for (String name : names) {
        List<String> arguments =
            new ArrayList<>(
                List.of(
                    "--spring.datasource.url=" + database.jdbcUrl(),
                    "--skipjack.schema=" + database.schema()));
        arguments.addAll(Objects.requireNonNull(variants.get(name)));
        try (ForkedJvm application =
            ForkedJvm.of(StartedApplication.class)
                .option("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn")
                .arguments(arguments.toArray(String[]::new))
                .start()) {
          try (Scanner taken =
              new Scanner(
                  application
                      .awaitLine(StartedApplication.STARTED, PATIENCE)
                      .replace(StartedApplication.STARTED, ""))) {
            time(durations, name, taken.nextLong());
            time(processor, name, taken.nextLong());
          }
        }
      }
    }
    report("start of an application, ns", durations);
    report("start of an application, processor time of the main thread, ns", processor);
  }

  /**
   * Returns the starter's configurations, and those of Spring Boot for libraries that would not be
   * on the class path without the starter.
   */
  private static List<String> oursAndWhatWeBring() throws IOException {
    Path imports =
        Path.of(
            "src/main/resources/META-INF/spring/org.springframework.boot.autoconfigure.AutoConfiguration.imports");
    List<String> names = new ArrayList<>(Files.readAllLines(imports));
    names.add("org.springframework.boot.autoconfigure.flyway.FlywayAutoConfiguration");
    names.add("org.springframework.boot.autoconfigure.jooq.JooqAutoConfiguration");
    return names;
  }

  private static void time(Map<String, List<Long>> all, String name, Runnable call) {
    long begin = System.nanoTime();
    call.run();
    time(all, name, System.nanoTime() - begin);
  }

  private static void time(Map<String, List<Long>> all, String name, long taken) {
    all.computeIfAbsent(name, key -> new ArrayList<>()).add(taken);
  }

  /**
   * Prints the median and the quartiles of each, without the first values, which the JVM's
   * compilation distorts.
   */
  private static void report(String title, Map<String, List<Long>> all) {
    all.forEach(
        (name, taken) -> {
          long[] sorted =
              taken.stream().skip(taken.size() / WARM_UP_PART).mapToLong(each -> each).toArray();
          Arrays.sort(sorted);
          System.out.printf(
              "%s: %s: median %d, quartiles %d to %d of %d%n",
              title,
              name,
              sorted[sorted.length / 2],
              sorted[sorted.length / 4],
              sorted[sorted.length * 3 / 4],
              sorted.length);
          assertThat(sorted).as(name).isNotEmpty();
        });
  }
}
