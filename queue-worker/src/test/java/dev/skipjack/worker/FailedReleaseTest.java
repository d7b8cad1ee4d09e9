package dev.skipjack.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests attempts whose ending cannot be passed on, for example because memory is exhausted. */
class FailedReleaseTest {

  private final RunningJobs running = new RunningJobs();

  static List<Named<BiConsumer<AttemptEnder, Attempt>>> waysToEnd() {
    return List.of(
        Named.of("release", (ender, attempt) -> ender.release(attempt, Duration.ZERO)),
        Named.of("cancel", AttemptEnder::cancel));
  }

  /** If the worker still held the attempt after its end, its lease would be renewed forever. */
  @ParameterizedTest
  @MethodSource("waysToEnd")
  void theLeaseExpiresAndTheRoomIsFree(BiConsumer<AttemptEnder, Attempt> end) {
    Attempt attempt = Attempts.claimed(Duration.ofHours(1));
    running.add(attempt);

    assertThatThrownBy(() -> end.accept(withoutFlusher(), attempt))
        .isInstanceOf(NullPointerException.class);

    assertThat(attempt.lease().isRenewable()).isFalse();
    assertThat(running.size()).isZero();
    assertThat(attempt.queue().ask()).isEqualTo(1);
  }

  /** Returns an ender that throws at every ending, as an exhausted heap might. */
  @SuppressWarnings("NullAway") // the flusher must be missing
  private AttemptEnder withoutFlusher() {
    return new AttemptEnder(
        new HandlerRegistry(Map.of()),
        new EndingRules(
            new MemoryStore()::encodeResult,
            () -> {
              throw new AssertionError("nothing is run");
            },
            new Redaction(ErrorRedactor.NONE)),
        new LongSnapshots(Duration.ofSeconds(10)),
        running,
        null,
        (attempt, ending) -> {},
        (execution, retryAfter) -> {},
        new Reporter(List.of()));
  }
}
