package dev.skipjack.api.spi;

import dev.skipjack.api.ExecutionId;
import org.jspecify.annotations.Nullable;

/**
 * The result of a heartbeat.
 *
 * @param verdict whether the lease was extended
 * @param cancelRequested whether cancellation of the job was requested; false if the lease was not
 *     extended
 * @param jobIsLive whether the job is still {@linkplain dev.skipjack.api.JobStatus#isLive live},
 *     regardless of which execution owns it; if false, the job has ended or been pruned
 * @param heldBy the other execution that owns the job now; null if there is none or the lease was
 *     extended
 */
public record Renewal(
    Verdict verdict, boolean cancelRequested, boolean jobIsLive, @Nullable ExecutionId heldBy) {

  /**
   * Creates a result for an execution that owns its job or whose job has ended.
   *
   * @param verdict the verdict
   * @param cancelRequested whether a cancellation was requested
   */
  public Renewal(Verdict verdict, boolean cancelRequested) {
    this(verdict, cancelRequested, verdict != Verdict.LOST, null);
  }
}
