package dev.skipjack.store.jooq;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedGroups;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.DueGroups;
import dev.skipjack.api.spi.DueLanes;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.FinalOutcome;
import dev.skipjack.api.spi.GroupClaim;
import dev.skipjack.api.spi.GroupSearch;
import dev.skipjack.api.spi.HandOver;
import dev.skipjack.api.spi.HandedOver;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.Progress;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.Rescued;
import dev.skipjack.api.spi.UnknownClaimException;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Session;
import dev.skipjack.sql.ShrinkingLimit;
import dev.skipjack.sql.Statement;
import dev.skipjack.store.jooq.DueLanesStatement.LaneOrQueue;
import dev.skipjack.store.jooq.internal.QueueExtension.JobFactory;
import dev.skipjack.store.jooq.internal.history.PartitionHealing;
import dev.skipjack.store.jooq.internal.ordering.JooqOrderedJobs;
import dev.skipjack.store.jooq.internal.steps.StepCtes;
import dev.skipjack.store.jooq.internal.steps.StoreParts;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/** Implements the job store on PostgreSQL. */
final class JooqJobStore implements JobStore, StoreParts {

  private final OwnTransactions transactions;
  private final Statement<List<String>, LaneOrQueue> dueLanes;
  private final Statement<ClaimRequest, ClaimedJob> claim;
  private final Statement<ClaimRequest, ClaimedJob> claimWithoutPayload;
  private final GroupClaims groups;
  private final Statement<HeldStatement.Request, ClaimedJob> held;
  private final Statement<HeartbeatStatement.Request, Renewal> heartbeat;
  private final Statement<List<Progress>, Verdict> progress;
  private final EndStatements<List<Execution>, Verdict> complete;
  private final EndStatements<Execution, Verdict> completeSingle;
  private final EndStatements<Execution, Boolean> completeIn;
  private final EndStatements<EndWithDataStatement.CompletionWithResult, Boolean>
      completeInWithResult;
  private final EndStatements<List<FinalOutcome>, Verdict> endWithData;
  private final OutcomeStatement<HandOver, HandedOver> handOver;
  private final EndStatements<List<Failure>, Ended> fail;
  private final EndStatements<List<Requeue>, Ended> requeue;
  private final OutcomeStatement<List<Execution>, Optional<ExecutionStatus>> attemptStatus;
  private final Lazy<DSLContext> dialect;
  private final JobFactory jobFactory;
  private final Map<Class<?>, Object> parts = new ConcurrentHashMap<>();
  private final PartitionHealing healing;
  private final EnqueueTransactions enqueues;
  private final RescueSweep rescue;
  private final JooqOrderedJobs ordered;

  JooqJobStore(
      OwnTransactions transactions,
      Lazy<DSLContext> dialect,
      PartitionHealing healing,
      EnqueueTransactions enqueues,
      JooqOrderedJobs ordered,
      JobFactory jobFactory) {
    this.ordered = ordered;
    this.dialect = dialect;
    this.jobFactory = jobFactory;
    this.transactions = transactions;
    this.dueLanes = Statement.lazily(() -> DueLanesStatement.of(dialect.get()));
    this.claim = Statement.lazily(() -> ClaimStatement.of(dialect.get()));
    this.claimWithoutPayload = Statement.lazily(() -> ClaimStatement.withoutPayload(dialect.get()));
    this.groups = new GroupClaims(transactions, dialect);
    this.held = Statement.lazily(() -> HeldStatement.of(dialect.get()));
    this.heartbeat = Statement.lazily(() -> HeartbeatStatement.of(dialect.get()));
    this.progress = Statement.lazily(() -> ProgressStatement.of(dialect.get()));
    this.complete = new EndStatements<>(parts -> CompleteStatement.of(dialect.get(), parts));
    this.completeSingle =
        new EndStatements<>(parts -> CompleteStatement.ofSingle(dialect.get(), parts));
    this.completeIn = new EndStatements<>(parts -> CompleteStatement.ofOne(dialect.get(), parts));
    this.completeInWithResult =
        new EndStatements<>(parts -> EndWithDataStatement.ofOne(dialect.get(), parts));
    this.endWithData = new EndStatements<>(parts -> EndWithDataStatement.of(dialect.get(), parts));
    this.handOver = OutcomeStatement.lazily(() -> HandOverStatement.of(dialect.get()));
    this.fail = new EndStatements<>(parts -> FailStatement.of(dialect.get(), parts));
    this.requeue = new EndStatements<>(parts -> RequeueStatement.of(dialect.get(), parts));
    this.attemptStatus = OutcomeStatement.lazily(() -> AttemptStatusStatement.of(dialect.get()));
    this.healing = healing;
    this.enqueues = enqueues;
    this.rescue = new RescueSweep(transactions, dialect, healing);
  }

