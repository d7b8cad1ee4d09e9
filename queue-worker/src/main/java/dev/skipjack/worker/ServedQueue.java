package dev.skipjack.worker;

import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A queue that this worker serves. Determines how many more jobs of the queue the worker has room
 * for.
 *
 * <p>Waiting and running jobs count against the slots and the prefetch. Ended jobs also count until
 * their outcome is written, but against a larger limit. Claims therefore need not wait for every
 * flush, but stop if the database accepts no outcomes.
 *
 * <p>The prefetch is the number of jobs that all slots together are expected to finish within 50
 * ms. A slot whose handler has run for a long time adds almost nothing to the prefetch, because
 * jobs must not wait in this worker while other workers are idle. The prefetch is zero until the
 * first handler has ended. If jobs have waited too long, it is zero again until the next handler
 * ends.
 */
final class ServedQueue {

  /**
   * The maximum time that prefetched jobs should wait for a slot, at the rate at which recent jobs
   * ended.
   */
  private static final long PREFETCH_WINDOW = Duration.ofMillis(50).toNanos();

  /**
   * The expected remaining time of a running handler, as a fraction of the time for which it has
   * run.
   */
  private static final double REMAINING_BY_AGE = 0.5;

  /**
   * The maximum number of jobs beyond the slots, including ended jobs, as a multiple of the
   * prefetch.
   */
  private static final int UNWRITTEN_PREFETCHES = 3;

  /**
   * The maximum number of jobs beyond the slots, including ended jobs, at which jobs still start
   * directly.
   */
  private static final int MOST_UNWRITTEN = 200;

  /**
   * For how long transactions get no slots after one of them was too long. Otherwise, if most
   * transactions are too long, many slots would be kept and many jobs released for nothing.
   */
  private static final long AFTER_LONG_TRANSACTION = Duration.ofSeconds(10).toNanos();

  private final String name;
  private final int concurrency;
  private final int longestPrefetch;
  private final Wakeup claimLoop;
  private final AttemptBuffer buffer;
  private final PayloadBudget payloads;
  private final AtomicInteger held = new AtomicInteger();
  private final AtomicInteger unwritten = new AtomicInteger();
  private final AtomicInteger replaced = new AtomicInteger();

  /** The number of slots that are kept free for jobs which are being enqueued in this process. */
  private final AtomicInteger kept = new AtomicInteger();

  /** The number of kept slots whose jobs are enqueued in transactions of callers. */
  private final AtomicInteger keptInTransactions = new AtomicInteger();

  /** The nanoTime from which slots are kept for transactions again. */
  private volatile long transactionsFrom = System.nanoTime();

  /** Whether jobs of the queue may have to be claimed before a job that is enqueued now. */
  private volatile boolean jobsAhead = true;

  private volatile boolean claiming;

  /** The attempts whose handlers are running. */
  private final Set<Attempt> running = ConcurrentHashMap.newKeySet();

  private volatile boolean full;
  private volatile boolean paused;

  /** Whether the queue is fair or limited, so that its jobs start only by claims. */
  private volatile boolean grouped;

  /**
   * Is notified when the outcome of an attempt was written, and returns whether to claim again.
   * Null if no limit binds the queue.
   */
  private volatile @Nullable BooleanSupplier permitFreed;

  private volatile boolean waitedTooLong;
  private volatile int prefetch;
  private volatile double averageNanos = Double.NaN;

  ServedQueue(
      String name,
      int concurrency,
      int longestPrefetch,
      Wakeup claimLoop,
      LaneOrder.Reserve reserve,
      PayloadBudget payloads) {
    this.name = name;
    this.concurrency = concurrency;
    this.longestPrefetch = longestPrefetch;
    this.claimLoop = claimLoop;
    this.buffer = new AttemptBuffer(reserve);
    this.payloads = payloads;
  }

  String name() {
    return name;
  }

  int concurrency() {
    return concurrency;
  }

  AttemptBuffer buffer() {
    return buffer;
  }

  /**
   * Returns how many jobs to claim now. If the result is 0, the claim loop is woken when there is
   * room again.
   */
  int ask() {
    // Set before counting. Otherwise, room that is freed during the count would not wake the claim
    // loop.
    full = true;
    prefetch = finishedSoon();
    int room = room();
    if (room > 0) {
      full = false;
    }
    return room;
  }

