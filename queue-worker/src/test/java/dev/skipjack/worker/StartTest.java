package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.Outcome;
import dev.skipjack.api.Retention;
import dev.skipjack.api.spi.WorkerRow;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Tests what a worker does when it starts. */
class StartTest extends WorkerFixture {

  @Test
  void aWorkerHasARowWhileItRuns() {
    Worker worker =
        start(
            onPlatformThreads(TYPE, (payload, context) -> Outcome.completed(), 3)
                .name("a \"quoted\" name"),
            config());

    await().until(() -> store.workers.containsKey(worker.id().bootId()));
    WorkerRow row = Objects.requireNonNull(store.workers.get(worker.id().bootId()));
    assertThat(row.queues()).containsExactly("q");
    assertThat(row.kinds()).containsExactly("k");
    assertThat(row.settings())
        .startsWith("{\"concurrency\": {\"q\": 3}")
        .contains("\"lease\": \"PT30S\"", "\"wakeUps\": true");
    worker.close();
    assertThat(store.workers).isEmpty();
  }

  @Test
  void aPoolWithASingleConnectionIsRefused() {
    store.poolSize = OptionalInt.of(1);
    Worker worker =
        build(onPlatformThreads(TYPE, (payload, context) -> Outcome.completed(), 1), config());

    assertThatIllegalStateException()
        .isThrownBy(worker::start)
        .withMessageContaining("The queue's pool has 1 connection,")
        .withMessageContaining("Set its maximum to 2 or more");
  }

  @Test
  void partitionsAreMaintainedFromTheStart() {
    Retention retention = new Retention(Duration.ofDays(1), Duration.ofDays(2));

    start(on((payload, context) -> Outcome.completed(), 1), config().retention(retention));

    await().until(() -> store.retentions.equals(List.of(retention)));
    assertThat(store.calls).contains("createPartitions");
  }
}