  @Override
  public List<EnqueueResult> enqueue(List<NewJob> jobs) {
    return enqueues.enqueue(jobs);
  }

  @Override
  public List<EnqueueResult> enqueue(Connection transaction, List<NewJob> jobs) {
    return enqueues.enqueue(transaction, jobs);
  }

  @Override
  public DueLanes dueLanes(List<String> queues) {
    return DueLanesStatement.collect(transactions.runInOneRoundTrip(dueLanes, queues));
  }

  @Override
  public List<ClaimedJob> claim(ClaimRequest request) {
    return claim(request, each -> claimOnce(claim, each));
  }

  /**
   * Claims jobs and commits in one round trip. Only for claims whose rows certainly fit into
   * memory.
   */
  @Override
  public List<ClaimedJob> claimFew(ClaimRequest request) {
    return claim(request, each -> transactions.runInOneRoundTrip(claim, each));
  }

  @Override
  public List<ClaimedJob> heldBy(WorkerId worker, ExecutionId after, int limit) {
    return transactions.runInOneRoundTrip(held, new HeldStatement.Request(worker, after, limit));
  }

  @Override
  public List<ClaimedJob> claimWithoutPayload(ClaimRequest request) {
    return claim(request, each -> claimOnce(claimWithoutPayload, each));
  }

  @Override
  public DueGroups dueGroups(GroupSearch search) {
    return groups.due(search);
  }

  @Override
  public ClaimedGroups claimGroups(GroupClaim request) {
    if (request.shares().isEmpty() || request.kinds().isEmpty()) {
      return new ClaimedGroups(List.of(), false, null);
    }
    ClaimedGroups claimed = healing.run(() -> groups.claim(request));
    rescue.claimed(claimed.jobs());
    return claimed;
  }

  @Override
  public boolean throttle(Execution execution, boolean onlyGroup, Duration delay) {
    return groups.throttle(execution, onlyGroup, Backoff.clamp(delay));
  }

  private List<ClaimedJob> claim(
      ClaimRequest request, Function<ClaimRequest, List<ClaimedJob>> once) {
    if (request.lanes().isEmpty() || request.kinds().isEmpty()) {
      return List.of();
    }
    List<ClaimedJob> claimed =
        new ShrinkingLimit(request.limit())
            .run(limit -> healing.run(() -> once.apply(request.atMost(limit))));
    rescue.claimed(claimed);
    Map<Lane, Integer> order = new HashMap<>();
    for (LaneShare share : request.lanes()) {
      order.putIfAbsent(share.lane(), order.size());
    }
    List<ClaimedJob> sorted = new ArrayList<>(claimed);
    sorted.sort(
        Comparator.<ClaimedJob>comparingInt(job -> order.getOrDefault(job.lane(), order.size()))
            .thenComparing(ClaimedJob::scheduledAt)
            .thenComparingLong(job -> job.execution().jobId().value()));
    return List.copyOf(sorted);
  }

  /**
   * Records a job that an enqueue of this process has started, for later rescues.
   *
   * @param store the store of the queue's workers. Its type is the interface, so that a queue that
   *     only enqueues does not load this class
   */
  static void started(JobStore store, ClaimedJob job) {
    ((JooqJobStore) store).rescue.claimed(List.of(job));
  }

  /**
   * Claims jobs. The commit takes a separate round trip, so that a claim whose rows do not fit into
   * memory is not committed.
   */
  private List<ClaimedJob> claimOnce(
      Statement<ClaimRequest, ClaimedJob> statement, ClaimRequest request) {
    List<ClaimedJob> found = new ArrayList<>();
    try {
      transactions.inOne(session -> found.addAll(session.run(statement, request)));
      return found;
    } catch (StoreException failure) {
      throw failure.isOutcomeUnknown() ? new UnknownClaimException(failure, found) : failure;
    }
  }

