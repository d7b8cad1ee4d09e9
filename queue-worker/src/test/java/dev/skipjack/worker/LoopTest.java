package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.StoreException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
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
}
