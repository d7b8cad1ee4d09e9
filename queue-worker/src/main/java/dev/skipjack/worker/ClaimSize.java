package dev.skipjack.worker;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import java.util.List;
import java.util.Set;

/**
 * Limits the number of jobs in a claim, so that their payloads fit into the memory of this JVM and
 * of the server. After a claim that did not fit, the next one requests half as many jobs, but at
 * least one. A single job that is too large is claimed without its payload, so that it can fail and
 * the jobs behind it can run. Each claim that returns jobs doubles the limit again, up to the
 * maximum.
 *
 * <p>Used by one thread at a time.
 */
final class ClaimSize {

  /** The SQLSTATE of a value that exceeds the server's limit for strings. */
  private static final String TOO_LONG = "54000";

  /**
   * The SQLSTATE of a server without free memory or locks. The driver also uses it when this JVM is
   * out of memory.
   */
  private static final String OUT_OF_MEMORY = "53200";

  private static final Set<String> SMALLER_MAY_DO = Set.of(TOO_LONG, OUT_OF_MEMORY);

  /**
   * How often a claim of a single job is tried when this JVM runs out of memory, because the cause
   * may be other than the size of the job.
   */
  private static final int TRIES_OF_ONE = 3;

  private final PayloadBudget payloads;
  private int most = ClaimRequest.LARGEST;
  private int triesOfOne;

  ClaimSize(PayloadBudget payloads) {
    this.payloads = payloads;
  }

  /** Returns the number of jobs to request, at most {@code wanted}. */
  int most(int wanted) {
    return Math.min(wanted, Math.min(most, payloads.claimable()));
  }

  /** Returns whether the payloads of a few jobs are expected to fit into memory. */
  boolean isSmall() {
    return most == ClaimRequest.LARGEST && payloads.areSmall();
  }

  /** Returns whether a claim that failed with this exception may succeed with fewer jobs. */
  static boolean isTooLarge(Throwable failure) {
    return failure instanceof OutOfMemoryError
        || (failure instanceof StoreException refused
            && refused.sqlState().filter(SMALLER_MAY_DO::contains).isPresent());
  }

  /** Halves the limit, because a claim of {@code limit} jobs was too large. */
  void failed(int limit, Throwable failure) {
    most = Math.max(1, limit / 2);
    if (limit > 1) {
      triesOfOne = 0;
    } else if (isMemoryOfThisJvm(failure)) {
      triesOfOne++;
    }
  }

  /**
   * Returns whether this JVM, and not the server, ran out of memory. Other sessions may have caused
   * a shortage in the server, so such a shortage must not use up an attempt of the job.
   */
  private static boolean isMemoryOfThisJvm(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof OutOfMemoryError) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns whether a job whose claim failed with this exception must be claimed without its
   * payload.
   */
  boolean isHopeless(Throwable failure) {
    boolean certain =
        failure instanceof StoreException refused
            && refused.sqlState().filter(TOO_LONG::equals).isPresent();
    return certain || triesOfOne >= TRIES_OF_ONE;
  }

  /** Records a claim that succeeded. */
  void brought(List<ClaimedJob> jobs) {
    payloads.learn(jobs);
    if (!jobs.isEmpty()) {
      worked();
    }
  }

  /** Records a claim that succeeded without payloads. */
  void worked() {
    most = Math.min(2 * most, ClaimRequest.LARGEST);
    triesOfOne = 0;
  }
}
