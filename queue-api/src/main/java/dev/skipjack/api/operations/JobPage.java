package dev.skipjack.api.operations;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A page of a list of jobs.
 *
 * <p>The list ends when there is no next page. A page may contain few jobs, or none, and still have
 * a next page, for example in a search for rare jobs in a large table.
 *
 * @param jobs the jobs, in the order of the query
 * @param nextToken the token of the next page; null at the end of the list
 */
public record JobPage(List<JobSummary> jobs, @Nullable PageToken nextToken) {

  /**
   * Makes a defensive copy of the list.
   *
   * @param jobs the jobs
   * @param nextToken where the next page begins
   */
  public JobPage {
    jobs = List.copyOf(jobs);
  }

  /** {@return the token of the next page, or empty at the end of the list} */
  public Optional<PageToken> next() {
    return Optional.ofNullable(nextToken);
  }
}
