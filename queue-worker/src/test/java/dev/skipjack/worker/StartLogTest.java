package dev.skipjack.worker;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.Retention;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests that a worker logs its settings when it starts, so that operators need not guess them. */
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
          false);

  @Test
  void everySettingIsLogged() throws ReflectiveOperationException {
    String line = lineOfStart();

    assertThat(line)
        .contains("worker=logged/")
        .contains("queues={first=3, second=1}")
        .contains("kinds=[a, b]")
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

  private static String lineOfStart() {
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, UTF_8));
    try (Worker worker =
        Worker.on(new MemoryStore())
            .handle(JobType.of("a", String.class), (payload, context) -> Outcome.completed())
            .handle(JobType.of("b", String.class), (payload, context) -> Outcome.completed())
            .queue("first", 3)
            .queue("second", 1)
            .name("logged")
            .config(CONFIG)
            .order(LaneOrder.strict().weighted(Map.of("first", 7)))
            .handlerThreads(HandlerThreads.platform())
            .start()) {
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
