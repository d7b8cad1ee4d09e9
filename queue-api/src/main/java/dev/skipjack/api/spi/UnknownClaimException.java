package dev.skipjack.api.spi;

import dev.skipjack.api.StoreException;
import java.util.List;

/**
 * Thrown when the connection broke while a claim was being committed, so that the jobs may or may
 * not have been claimed. Its {@linkplain #isOutcomeUnknown() outcome is unknown}.
 *
 * <p>The commit may even take effect after this exception was thrown, while the server still has
 * the connection.
 */
public final class UnknownClaimException extends StoreException {

  private static final long serialVersionUID = 1L;

  private final transient List<ClaimedJob> jobs;

  /**
   * Creates an exception for a claim.
   *
   * @param failure the failure of the commit
   * @param jobs the jobs that the claim had found
   */
  public UnknownClaimException(StoreException failure, List<ClaimedJob> jobs) {
    super(String.valueOf(failure.getMessage()), failure);
    this.jobs = List.copyOf(jobs);
  }

  /**
   * {@return the jobs that may have been claimed} If they were, their executions own them until the
   * leases expire or the executions are ended. The list of a deserialized exception is empty.
   */
  public List<ClaimedJob> jobs() {
    return jobs == null ? List.of() : jobs;
  }
}
