package dev.skipjack.worker;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.api.spi.WakeUps;
import dev.skipjack.api.spi.WakeUps.Subscription;
import java.time.Duration;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Receives wake-ups and claims their jobs in its own thread. If the claim loop is claiming, passes
 * the wake-ups to that loop instead. If listening is impossible, for example through a pooler in
 * transaction mode, logs this once, and jobs are found by polling.
 */
final class WakeUpListener implements Loop.Step {

  /** The SQLSTATE of an unsupported feature. */
  private static final String CANNOT_LISTEN = "0A000";

  /** The maximum duration of a wait, which delays a stop. A wait requires no statement. */
  private static final Duration WAIT = Duration.ofMillis(200);

  private static final long TRY_AGAIN = Duration.ofMinutes(5).toNanos();

  private final WakeUps wakeUps;
  private final Set<String> queues;
  private final Set<String> kinds;
  private final HeardLanes lanes;
  private final BooleanSupplier claimHere;
  private final Runnable onSchedules;
  private final Consumer<String> promote;
  private final Reporter reporter;
  private volatile @Nullable Subscription subscription;
  private volatile boolean stopped;
  private boolean asked;
  private boolean cannotListen;
  private boolean hasListened;
  private int readOnlyMet;

  /**
   * @param claimHere claims jobs in the calling thread, unless the claim loop is claiming; returns
   *     whether it claimed
   * @param onSchedules runs when a schedule was added or changed
   * @param promote receives the ordering keys of jobs that must be promoted before they are claimed
   */
  WakeUpListener(
      WakeUps wakeUps,
      Set<String> queues,
      Set<String> kinds,
      HeardLanes lanes,
      BooleanSupplier claimHere,
      Runnable onSchedules,
      Consumer<String> promote,
      Reporter reporter) {
    this.wakeUps = wakeUps;
    this.queues = Set.copyOf(queues);
    this.kinds = Set.copyOf(kinds);
    this.lanes = lanes;
    this.claimHere = claimHere;
    this.onSchedules = onSchedules;
    this.promote = promote;
    this.reporter = reporter;
  }

  @Override
  public long run() {
    Subscription open = subscription;
    asked = open == null;
    boolean rechecked = false;
    try {
      if (open == null) {
        open = wakeUps.subscribe();
        subscription = open;
        if (stopped) {
          stop();
          return 0;
        }
        cannotListen = false;
        lanes.wakeClaimLoop(); // wake-ups may have been missed
        if (hasListened) {
          onSchedules.run(); // a schedule may have been added or changed in the meantime
        }
        hasListened = true;
      }
      int met = reporter.database().readOnlyMet();
      if (met != readOnlyMet) {
        readOnlyMet = met;
        open.recheck();
        rechecked = true;
      }
      boolean noted = false;
      for (WakeUp wakeUp : open.await(WAIT)) {
        String key = wakeUp.orderingKey();
        if (wakeUp.equals(WakeUp.SCHEDULES)) {
          onSchedules.run();
        } else if (key == null) {
          noted |= lanes.note(wakeUp, queues, kinds);
        } else {
          promote.accept(key);
        }
      }
      if (noted && !claimHere.getAsBoolean()) {
        lanes.wakeClaimLoop();
      }
      return 0;
    } catch (StoreException broken) {
      if (open != null) {
        open.close();
      }
      subscription = null;
      if (rechecked && broken.sqlState().filter(DatabaseWatch.READ_ONLY::equals).isPresent()) {
        return 0; // other loops report a read-only server; the next subscription checks again
      }
      if (broken.sqlState().filter(CANNOT_LISTEN::equals).isEmpty()) {
        throw broken;
      }
      if (!cannotListen) {
        cannotListen = true;
        reporter.cannotListen(broken);
      }
      return TRY_AGAIN;
    }
  }

  /**
   * Returns whether the last run subscribed. Waiting without a notification does not show that the
   * database is available.
   */
  @Override
  public boolean asked() {
    return asked && subscription != null;
  }

  /** Closes the subscription, which ends the current wait. Called when the worker stops. */
  void stop() {
    stopped = true;
    Subscription open = subscription;
    if (open != null) {
      open.close();
    }
  }
}
