package dev.skipjack.worker;

import static dev.skipjack.worker.TestJob.job;
import static org.awaitility.Awaitility.await;

import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.spi.ClaimedJob;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class BackgroundRunTest {

  private final MemoryStore store = new MemoryStore();

  /** Otherwise, their leases would be renewed forever, and they would never run. */
  @Test
  void claimedJobsAreReleasedWhenTheirClaimCannotBeAccepted() {
    store.addAll(4, job());
    AtomicBoolean broken = new AtomicBoolean(true);
    store.onClaim = job -> broken.getAndSet(false) ? withoutDueTime(job) : job;

    try (Worker worker =
        Worker.on(store)
            .handle(JobType.of("k", String.class), (payload, context) -> Outcome.completed())
            .queue("q", 4)
            .config(WorkerConfig.builder().pollInterval(Duration.ofMillis(50)).build())
            .start()) {
      await().until(() -> store.count(JobStatus.COMPLETED) == 4);
      await().until(() -> worker.status().equals(new WorkerStatus(true, 0, 0, 0, 0)));
    }
  }

  /**
   * Returns a job whose wait cannot be measured. Accepting it throws an exception, as an exhausted
   * heap might.
   */
  @SuppressWarnings("NullAway") // the due time must be missing
  static ClaimedJob withoutDueTime(ClaimedJob job) {
    return new ClaimedJob(
        job.execution(),
        job.queue(),
        job.kind(),
        job.payload(),
        job.payloadVersion(),
        job.priority(),
        job.attempt(),
        job.uncountedAttempts(),
        job.maxAttempts(),
        null,
        job.headers());
  }
}
