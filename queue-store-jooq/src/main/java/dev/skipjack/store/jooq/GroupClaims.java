package dev.skipjack.store.jooq;

import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.ClaimedGroups;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.DueGroups;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.GroupClaim;
import dev.skipjack.api.spi.GroupClaim.Share;
import dev.skipjack.api.spi.GroupSearch;
import dev.skipjack.api.spi.UnknownClaimException;
import dev.skipjack.sql.Contention;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Pause;
import dev.skipjack.sql.Session;
import dev.skipjack.sql.ShrinkingLimit;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.ClaimGroupsStatement.Claimed;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/** Claims from fair and limited queues. */
final class GroupClaims {

  private static final Comparator<ClaimedJob> BY_DUE_TIME =
      Comparator.comparing(ClaimedJob::scheduledAt)
          .thenComparingLong(job -> job.execution().jobId().value());

  /** How long a throttle is repeated, in nanoseconds. */
  private static final long THROTTLED_WITHIN = Duration.ofSeconds(30).toNanos();

  private static final Duration LONGEST_PAUSE = Duration.ofMillis(50);

  private final OwnTransactions transactions;
  private final Statement<GroupSearch, DueGroupsStatement.Found> due;
  private final Statement<String, String> lockLimit;
  private final Statement<String, String> shareLimit;
  private final Statement<GroupClaim, Integer> lockGroups;
  private final Statement<Execution, ThrottleStatement.Bound> limitOf;
  private final Statement<ThrottleStatement.Request, String> lockForThrottle;
  private final Statement<ThrottleStatement.Request, Long> throttle;
  private final Statement<GroupClaim, Claimed> claimFair;
  private final Statement<GroupClaim, Claimed> claimLimited;
  private final Statement<GroupClaim, Claimed> claimFairWithoutPayload;
  private final Statement<GroupClaim, Claimed> claimLimitedWithoutPayload;

  GroupClaims(OwnTransactions transactions, Lazy<DSLContext> dialect) {
    this.transactions = transactions;
    this.due = Statement.lazily(() -> DueGroupsStatement.of(dialect.get()));
    this.lockLimit = Statement.lazily(() -> LockLimitStatement.of(dialect.get()));
    this.shareLimit = Statement.lazily(() -> LockLimitStatement.ofShared(dialect.get()));
    this.lockGroups = Statement.lazily(() -> LockGroupsStatement.of(dialect.get()));
    this.limitOf = Statement.lazily(() -> ThrottleStatement.ofLimit(dialect.get()));
    this.lockForThrottle = Statement.lazily(() -> ThrottleStatement.lock(dialect.get()));
    this.throttle = Statement.lazily(() -> ThrottleStatement.of(dialect.get()));
    this.claimFair = Statement.lazily(() -> ClaimGroupsStatement.ofFair(dialect.get()));
    this.claimLimited = Statement.lazily(() -> ClaimGroupsStatement.ofLimited(dialect.get()));
    this.claimFairWithoutPayload =
        Statement.lazily(() -> ClaimGroupsStatement.ofFairWithoutPayload(dialect.get()));
    this.claimLimitedWithoutPayload =
        Statement.lazily(() -> ClaimGroupsStatement.ofLimitedWithoutPayload(dialect.get()));
  }

  DueGroups due(GroupSearch search) {
    return DueGroupsStatement.collect(transactions.runInOneRoundTrip(due, search));
  }

  ClaimedGroups claim(GroupClaim request) {
    return claim(request, claimFair, claimLimited);
  }

  ClaimedGroups claimWithoutPayload(GroupClaim request) {
    return claim(request, claimFairWithoutPayload, claimLimitedWithoutPayload);
  }

  private ClaimedGroups claim(
      GroupClaim request,
      Statement<GroupClaim, Claimed> fair,
      Statement<GroupClaim, Claimed> limited) {
    Transaction transaction = new Transaction(fair, limited);
    List<Claimed> rows =
        new ShrinkingLimit(request.most()).run(limit -> transaction.claim(request.atMost(limit)));
    List<ClaimedJob> jobs = inRounds(rows, request.shares());
    Long opensIn = rows.isEmpty() ? null : rows.get(0).opensIn();
    return new ClaimedGroups(
        jobs,
        transaction.isBusy,
        opensIn == null ? null : Duration.of(Math.max(opensIn, 0), ChronoUnit.MICROS));
  }

