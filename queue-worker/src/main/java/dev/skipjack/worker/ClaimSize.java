package dev.skipjack.worker;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import java.util.List;
import java.util.Set;

/**
 * How many jobs a claim asks for, so that their payloads fit into this JVM's memory and into the
 * server's. Where they do not, the next claim asks for half as many, down to one. Where one job is
 * too large, it is claimed without its payload, so that it can be failed and those behind it be
 * run. Each claim that works doubles the size again.
 *
 * <p>Belongs to one thread.
 */
final class ClaimSize {

  /** The server refuses to write out what is longer than a string of its own may be. */
  private static final String TOO_LONG = "54000";

  /** The server had not enough memory, or locks; or, told by the driver, this JVM. */
  private static final String OUT_OF_MEMORY = "53200";

  private static final Set<String> SMALLER_MAY_DO = Set.of(TOO_LONG, OUT_OF_MEMORY);

  /** Memory may be short for another reason, so a single job is asked for again after a pause. */
  private static final int TRIES_OF_ONE = 3;

  private final PayloadBudget payloads;
  private int most = ClaimRequest.LARGEST;
  private int triesOfOne;

  ClaimSize(PayloadBudget payloads) {
    this.payloads = payloads;
  }

  /** How many to ask for, if so many are wanted. */
  int most(int wanted) {
    return Math.min(wanted, Math.min(most, payloads.claimable()));
  }

  /** Whether a claim that failed so may work for fewer jobs. */
  static boolean isTooLarge(Throwable failure) {
    return failure instanceof OutOfMemoryError
        || (failure instanceof StoreException refused
            && refused.sqlState().filter(SMALLER_MAY_DO::contains).isPresent());
  }

  /** A claim of so many was too large. */
  void failed(int limit, Throwable failure) {
    most = Math.max(1, limit / 2);
    if (limit > 1) {
      triesOfOne = 0;
    } else if (isMemoryOfThisJvm(failure)) {
      triesOfOne++;
    }
  }

  /**
   * A server that is short says nothing about the one job: all its sessions share its memory and
   * its lock table ({@code max_locks_per_transaction}), so a healthy job could lose an attempt.
   */
  private static boolean isMemoryOfThisJvm(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof OutOfMemoryError) {
        return true;
      }
    }
    return false;
  }

  /** Whether one job, whose claim failed so, is to be claimed without its payload. */
  boolean isHopeless(Throwable failure) {
    boolean certain =
        failure instanceof StoreException refused
            && refused.sqlState().filter(TOO_LONG::equals).isPresent();
    return certain || triesOfOne >= TRIES_OF_ONE;
  }

  /** Learns from a claim that worked. */
  void brought(List<ClaimedJob> jobs) {
    payloads.learn(jobs);
    if (!jobs.isEmpty()) {
      worked();
    }
  }

  /** A claim worked that says nothing of payloads. */
  void worked() {
    most = Math.min(2 * most, ClaimRequest.LARGEST);
    triesOfOne = 0;
  }
}
