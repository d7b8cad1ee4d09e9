package dev.skipjack.api;

import dev.skipjack.api.operations.CancelResult;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Thrown when a command on a list of jobs fails after some of its transactions have committed. The
 * exception contains the results so far. All other jobs are unchanged, except that the jobs of the
 * failed batch may have changed if {@link #isOutcomeUnknown} returns true.
 */
public final class PartialResultException extends StoreException {

  private static final long serialVersionUID = 1L;

  private final transient Map<JobId, Object> results;

  /**
   * Creates an exception with the message and the cause of {@code failure}.
   *
   * @param failure the failure
   * @param results the results so far
   * @param jobs the number of jobs that the command was called with
   */
  public PartialResultException(StoreException failure, Map<JobId, ?> results, int jobs) {
    super(
        "%s (%d of %d jobs have a result, see results())"
            .formatted(failure.getMessage(), results.size(), jobs),
        failure);
    this.results = Collections.unmodifiableMap(new LinkedHashMap<>(results));
  }

  /**
   * {@return the results of the jobs that were processed} Their type depends on the command, for
   * example {@link CancelResult}. Jobs that were still busy are not included. The map of a
   * deserialized exception is empty.
   */
  public Map<JobId, Object> results() {
    return results == null ? Map.of() : results;
  }
}
