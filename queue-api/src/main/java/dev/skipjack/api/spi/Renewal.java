package dev.skipjack.api.spi;

import dev.skipjack.api.ExecutionId;
import org.jspecify.annotations.Nullable;

/**
 * What became of a heartbeat.
 *
 * @param verdict whether the lease was extended
 * @param cancelRequested whether somebody asked the job to stop; false unless extended
 * @param jobIsLive whether the job is there still: pending, running or dead, whoever has it. If
 *     not, it was completed or cancelled
 * @param heldBy the other execution that owns the job now; null: none does, or the lease was
 *     extended
 */
public record Renewal(
    Verdict verdict, boolean cancelRequested, boolean jobIsLive, @Nullable ExecutionId heldBy) {

  /** Of an execution that owns its job, or whose job is gone. */
  public Renewal(Verdict verdict, boolean cancelRequested) {
    this(verdict, cancelRequested, verdict != Verdict.LOST, null);
  }
}
