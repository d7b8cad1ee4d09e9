package dev.skipjack.steps;

import dev.skipjack.api.JobId;
import java.util.List;

/**
 * Jobs that a step has enqueued, for {@link Steps#join}.
 *
 * @param name the name of the step
 * @param batch the batch that the jobs form
 * @param jobs the jobs, in the order of their payloads
 */
public record Children(String name, BatchId batch, List<JobId> jobs) {

  /**
   * Copies the list.
   *
   * @param name the name of the step
   * @param batch the batch that the jobs form
   * @param jobs the jobs
   */
  public Children {
    jobs = List.copyOf(jobs);
  }
}
