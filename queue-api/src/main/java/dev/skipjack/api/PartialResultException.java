package dev.skipjack.api;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A command on many jobs that failed after some of its transactions had committed. Carries their
 * results; of all other jobs nothing was done, unless {@link #isOutcomeUnknown} leaves the failed
 * batch open.
 */
public final class PartialResultException extends StoreException {

  private static final long serialVersionUID = 1L;

  private final transient Map<JobId, Object> results;

  /**
   * After {@code failure}, whose message and cause it takes over.
   *
   * @param results what is done
   * @param jobs how many jobs were asked for
   */
  public PartialResultException(StoreException failure, Map<JobId, ?> results, int jobs) {
    super(
        "%s (%d of %d jobs have a result, see results())"
            .formatted(failure.getMessage(), results.size(), jobs),
        failure);
    this.results = Collections.unmodifiableMap(new LinkedHashMap<>(results));
  }

  /**
   * What the call would have returned for the jobs that it got through, for instance {@link
   * CancelResult}; a job that was busy still is missing. Empty after Java serialization.
   */
  public Map<JobId, Object> results() {
    return results == null ? Map.of() : results;
  }
}
