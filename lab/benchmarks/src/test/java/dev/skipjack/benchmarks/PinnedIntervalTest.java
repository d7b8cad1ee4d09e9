package dev.skipjack.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import dev.skipjack.worker.AttemptInfo;
import dev.skipjack.worker.WorkerEvent;
import org.junit.jupiter.api.Test;

class PinnedIntervalTest {

  private static final AttemptInfo ATTEMPT =
      new AttemptInfo(new JobId(1), new ExecutionId(1), "pinned", "noop", 1, 25);

  @Test
  void completionsCountOnlyInTheirInterval() {
    PinnedInterval.Counters counters = new PinnedInterval.Counters();
    counters.on(new WorkerEvent.Succeeded(ATTEMPT));

    counters.beginPhase();
    counters.on(new WorkerEvent.Started(ATTEMPT));
    counters.on(new WorkerEvent.Succeeded(ATTEMPT));
    counters.on(new WorkerEvent.Succeeded(ATTEMPT));
    counters.on(new WorkerEvent.Released(ATTEMPT));

    assertThat(counters.completed()).isEqualTo(2);
    counters.on(new WorkerEvent.Succeeded(ATTEMPT));
    counters.beginInterval();
    assertThat(counters.completed()).isEqualTo(1);
  }

  @Test
  void phaseWaitsForACompletionOfItsOwn() throws Exception {
    PinnedInterval.Counters counters = new PinnedInterval.Counters();
    counters.on(new WorkerEvent.Succeeded(ATTEMPT));
    counters.beginPhase();

    // With the interrupt, a wait ends at once.
    Thread.currentThread().interrupt();
    assertThatThrownBy(counters::awaitCompletion).isInstanceOf(InterruptedException.class);

    counters.on(new WorkerEvent.Succeeded(ATTEMPT));
    counters.awaitCompletion();

    assertThat(counters.completed()).isEqualTo(1);
  }
}
