package dev.skipjack.steps;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.QueueException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reports that jobs of a join have not completed. If it fails the attempt, a later attempt joins
 * again, and succeeds if the dead jobs were redriven and have completed. To make the job dead at
 * once, use {@code JobType.deadOn(JoinFailedException.class)}.
 */
public final class JoinFailedException extends QueueException {

  private static final long serialVersionUID = 1L;

  private static final int MOST_NAMED = 3;

  private final transient List<Failed> failed;

  /**
   * A job that has not completed.
   *
   * @param job the job
   * @param status {@link JobStatus#DEAD} or {@link JobStatus#CANCELLED}; null if the job was
   *     removed, so that its outcome is unknown
   * @param error the message of its latest attempt that did not succeed, or null if there was none
   */
  public record Failed(JobId job, @Nullable JobStatus status, @Nullable String error) {

    private String inWords() {
      String outcome = status == null ? "removed" : status.literal();
      return error == null
          ? "%s is %s".formatted(job, outcome)
          : "%s is %s: %s".formatted(job, outcome, error);
    }
  }

  JoinFailedException(String name, int total, List<Failed> failed) {
    super(
        "Of the %d jobs of step '%s', %d have not completed (%s%s). Redrive the dead ones, or handle this exception."
            .formatted(
                total,
                name,
                failed.size(),
                String.join("; ", failed.stream().limit(MOST_NAMED).map(Failed::inWords).toList()),
                failed.size() > MOST_NAMED ? "; ..." : ""),
        null);
    this.failed = List.copyOf(failed);
  }

  /** {@return the jobs that have not completed, in the order of the payloads} */
  public List<Failed> failed() {
    return failed == null ? List.of() : failed;
  }
}
