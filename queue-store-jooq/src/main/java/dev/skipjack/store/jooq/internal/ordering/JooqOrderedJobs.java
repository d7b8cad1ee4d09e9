package dev.skipjack.store.jooq.internal.ordering;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.OrderedJobs;
import dev.skipjack.api.spi.WakeUp;
import dev.skipjack.store.jooq.internal.ordering.FindHeadlessKeysStatement.Found;
import dev.skipjack.store.jooq.internal.ordering.FindHeadlessKeysStatement.Request;
import dev.skipjack.store.jooq.internal.sql.OwnTransactions;
import dev.skipjack.store.jooq.internal.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jooq.DSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Promotes jobs with an ordering key, in transactions of its own. Safe for any number of threads,
 * which share the position of the sweep.
 */
public final class JooqOrderedJobs implements OrderedJobs {

  /** Bounds a sweep to a few milliseconds. */
  private static final int KEYS_OF_A_SWEEP = 1_000;

  private static final int KEYS_OF_A_PROMOTION = 200;

  /** Each repeat means that another transaction promoted a job of one of the keys meanwhile. */
  private static final int TRIES = 3;

  /** SQLSTATEs of a unique violation and a deadlock. */
  private static final Set<String> RACED = Set.of("23505", "40P01");

  private static final Optional<String> LOCK_NOT_AVAILABLE = Optional.of("55P03");

  private static final Logger LOG = LoggerFactory.getLogger(JooqOrderedJobs.class);

  private final OwnTransactions transactions;
  private final Statement<List<String>, Optional<WakeUp>> promote;
  private final Statement<Request, Found> findHeadless;

  /** The key after which the next sweep begins. A hint. */
  private volatile String after = "";

  public JooqOrderedJobs(OwnTransactions transactions, DSLContext dialect) {
    this.transactions = transactions;
    this.promote = Statement.lazily(() -> PromoteStatement.of(dialect));
    this.findHeadless = Statement.lazily(() -> FindHeadlessKeysStatement.of(dialect));
  }

  @Override
  public List<WakeUp> promote(Collection<String> keys) {
    List<String> sorted = List.copyOf(new TreeSet<>(keys));
    List<WakeUp> promoted = new ArrayList<>();
    for (int from = 0; from < sorted.size(); from += KEYS_OF_A_PROMOTION) {
      int to = Math.min(from + KEYS_OF_A_PROMOTION, sorted.size());
      promoteBatch(sorted.subList(from, to)).forEach(wakeUp -> wakeUp.ifPresent(promoted::add));
    }
    return promoted;
  }

  /** A key that is raced for in every try has been promoted by others, or is found by a sweep. */
  private List<Optional<WakeUp>> promoteBatch(List<String> keys) {
    for (int i = 1; ; i++) {
      try {
        return transactions.impatient().runInOneRoundTrip(promote, keys);
      } catch (StoreException failure) {
        boolean raced = failure.sqlState().filter(RACED::contains).isPresent();
        if (!raced && !failure.sqlState().equals(LOCK_NOT_AVAILABLE)) {
          throw failure;
        }
        if (!raced || i == TRIES) {
          LOG.debug(
              "Jobs not promoted, left to the next sweep keys={} error={}",
              keys.size(),
              failure.getMessage());
          return List.of();
        }
      }
    }
  }

  /**
   * Like {@link #promote} after a commit whose caller must not see a failure: a sweep promotes the
   * jobs later.
   *
   * @return empty if the promotion failed
   */
  public Optional<List<WakeUp>> promoteCommitted(Collection<String> keys) {
    try {
      return Optional.of(promote(keys));
    } catch (RuntimeException failure) {
      LOG.debug(
          "Jobs not promoted, left to a worker keys={} error={}",
          keys.size(),
          failure.getMessage());
      return Optional.empty();
    }
  }

  /**
   * Like {@link #promoteCommitted} for the keys of a command's results, which it returns without
   * the keys.
   */
  public <R> List<R> passOn(List<KeyedResult<R>> results) {
    Set<String> keys = new TreeSet<>();
    for (KeyedResult<R> each : results) {
      if (each.orderingKey() != null) {
        keys.add(each.orderingKey());
      }
    }
    if (!keys.isEmpty()) {
      Optional<List<WakeUp>> unused = promoteCommitted(keys);
    }
    return results.stream().map(KeyedResult::result).toList();
  }

  @Override
  public Sweep sweep() {
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
