package dev.skipjack.store.jooq.internal.ordering;

import dev.skipjack.api.JobId;
import dev.skipjack.api.OrderingPolicy;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.operations.SkipResult;
import dev.skipjack.api.spi.OrderedJobs;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.internal.ordering.FindDeadHeadsStatement.DeadHead;
import dev.skipjack.store.jooq.internal.ordering.FindHeadlessKeysStatement.Found;
import dev.skipjack.store.jooq.internal.ordering.FindHeadlessKeysStatement.Request;
import dev.skipjack.store.jooq.internal.ordering.ParkStatement.Parked;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Promotes jobs with an ordering key, in its own transactions. Safe for any number of threads,
 * which share the positions of the sweep.
 */
public final class JooqOrderedJobs implements OrderedJobs {

  /** The maximum number of keys per sweep, which limits a sweep to a few milliseconds. */
  private static final int KEYS_OF_A_SWEEP = 1_000;

  private static final int KEYS_OF_A_PROMOTION = 200;

  /** The maximum number of jobs that a statement parks. */
  private static final int BATCH = 500;

  /**
   * The maximum number of batches that are parked behind a dead head in one call. The calling
   * thread has other work.
   */
  private static final int BATCHES_OF_A_HEAD = 4;

  /**
   * The maximum number of tries. Each retry follows a unique violation or a deadlock, which a
   * concurrent promotion can cause.
   */
  private static final int TRIES = 3;

  /**
   * The number of failures after which a promotion no longer halves its batches. Each may have
   * waited a tenth of a second for a lock. Eight are enough to isolate a single locked key.
   */
  private static final int MAX_FAILURES = 12;

  /** SQLSTATEs of a unique violation and a deadlock. */
  private static final Set<String> RACED = Set.of("23505", "40P01");

  private static final Optional<String> LOCK_NOT_AVAILABLE = Optional.of("55P03");

  private static final Logger LOG = LoggerFactory.getLogger(JooqOrderedJobs.class);

  private final OwnTransactions transactions;
  private final Statement<List<String>, Optional<WakeUp>> promote;
  private final Statement<Request, Found> findHeadless;

  private final Statement<FindDeadHeadsStatement.Request, DeadHead> nextDeadHeads;
  private final Statement<List<String>, DeadHead> deadHeads;
  private final Statement<ExpectedHead, String> release;
  private final Statement<List<DeadHead>, String> releaseHeads;
  private final Statement<ExpectedHead, SkipResult> skipHead;
  private final Statement<ParkStatement.Request, Parked> park;

  /** The key after which the next sweep begins. */
  private volatile String after = "";

  /** The key after which the next sweep begins to search for dead heads. */
  private volatile String afterDead = "";

  public JooqOrderedJobs(OwnTransactions transactions, Lazy<DSLContext> dialect) {
    this.transactions = transactions;
    this.promote = Statement.lazily(() -> PromoteStatement.of(dialect.get()));
    this.findHeadless = Statement.lazily(() -> FindHeadlessKeysStatement.of(dialect.get()));
    this.nextDeadHeads = Statement.lazily(() -> FindDeadHeadsStatement.next(dialect.get()));
    this.deadHeads = Statement.lazily(() -> FindDeadHeadsStatement.given(dialect.get()));
    this.release = Statement.lazily(() -> ReleaseStatement.byKey(dialect.get()));
    this.releaseHeads = Statement.lazily(() -> ReleaseStatement.byHead(dialect.get()));
    this.skipHead = Statement.lazily(() -> SkipHeadStatement.of(dialect.get()));
    this.park = Statement.lazily(() -> ParkStatement.of(dialect.get()));
  }

  @Override
  public List<WakeUp> promote(Collection<String> keys) {
    Promoted promoted = promoteInBatches(keys);
    RuntimeException failure = promoted.failure();
    if (failure != null && promoted.wakeUps().isEmpty()) {
      throw failure;
    }
    return promoted.wakeUps();
  }

  /**
   * The result of a promotion. Each of its batches was one transaction.
   *
   * @param wakeUps a wake-up for each promoted job that is due
   * @param left the keys of the batch that failed for another reason than a conflict, and of all
   *     later batches
   * @param failure the failure of a batch, other than a conflict; null if {@code left} is empty
   */
  public record Promoted(
      List<WakeUp> wakeUps, Set<String> left, @Nullable RuntimeException failure) {

    /** The result for no keys. */
    public static final Promoted NOTHING = new Promoted(List.of(), Set.of(), null);
  }