  @Override
  public List<Renewal> heartbeat(List<Execution> executions, Duration lease) {
    ClaimRequest.requireLease(lease);
    return executions.isEmpty()
        ? List.of()
        : write(heartbeat, new HeartbeatStatement.Request(executions, lease));
  }

  @Override
  public List<Verdict> progress(List<Progress> reports) {
    return reports.isEmpty() ? List.of() : write(progress, reports);
  }

  @Override
  public List<Verdict> complete(List<Execution> executions) {
    EndParts parts = EndParts.of(executions.stream());
    if (parts.steps()) {
      return endWithData(executions.stream().map(e -> FinalOutcome.completed(e, null)).toList());
    }
    if (executions.size() == 1 && !parts.ordered()) {
      Execution single = executions.get(0);
      return write(completeSingle.ending(parts, single), single);
    }
    return end(complete, parts, executions);
  }

  /**
   * Completes a job and claims the next one. The commit takes a separate round trip, so that the
   * next execution is known even if the response to the commit is lost.
   */
  @Override
  public HandedOver handOver(HandOver request) {
    if (request.ended().hasSteps() || request.ended().isOwned()) {
      return JobStore.super.handOver(request);
    }
    Statement<HandOver, HandedOver> statement = handOver.ending(request);
    HandedOver result = healing.run(() -> handOverOnce(statement, request));
    if (result.next() != null) {
      rescue.claimed(List.of(result.next()));
    }
    return result;
  }

  private HandedOver handOverOnce(Statement<HandOver, HandedOver> statement, HandOver request) {
    List<HandedOver> found = new ArrayList<>();
    try {
      transactions.inOne(session -> found.addAll(session.run(statement, request)));
      return found.get(0);
    } catch (StoreException failure) {
      if (!failure.isOutcomeUnknown()) {
        throw failure;
      }
      List<ClaimedJob> next = new ArrayList<>();
      for (HandedOver each : found) {
        if (each.next() != null) {
          next.add(each.next());
        }
      }
      throw new UnknownClaimException(failure, next);
    }
  }

  @Override
  public List<Verdict> endWithData(List<FinalOutcome> outcomes) {
    EndParts parts = parts(outcomes, FinalOutcome::execution);
    List<Verdict> verdicts = end(endWithData, parts, outcomes);
    if (parts.steps()) {
      ordered.promoteCommitted(
          outcomes.stream()
              .filter(each -> each.as() == JobStatus.CANCELLED && each.execution().hasSteps())
              .map(each -> undoKey(each.execution()))
              .toList());
    }
    return verdicts;
  }

  /** Returns the ordering key of the jobs that undo the steps of a job. */
  private static String undoKey(Execution execution) {
    return StepCtes.undoKey(execution.jobId().value());
  }

  @Override
  public void completeIn(Connection transaction, Execution execution) {
    completeIn(transaction, execution, null);
  }

  @Override
  public void completeIn(Connection transaction, Execution execution, @Nullable String result) {
    if (result == null && !execution.hasSteps()) {
      completeIn(transaction, execution, completeIn, execution);
    } else {
      completeIn(
          transaction,
          execution,
          completeInWithResult,
          new EndWithDataStatement.CompletionWithResult(execution, result));
    }
  }

  private <Q> void completeIn(
      Connection transaction, Execution execution, EndStatements<Q, Boolean> statement, Q request) {
    boolean ended;
    try {
      Session.requireTransaction(transaction);
      ended = statement.ending(EndParts.of(execution), request).run(transaction, request).get(0);
    } catch (SQLException failure) {
      if (PartitionHealing.isMissing(failure)) {
        // The caller's transaction has failed, but the job's next attempt should find the
        // partition.
        healing.later();
        throw new StoreException(
            "The archive has no partition for today. The worker's next write creates it: roll back"
                + " and let the exception propagate; the attempt is not counted.",
            new SQLTransientException(failure.getMessage(), failure.getSQLState(), failure));
      }
      if (OwnTransactions.SERIALIZATION_FAILURE.equals(failure.getSQLState())) {
        throw new StoreException(
            "completeIn cannot end job %s (SQLSTATE 40001): its row was changed, for instance by a heartbeat, after this REPEATABLE READ or SERIALIZABLE transaction took its snapshot. Roll back. Use READ COMMITTED, or make completeIn the first statement of the transaction: the row is then locked and no heartbeat changes it."
                .formatted(execution.jobId()),
            failure);
      }
      throw OwnTransactions.refused(failure);
    }
    if (!ended) {
      throw new LeaseLostException(
          execution.jobId(), execution.id(), holder(transaction, execution));
    }
  }

