package dev.skipjack.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.Retention;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.UnhandledKind;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.RecordComponent;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests what a worker logs when it starts. */
class StartLogTest {

  /** Settings that all differ from the defaults, so that none of them is found by chance. */
  private static final WorkerConfig CONFIG =
      new WorkerConfig(
          Duration.ofSeconds(31),
          Duration.ofSeconds(9),
          Duration.ofMillis(1_251),
          501,
          Duration.ofMillis(4),
          Duration.ofSeconds(11),
          Duration.ofSeconds(26),
          Duration.ofSeconds(6),
          new Retention(Duration.ofDays(8), Duration.ofDays(29)),
          false,
          false);

  @Test
  void theStartIsLoggedOnOneShortLine() {
    assertThat(lineOfStart())
        .matches(
            ".*Worker started worker=logged/\\w+ queues=\\{first=3, second=1} kinds=\\[a, b]"
                + " schedules=\\[]");
  }

  @Test
  void aLongListOfKindsIsShortened() {
    assertThat(Worker.shortened(IntStream.range(0, 10).mapToObj(i -> "kind-" + i).toList()))
        .hasSize(10)
        .endsWith("kind-9");
    assertThat(Worker.shortened(IntStream.range(0, 40).mapToObj(i -> "kind-" + i).toList()))
        .hasSize(11)
        .endsWith("kind-9", "and 30 more");
  }

  @Test
  void everySettingIsLoggedAsADetail() throws ReflectiveOperationException {
    String line = worker().build().settings(1);

    assertThat(line)
        .contains("kinds=[a, b] schedules=[]")
        .contains("reserve=NOTHING weights={first=7}")
        .contains("archiveRetention=PT192H auditRetention=PT696H")
        .doesNotContain("[lease", "Retention[")
        .contains("handlerThreads=platform")
        .contains("connectionsKept=1");
    for (RecordComponent setting : WorkerConfig.class.getRecordComponents()) {
      Object value = setting.getAccessor().invoke(CONFIG);
      assertThat(value)
          .as("%s of the test", setting.getName())
          .isNotEqualTo(setting.getAccessor().invoke(WorkerConfig.defaults()));
      if (!(value instanceof Retention)) {
        assertThat(line).contains(" " + setting.getName() + "=" + value);
      }
    }
  }

  @Test
  void dueKindsWithoutAHandlerAreLogged() {
    MemoryStore store = new MemoryStore();
    store.unhandled =
        List.of(
            new UnhandledKind("first", "lost", false),
            new UnhandledKind("second", "lost too", false),
            new UnhandledKind("first", "theirs", true));

    List<String> lines = linesUntil(store, log -> log.contains("that only other workers handle"));

    assertThat(lines)
        .anyMatch(
            line ->
                line.contains("WARN")
                    && line.endsWith(
                        "that no living worker handles; register handlers, or cancel the jobs"
                            + " count=2 kinds=[first/lost, second/lost too]"))
        .anyMatch(line -> line.contains("INFO") && line.endsWith("count=1 kinds=[first/theirs]"));
  }

  @Test
  void theKindsAreReadOnceEvenIfThatFails() {
    MemoryStore store = new MemoryStore();
    store.fault =
        new MemoryStore.Fault() {
          @Override
          public void before(String call, int size) {
            if (call.equals("unhandledKinds")) {
              throw new StoreException("denied", new SQLException("denied", "42501"));
            }
          }
        };

    List<String> lines = linesUntil(store, log -> store.calls.contains("unhandledKinds"));

    assertThat(store.calls).containsOnlyOnce("unhandledKinds");
    assertThat(lines).noneMatch(line -> line.contains("WARN") || line.contains("ERROR"));
  }

  @Test
  void aQueueThatTheWorkerDoesNotServeIsLoggedWithTheFix() {
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, UTF_8));
    JobType<String> elsewhere = JobType.of("b", String.class).onQueue("emails");
    try (Worker worker =
        Worker.on(new MemoryStore())
            .handle(elsewhere, (payload, context) -> Outcome.completed())
            .queue(JobType.DEFAULT_QUEUE, 3)
            .start()) {
      assertThat(worker.queues()).isNotEmpty();
    } finally {
      System.setErr(before);
    }

    assertThat(log.toString(UTF_8).lines())
        .anyMatch(
            line ->
                line.contains("WARN")
                    && line.contains("add queue(name, concurrency)")
                    && line.endsWith("kind=b queue=emails"));
  }

  private static List<String> linesUntil(MemoryStore store, Predicate<String> condition) {
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, UTF_8));
    try (Worker worker =
        Worker.on(store)
            .handle(JobType.of("a", String.class), (payload, context) -> Outcome.completed())
            .queue(JobType.DEFAULT_QUEUE, 3)
            .start()) {
      await().until(() -> condition.test(log.toString(UTF_8)));
      assertThat(worker.health().alive()).isTrue();
    } finally {
      System.setErr(before);
    }
    return log.toString(UTF_8).lines().toList();
  }

  private static Worker.Builder worker() {
    return Worker.on(new MemoryStore())
        .handle(JobType.of("a", String.class), (payload, context) -> Outcome.completed())
        .handle(JobType.of("b", String.class), (payload, context) -> Outcome.completed())
        .queue("first", 3)
        .queue("second", 1)
        .name("logged")
        .config(CONFIG)
        .order(LaneOrder.strict().weighted(Map.of("first", 7)))
        .handlerThreads(HandlerThreads.platform());
  }

  private static String lineOfStart() {
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, UTF_8));
    try (Worker worker = worker().start()) {
      assertThat(worker.status().started()).isTrue();
    } finally {
      System.setErr(before);
    }
    return log.toString(UTF_8)
        .lines()
        .filter(line -> line.contains("Worker started") && line.contains("worker=logged"))
        .findFirst()
        .orElseThrow(() -> new AssertionError("No such line in " + log.toString(UTF_8)));
  }
}