  private int room() {
    int slots = concurrency + replaced.get();
    int most = slots + prefetch;
    int all = held.get() + kept.get();
    int ended = unwritten.get();
    int room = Math.min(most - (all - ended), slots + UNWRITTEN_PREFETCHES * prefetch - all);
    room = Math.min(room, affordable(slots, all, ended));
    // A small claim waits and becomes a larger one while the buffer has work for the threads. It
    // does not wait while slots are free: threads that empty the buffer are then being started.
    boolean slotsFree = all - ended <= slots;
    boolean fed = !slotsFree && buffer.size() > 0 && room * 2 < most;
    return fed ? 0 : Math.max(room, 0);
  }

  /**
   * Returns how many more jobs the memory permits. If memory is short:
   *
   * <ul>
   *   <li>While no outcome waits to be written, all free slots are filled. Otherwise large payloads
   *       could stop the queue.
   *   <li>While all attempts held have ended, and are no more than the slots, one job is claimed.
   *       Otherwise an outcome that cannot be written for a long time could stop the queue.
   *   <li>In all other cases, no job is claimed.
   * </ul>
   *
   * @param all the number of attempts held, including those that have ended
   */
  private int affordable(int slots, int all, int ended) {
    boolean idle = all == ended && all <= slots;
    int despite = ended == 0 ? slots - all : idle ? 1 : 0;
    return Math.max(payloads.room(), despite);
  }

  /**
   * Keeps a slot free for a job that is about to be enqueued.
   *
   * @return the number of slots that are still free, or a negative number if none was kept, for
   *     example because no slot is free or other jobs come first
   */
  int keepSlot() {
    return keepSlot(-1);
  }

  /**
   * Keeps a slot free like {@link #keepSlot()}, for a job of a transaction that may stay open for a
   * while. At least as many slots remain free as are kept for such jobs. None is kept for a while
   * after a transaction that was too long. Must be called by one thread at a time.
   */
  int keepSlotInTransaction() {
    if (System.nanoTime() - transactionsFrom < 0) {
      return -1;
    }
    int left = keepSlot(keptInTransactions.get());
    if (left >= 0) {
      keptInTransactions.incrementAndGet();
    }
    return left;
  }

  /**
   * @param inTransactions the number of slots that are kept for transactions, which must be less
   *     than that of the slots that are still free; a negative number if it does not matter
   */
  private int keepSlot(int inTransactions) {
    if (!mayStartDirectly()) {
      return -1;
    }
    while (true) {
      int before = kept.get();
      int left = slotsLeft(before);
      if (left < 0 || left <= inTransactions || (left == 0 && claiming)) {
        return -1; // a claim that is under way may have taken the last slot
      }
      if (kept.compareAndSet(before, before + 1)) {
        return left;
      }
    }
  }

  /** Returns whether {@link #keepSlot} would probably keep a slot. */
  boolean hasSlot() {
    return mayStartDirectly() && slotsLeft(kept.get()) >= 0;
  }

  private boolean mayStartDirectly() {
    return !jobsAhead
        && !grouped
        && !paused
        && buffer.size() == 0
        && payloads.room() > 0
        && held.get() + kept.get() < concurrency + replaced.get() + MOST_UNWRITTEN;
  }

  private int slotsLeft(int kept) {
    return concurrency + replaced.get() - (held.get() - unwritten.get()) - kept - 1;
  }

  /**
   * Returns how many slots are free besides those that are kept. Returns 0 while a claim is under
   * way, because the claimed jobs may need these slots.
   */
  int slotsBesideKept() {
    return claiming ? 0 : Math.max(slotsLeft(kept.get()) + 1, 0);
  }

  /** Returns how many more jobs can start at once. Ended jobs count until they are written. */
  int freeSlots() {
    return Math.max(concurrency + replaced.get() - held.get() - kept.get(), 0);
  }

  /**
   * Records whether the queue is fair or limited.
   *
   * @param permitFreed is notified when an outcome was written, and returns whether to claim again;
   *     null if no limit binds the queue
   */
  void grouped(boolean grouped, @Nullable BooleanSupplier permitFreed) {
    this.grouped = grouped;
    this.permitFreed = permitFreed;
  }

  /** Records whether a claim is under way that has requested jobs of this queue. */
  void claiming(boolean claiming) {
    this.claiming = claiming;
  }

  /** Records that a slot is no longer kept free, because its job was added or was not enqueued. */
  void keptSlotReturned() {
    kept.decrementAndGet();
    wakeClaimLoop();
  }

  /**
   * Records like {@link #keptSlotReturned} that a slot for a transaction is no longer kept.
   *
   * @param late whether the transaction was too long
   */
  void keptSlotOfTransactionReturned(boolean late) {
    if (late) {
      transactionsFrom = System.nanoTime() + AFTER_LONG_TRANSACTION;
    }
    keptInTransactions.decrementAndGet();
    keptSlotReturned();
  }

