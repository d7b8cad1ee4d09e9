package dev.skipjack.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.JobId;
import dev.skipjack.worker.AttemptInfo;
import dev.skipjack.worker.WorkerEvent;
import org.junit.jupiter.api.Test;

class PinnedWindowTest {

  private static final AttemptInfo ATTEMPT =
      new AttemptInfo(new JobId(1), new ExecutionId(1), "pinned", "noop", 1, 25);

  @Test
  void onlyCompletionsOfTheStretchCount() {
    PinnedWindow.Counters counters = new PinnedWindow.Counters();
    counters.on(new WorkerEvent.Succeeded(ATTEMPT));

    counters.begin();
    counters.on(new WorkerEvent.Started(ATTEMPT));
    counters.on(new WorkerEvent.Succeeded(ATTEMPT));
    counters.on(new WorkerEvent.Succeeded(ATTEMPT));
    counters.on(new WorkerEvent.Released(ATTEMPT));

    assertThat(counters.completed()).isEqualTo(2);
    counters.on(new WorkerEvent.Succeeded(ATTEMPT));
    counters.next();
    assertThat(counters.completed()).isEqualTo(1);
  }
}