  /** Throttles, and repeats that if the role's {@code lock_timeout} is short. */
  boolean throttle(Execution execution, boolean onlyGroup, Duration delay) {
    long deadline = System.nanoTime() + THROTTLED_WITHIN;
    while (true) {
      try {
        return throttleOnce(execution, onlyGroup, delay);
      } catch (StoreException failure) {
        if (!Contention.caused(failure)
            || System.nanoTime() - deadline >= 0
            || !Pause.upTo(LONGEST_PAUSE)) {
          throw failure;
        }
      }
    }
  }

  private boolean throttleOnce(Execution execution, boolean onlyGroup, Duration delay) {
    return transactions
        .bounded()
        .inOne(
            session -> {
              List<ThrottleStatement.Bound> bound = session.run(limitOf, execution);
              if (bound.isEmpty()) {
                return false;
              }
              boolean ofGroup = onlyGroup || bound.get(0).isPerGroup();
              ThrottleStatement.Request request =
                  new ThrottleStatement.Request(bound.get(0), ofGroup, delay);
              session.run(lockForThrottle, request);
              return !session.run(throttle, request).isEmpty();
            });
  }

  /** Returns the jobs in the order of the turns of their groups. */
  private static List<ClaimedJob> inRounds(List<Claimed> rows, List<Share> shares) {
    Map<@Nullable String, List<ClaimedJob>> byGroup = new HashMap<>();
    for (Claimed row : rows) {
      if (row.job() != null) {
        byGroup.computeIfAbsent(row.group(), group -> new ArrayList<>()).add(row.job());
      }
    }
    byGroup.values().forEach(jobs -> jobs.sort(BY_DUE_TIME));
    List<ClaimedJob> ordered = new ArrayList<>(rows.size());
    for (int round = 0; !byGroup.isEmpty(); round++) {
      for (Share share : shares) {
        List<ClaimedJob> jobs = byGroup.getOrDefault(share.group(), List.of());
        int begin = Math.min(round * share.weight(), jobs.size());
        int end = Math.min(begin + share.weight(), jobs.size());
        ordered.addAll(jobs.subList(begin, end));
        if (end == jobs.size()) {
          byGroup.remove(share.group());
        }
      }
    }
    return ordered;
  }

  private static List<ClaimedJob> jobs(List<Claimed> rows) {
    return rows.stream().map(Claimed::job).filter(Objects::nonNull).toList();
  }

  /** A claim, which may need several tries. */
  private final class Transaction {

    private final Statement<GroupClaim, Claimed> fair;
    private final Statement<GroupClaim, Claimed> limited;
    private boolean isBusy;

    Transaction(Statement<GroupClaim, Claimed> fair, Statement<GroupClaim, Claimed> limited) {
      this.fair = fair;
      this.limited = limited;
    }

    List<Claimed> claim(GroupClaim request) {
      List<Claimed> found = new ArrayList<>();
      try {
        // The commit takes a separate round trip, so that the jobs are known if its response is
        // lost.
        transactions.inOne(session -> found.addAll(claim(session, request)));
        return found;
      } catch (StoreException failure) {
        throw failure.isOutcomeUnknown()
            ? new UnknownClaimException(failure, jobs(found))
            : failure;
      }
    }

    private List<Claimed> claim(Session session, GroupClaim request) throws SQLException {
      isBusy = false;
      String limit = request.limit();
      if (limit == null) {
        return session.run(fair, request);
      }
      isBusy = !isLocked(session, request, limit);
      if (isBusy) {
        return List.of();
      }
      GroupClaim allowed = request.locksGroups() ? locked(session, request) : request;
      return allowed.shares().isEmpty() ? List.of() : session.run(limited, allowed);
    }

    private boolean isLocked(Session session, GroupClaim request, String limit)
        throws SQLException {
      if (request.locksLimit()) {
        return !session.run(lockLimit, limit).isEmpty();
      }
      // The lock of a group includes the shared lock of the limit.
      return request.locksGroups() || !session.run(shareLimit, limit).isEmpty();
    }

    private GroupClaim locked(Session session, GroupClaim request) throws SQLException {
      List<Share> locked =
          session.run(lockGroups, request).stream().map(request.shares()::get).toList();
      isBusy = locked.size() < request.shares().size();
      return request.withShares(locked);
    }
  }
}