  /** Records whether jobs of the queue may have to be claimed before a job that is enqueued now. */
  void jobsAhead(boolean jobsAhead) {
    this.jobsAhead = jobsAhead;
  }

  /**
   * Records that the worker holds another attempt.
   *
   * @param weight the weight of its payload
   */
  void claimed(long weight) {
    held.incrementAndGet();
    payloads.hold(weight);
  }

  /** Records that an attempt has ended and its outcome is not written yet. */
  void ended() {
    unwritten.incrementAndGet();
    wakeClaimLoop();
  }

  /**
   * Records that an attempt's outcome was written or discarded.
   *
   * @param weight the weight of its payload
   * @param ended whether {@link #ended} was called for the attempt
   */
  void settled(long weight, boolean ended) {
    held.decrementAndGet();
    payloads.release(weight);
    if (ended) {
      unwritten.decrementAndGet();
    }
    wakeClaimLoop();
    BooleanSupplier freed = permitFreed;
    if (freed != null && freed.getAsBoolean()) {
      claimLoop.raise();
    }
  }

  private void wakeClaimLoop() {
    if (full && room() > 0) {
      claimLoop.raise();
    }
  }

  /**
   * Returns the maximum payload size, in characters, of a job that a slot may take over without the
   * claim loop. Returns 0 if other jobs wait for a slot, the queue is paused, fair or limited, or
   * there is no memory for another payload.
   */
  int mayTakeOver() {
    return paused || grouped || buffer.size() > 0 ? 0 : payloads.charactersLeft();
  }

  /** Records that the slot of a stuck handler was replaced. */
  void replaced() {
    replaced.incrementAndGet();
    wakeClaimLoop();
  }

  /** Records that a stuck handler has ended. */
  void returned() {
    replaced.decrementAndGet();
  }

  /** Records that jobs waited too long for a slot. No job is prefetched until a handler ends. */
  void waitedTooLong() {
    waitedTooLong = true;
    prefetch = 0;
  }

  /** Records that a handler begins to run. */
  void began(Attempt attempt) {
    running.add(attempt);
  }

  /** Records that a handler has ended, after running for the given nanoseconds. */
  void ran(Attempt attempt, long nanos) {
    running.remove(attempt);
    waitedTooLong = false;
    synchronized (this) {
      double average = averageNanos;
      averageNanos = Double.isNaN(average) ? nanos : average * 0.9 + nanos * 0.1;
    }
    // An upper estimate, by which the claim loop is woken only if there may be room.
    prefetch =
        permitFreed == null ? (int) Math.min(concurrency * finishedSoon(0), longestPrefetch) : 0;
  }

  /** Records that an attempt was abandoned because its end could not be recorded. */
  void abandoned(Attempt attempt) {
    running.remove(attempt);
  }

  /**
   * Returns how many jobs the slots are expected to finish in the time that prefetched jobs should
   * wait.
   */
  private int finishedSoon() {
    if (Double.isNaN(averageNanos) || waitedTooLong || permitFreed != null) {
      return 0; // a job in a buffer would count against the limit
    }
    long now = System.nanoTime();
    double finished = 0;
    int free = concurrency + replaced.get();
    for (Attempt attempt : running) {
      finished += finishedSoon(now - attempt.begunAt());
      free--;
    }
    finished += Math.max(free, 0) * finishedSoon(0);
    return (int) Math.min(finished, longestPrefetch);
  }

  /**
   * Returns how many jobs one slot is expected to finish within {@link #PREFETCH_WINDOW} if its
   * handler has run for {@code age} nanoseconds.
   */
  private double finishedSoon(long age) {
    return PREFETCH_WINDOW / Math.max(Math.max(averageNanos, age * REMAINING_BY_AGE), 1);
  }

  /** Returns how long running handlers have occupied all slots, or empty if a slot is free. */
  Optional<Duration> takenFor() {
    long now = System.nanoTime();
    long youngest = Long.MAX_VALUE;
    int taken = 0;
    for (Attempt attempt : running) {
      youngest = Math.min(youngest, now - attempt.begunAt());
      taken++;
    }
    return taken < concurrency + replaced.get()
        ? Optional.empty()
        : Optional.of(Duration.ofNanos(youngest));
  }

  /** Returns whether stuck handlers occupy all slots, including the replacements. */
  boolean isStuck() {
    return running.stream().filter(Attempt::isStuck).count() >= 2L * concurrency;
  }

  /** Returns whether the queue was paused when its lanes were last listed. */
  boolean isPaused() {
    return paused;
  }

  void paused(boolean paused) {
    this.paused = paused;
  }
}
