package dev.skipjack.api;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Thrown if a command on many jobs fails after some of its transactions have committed. Contains
 * the results so far; all other jobs are unchanged, except those of the failed batch if {@link
 * #isOutcomeUnknown}.
 */
public final class PartialResultException extends StoreException {

  private static final long serialVersionUID = 1L;

  private final transient Map<JobId, Object> results;

  /**
   * Wraps {@code failure}, with its message and cause.
   *
   * @param results the results so far
   * @param jobs number of jobs in the command
   */
  public PartialResultException(StoreException failure, Map<JobId, ?> results, int jobs) {
    super(
        "%s (%d of %d jobs have a result, see results())"
            .formatted(failure.getMessage(), results.size(), jobs),
        failure);
    this.results = Collections.unmodifiableMap(new LinkedHashMap<>(results));
  }

  /**
   * The results for the jobs that were processed, for example of type {@link CancelResult}; jobs
   * that were still busy are missing. Empty after Java serialization.
   */
  public Map<JobId, Object> results() {
    return results == null ? Map.of() : results;
  }
}