  /**
   * Returns the execution that holds the job. It is read with a heartbeat, which changes nothing
   * for an execution that has lost the job.
   */
  private @Nullable ExecutionId holder(Connection transaction, Execution lost) {
    try {
      return heartbeat
          .run(transaction, new HeartbeatStatement.Request(List.of(lost), Duration.ofSeconds(1)))
          .get(0)
          .heldBy();
    } catch (SQLException unknown) {
      return null; // the lost lease must be reported to the caller in any case
    }
  }

  @Override
  public List<Ended> fail(List<Failure> failures) {
    EndParts parts = parts(failures, Failure::execution).unordered();
    return passOn(end(fail, parts, failures), failures, Failure::execution);
  }

  @Override
  public List<Ended> requeue(List<Requeue> attempts) {
    EndParts parts = parts(attempts, Requeue::execution).unordered();
    if (attempts.stream().anyMatch(each -> each.suspension() != null)) {
      parts = EndParts.ALL;
    }
    return passOn(end(requeue, parts, attempts), attempts, Requeue::execution);
  }

  @Override
  public List<Optional<ExecutionStatus>> statuses(List<Execution> executions) {
    return executions.isEmpty()
        ? List.of()
        : transactions.run(attemptStatus.ending(executions), executions);
  }

  @Override
  public List<Rescued> rescue(Duration spread, int limit) {
    if (limit < 1 || spread.isNegative() || spread.compareTo(Backoff.LONGEST) > 0) {
      throw new IllegalArgumentException(
          "Limit %d is below 1, or spread %s is not in 0..%s."
              .formatted(limit, spread, Backoff.LONGEST));
    }
    return rescue.run(spread, limit);
  }

  /**
   * Promotes the next job of each ordering key whose head was cancelled, or became dead and does
   * not block the key. Also promotes the first undo of each such job.
   */
  private <A> List<Ended> passOn(
      List<Ended> results, List<A> attempts, Function<A, Execution> execution) {
    Set<String> behindDead = new HashSet<>();
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < results.size(); i++) {
      Execution ended = execution.apply(attempts.get(i));
      String key = ended.orderingKey();
      JobStatus status = results.get(i).status();
      if (ended.hasSteps() && (status == JobStatus.CANCELLED || status == JobStatus.DEAD)) {
        keys.add(undoKey(ended));
      }
      if (key != null && status == JobStatus.CANCELLED) {
        keys.add(key);
      } else if (key != null && status == JobStatus.DEAD) {
        behindDead.add(key);
      }
    }
    if (!behindDead.isEmpty()) {
      ordered.passOnBehindDead(behindDead);
    }
    if (!keys.isEmpty()) {
      ordered.promoteCommitted(keys);
    }
    return results;
  }

  private static <A> EndParts parts(List<A> attempts, Function<A, Execution> execution) {
    return EndParts.of(attempts.stream().map(execution));
  }

  private <A, R> List<R> end(
      EndStatements<List<A>, R> statement, EndParts parts, List<A> attempts) {
    return attempts.isEmpty() ? List.of() : write(statement.ending(parts, attempts), attempts);
  }

  private <Q, R> List<R> write(Statement<Q, R> statement, Q request) {
    return healing.run(() -> transactions.runInOneRoundTrip(statement, request));
  }

  @Override
  public OwnTransactions transactions() {
    return transactions;
  }

  @Override
  public Lazy<DSLContext> dialect() {
    return dialect;
  }

  @Override
  public JobFactory jobFactory() {
    return jobFactory;
  }

  @Override
  public <T> T part(Class<T> type, Function<StoreParts, T> creation) {
    return type.cast(parts.computeIfAbsent(type, unused -> creation.apply(this)));
  }
}