  private Promoted promoteInBatches(Collection<String> keys) {
    List<String> sorted = List.copyOf(new TreeSet<>(keys));
    Deque<Batch> batches = new ArrayDeque<>();
    for (int from = 0; from < sorted.size(); from += KEYS_OF_A_PROMOTION) {
      int to = Math.min(from + KEYS_OF_A_PROMOTION, sorted.size());
      batches.add(new Batch(sorted.subList(from, to), 1));
    }
    List<WakeUp> promoted = new ArrayList<>();
    int failures = 0;
    for (Batch batch = batches.poll(); batch != null; batch = batches.poll()) {
      try {
        transactions
            .impatient()
            .runInOneRoundTrip(promote, batch.keys())
            .forEach(wakeUp -> wakeUp.ifPresent(promoted::add));
      } catch (RuntimeException failure) {
        if (!isConflict(failure)) {
          // Earlier batches are committed, so this failure must not lose their wake-ups.
          Set<String> left = new TreeSet<>(batch.keys());
          batches.forEach(each -> left.addAll(each.keys()));
          LOG.debug(
              "Jobs not promoted, left to a worker keys={} error={}",
              left.size(),
              failure.getMessage());
          return new Promoted(promoted, left, failure);
        }
        // A caller's transaction may keep many rows locked, so no batch waits a second time.
        failures = transactions.areCallers() ? MAX_FAILURES : failures + 1;
        pushBack(batch, (StoreException) failure, failures, batches);
      }
    }
    return new Promoted(promoted, Set.of(), null);
  }

  private static boolean isConflict(RuntimeException failure) {
    return failure instanceof StoreException refused
        && (isRaced(refused) || refused.sqlState().equals(LOCK_NOT_AVAILABLE));
  }

  private static boolean isRaced(StoreException failure) {
    return failure.sqlState().filter(RACED::contains).isPresent();
  }

  /**
   * Puts the keys of a statement that conflicted with another transaction back at the front of
   * {@code batches}. The error does not name the key that conflicts, so a batch that fails again,
   * or that waited for a lock, is halved until that key is alone. After the last try, a key is left
   * to the other transaction or to a later sweep.
   */
  private static void pushBack(
      Batch batch, StoreException failure, int failures, Deque<Batch> batches) {
    if (isRaced(failure) && batch.tries() < TRIES) {
      batches.addFirst(new Batch(batch.keys(), batch.tries() + 1));
    } else if (batch.keys().size() > 1 && failures < MAX_FAILURES) {
      int half = batch.keys().size() / 2;
      batches.addFirst(new Batch(batch.keys().subList(half, batch.keys().size()), 1));
      batches.addFirst(new Batch(batch.keys().subList(0, half), 1));
    } else {
      LOG.debug(
          "Jobs not promoted, left to the next sweep keys={} error={}",
          batch.keys().size(),
          failure.getMessage());
    }
  }

  /**
   * The keys of one statement.
   *
   * @param tries the number of the statement's run, from 1
   */
  private record Batch(List<String> keys, int tries) {}

  /**
   * Promotes jobs as {@link #promote} does, after a commit. Never throws: if the promotion fails, a
   * sweep promotes the jobs later.
   */
  public Promoted promoteCommitted(Collection<String> keys) {
    return keys.isEmpty() ? Promoted.NOTHING : promoteInBatches(keys);
  }

  /**
   * Calls {@link #promoteCommitted} for the keys in a command's results, and returns the results
   * without their keys.
   */
  public <R> List<R> passOn(List<KeyedResult<R>> results) {
    Set<String> keys = new TreeSet<>();
    for (KeyedResult<R> each : results) {
      if (each.orderingKey() != null) {
        keys.add(each.orderingKey());
      }
    }
    if (!keys.isEmpty()) {
      promoteCommitted(keys);
    }
    return results.stream().map(KeyedResult::result).toList();
  }

