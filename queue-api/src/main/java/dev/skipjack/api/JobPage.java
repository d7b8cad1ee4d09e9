package dev.skipjack.api;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One page of a list of jobs.
 *
 * <p>The list ends when there is no next page, not when a page is short: in a search for rare jobs
 * in a large table, a page may contain few jobs or none and still have a next page.
 *
 * @param jobs in the order of the query
 * @param nextToken where the next page starts; null at the end of the list
 */
public record JobPage(List<JobSummary> jobs, @Nullable PageToken nextToken) {

  /** Copies the list. */
  public JobPage {
    jobs = List.copyOf(jobs);
  }

  /** Where the next page starts; empty at the end of the list. */
  public Optional<PageToken> next() {
    return Optional.ofNullable(nextToken);
  }
}
