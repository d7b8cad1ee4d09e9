package dev.skipjack.worker;

import org.jspecify.annotations.Nullable;

/**
 * Tracks the completion that a handler wrote in its own transaction. The handler may still roll
 * back that transaction. Safe for any number of threads.
 */
final class HandlerCompletion {

  /** The maximum number of causes to inspect, because chains of causes can be circular. */
  private static final int MOST_CAUSES = 50;

  private final AttemptLease lease;
  private volatile boolean written;
  private volatile boolean committed;
  private volatile @Nullable Throwable postponedBy;

  HandlerCompletion(AttemptLease lease) {
    this.lease = lease;
  }

  /** Records that the handler's transaction contains a completion. */
  void noteWritten() {
    written = true;
  }

  boolean isWritten() {
    return written;
  }

  /** Records that a completion failed with this exception but may succeed in another attempt. */
  void notePostponed(Throwable refused) {
    postponedBy = refused;
  }

  /**
   * Returns whether the handler failed because its completion was postponed, that is, whether
   * {@code thrown} is the exception of that completion or was caused by it.
   */
  boolean isPostponedBy(Throwable thrown) {
    Throwable cause = thrown;
    for (int depth = 0; cause != null && depth < MOST_CAUSES; depth++) {
      if (cause == postponedBy) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  /**
   * Records that the job no longer has a row. While the lease lasts, only the completion can have
   * removed the row. Afterwards, the audit shows whether it did.
   */
  void noteJobGone() {
    if (isCommitted()) {
      committed = true;
    }
    lease.stopRenewing();
  }

  /** Returns whether the handler's completion was committed, given that the job is gone. */
  boolean isCommitted() {
    return committed || (written && lease.isHeld());
  }
}
