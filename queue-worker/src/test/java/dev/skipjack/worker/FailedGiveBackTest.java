package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What cannot be handed over to be written, out of memory for instance. */
class FailedGiveBackTest {

  private final RunningJobs running = new RunningJobs();
  private final ScheduledExecutorService timer = Executors.newScheduledThreadPool(1);

  @AfterEach
  void stop() {
    timer.shutdownNow();
  }

  static List<Named<BiConsumer<AttemptRunner, Attempt>>> waysToGiveBack() {
    return List.of(
        Named.of("given back", AttemptRunner::giveBack),
        Named.of("cancelled", AttemptRunner::cancel),
        Named.of("without a thread", (runner, attempt) -> runner.refused(attempt, new Error())),
        Named.of("not begun", AttemptRunner::notBegun));
  }

  /** Over for this worker and held all the same, it would be renewed for ever. */
  @ParameterizedTest
  @MethodSource("waysToGiveBack")
  void theLeaseRunsOutAndTheRoomIsFree(BiConsumer<AttemptRunner, Attempt> giveBack) {
    AttemptRunner runner = withoutFlusher();
    Attempt attempt = Attempts.claimed(Duration.ofHours(1));
    running.add(attempt);

    assertThatThrownBy(() -> giveBack.accept(runner, attempt))
        .isInstanceOf(NullPointerException.class);

    assertThat(attempt.isRenewable()).isFalse();
    assertThat(running.size()).isZero();
    assertThat(attempt.queue().ask()).isEqualTo(1);
  }

  /** It throws at every ending as an exhausted heap might. */
  @SuppressWarnings("NullAway") // the point of it
  private AttemptRunner withoutFlusher() {
    MemoryStore store = new MemoryStore();
    Reporter reporter = new Reporter(List.of());
    HandlerRegistry handlers = new HandlerRegistry(Map.of());
    return new AttemptRunner(
        new Invocation(handlers, store, List.of(), reporter),
        (attempt, lease) -> {},
        new LongSnapshots(Duration.ofSeconds(10)),
        handlers,
        (attempt, deadline) -> {
          throw new AssertionError("nothing is run");
        },
        new EndingRules(
            store::encodeResult,
            () -> {
              throw new AssertionError("nothing is run");
            },
            new Redaction(ErrorRedactor.NONE)),
        running,
        null,
        timer,
        new WorkerThreads("given-back"),
        reporter);
  }
}
