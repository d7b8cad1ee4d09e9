package dev.skipjack.api;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Some jobs of a list.
 *
 * <p>The list is over when there is no next page, not when a page is short: looking for rare jobs
 * in a big table, a page may hold few or none and still have a next one.
 *
 * @param jobs in the order of the query
 * @param nextToken where the next page begins; null: the list is over
 */
public record JobPage(List<JobSummary> jobs, @Nullable PageToken nextToken) {

  /** Copies the list. */
  public JobPage {
    jobs = List.copyOf(jobs);
  }

  /** Where the next page begins; empty: the list is over. */
  public Optional<PageToken> next() {
    return Optional.ofNullable(nextToken);
  }
}