  /**
   * Promotes the jobs behind dead heads as {@link #promoteCommitted} does, after releasing the keys
   * that the heads' policies do not block.
   */
  public void passOnBehindDead(Collection<String> keys) {
    List<String> sorted = List.copyOf(new TreeSet<>(keys));
    try {
      promote(settle(transactions.run(deadHeads, sorted)));
    } catch (RuntimeException failure) {
      LOG.debug(
          "Keys of dead jobs not freed, left to the next sweep keys={} error={}",
          keys.size(),
          failure.getMessage());
    }
  }

  /**
   * Takes a key from its dead head and promotes the next job.
   *
   * @return whether that job held the key and was dead
   */
  public boolean unblock(ExpectedHead expected) {
    boolean released = !transactions.run(release, expected).isEmpty();
    if (released) {
      promoteCommitted(List.of(expected.key()));
    }
    return released;
  }

  /** Returns whether the expected job holds the key and is dead. */
  public boolean isBlockedBy(ExpectedHead expected) {
    JobId head = expected.head();
    return transactions.run(deadHeads, List.of(expected.key())).stream()
        .anyMatch(dead -> head == null || head.value() == dead.id());
  }

  /** Takes a key from its head, unless the head is running, and promotes the next job. */
  public SkipResult skipHead(ExpectedHead expected) {
    SkipResult result = transactions.run(skipHead, expected).get(0);
    if (result == SkipResult.SKIPPED) {
      promoteCommitted(List.of(expected.key()));
    }
    return result;
  }

  /**
   * Frees the keys of those dead heads whose policy does not block them, and returns those keys.
   */
  private List<String> settle(List<DeadHead> heads) {
    List<String> free =
        new ArrayList<>(
            release(heads.stream().filter(head -> head.policy() == OrderingPolicy.SKIP).toList()));
    for (DeadHead head : heads) {
      if (head.policy() == OrderingPolicy.PARK && isParked(head)) {
        free.addAll(release(List.of(head)));
      }
    }
    return free;
  }

  private List<String> release(List<DeadHead> heads) {
    return heads.isEmpty() ? List.of() : transactions.run(releaseHeads, heads);
  }

  /** Parks jobs behind a dead head. Returns true if none is left, so that the key can be freed. */
  private boolean isParked(DeadHead head) {
    for (int i = 0; i < BATCHES_OF_A_HEAD; i++) {
      Parked batch = transactions.run(park, new ParkStatement.Request(head.id(), BATCH)).get(0);
      if (!batch.blocked()) {
        return false;
      }
      if (!batch.left()) {
        return true;
      }
      if (batch.parked() == 0) {
        return false; // another transaction has locked the others; the next sweep parks them
      }
    }
    return false; // the next sweep parks the others
  }

  @Override
  public Sweep sweep() {
    List<WakeUp> promoted = new ArrayList<>(promote(settle(nextDeadHeads())));
    Sweep headless;
    try {
      headless = sweepHeadless();
    } catch (RuntimeException failure) {
      if (promoted.isEmpty()) {
        throw failure;
      }
      LOG.debug("Keys without a head not searched, left to the next sweep", failure);
      return new Sweep(promoted, true, true);
    }
    promoted.addAll(headless.promoted());
    return new Sweep(promoted, headless.waiting(), headless.unfinished());
  }

  private List<DeadHead> nextDeadHeads() {
    String from = afterDead;
    List<DeadHead> heads =
        transactions.run(nextDeadHeads, new FindDeadHeadsStatement.Request(from, KEYS_OF_A_SWEEP));
    afterDead = heads.size() < KEYS_OF_A_SWEEP ? "" : heads.get(heads.size() - 1).key();
    return heads;
  }

  private Sweep sweepHeadless() {
    String from = after;
    List<Found> found = transactions.run(findHeadless, new Request(from, KEYS_OF_A_SWEEP));
    Optional<String> last =
        found.stream().filter(each -> each.number() == KEYS_OF_A_SWEEP).map(Found::key).findFirst();
    after = last.orElse("");
    List<String> headless = found.stream().filter(Found::isHeadless).map(Found::key).toList();
    List<WakeUp> promoted = headless.isEmpty() ? List.of() : promote(headless);
    return new Sweep(promoted, !found.isEmpty() || !from.isEmpty(), last.isPresent());
  }
}
