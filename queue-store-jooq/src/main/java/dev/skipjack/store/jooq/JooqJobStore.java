package dev.skipjack.store.jooq;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.ExecutionId;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Conclusion;
import dev.skipjack.api.spi.DueLanes;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.GiveBack;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.api.spi.Progress;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Rescued;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.store.jooq.internal.QueueExtension;
import dev.skipjack.store.jooq.internal.history.PartitionHealing;
import dev.skipjack.store.jooq.internal.sql.Arguments;
import dev.skipjack.store.jooq.internal.sql.Batches;
import dev.skipjack.store.jooq.internal.sql.OwnTransactions;
import dev.skipjack.store.jooq.internal.sql.Session;
import dev.skipjack.store.jooq.internal.sql.StatementText;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/** The port's promises kept with jOOQ's statements on PostgreSQL. */
final class JooqJobStore implements JobStore, QueueExtension.Waker {

  private static final String SERIALIZATION_FAILURE = "40001";

  private final OwnTransactions transactions;
  private final Statements statements;
  private final PartitionHealing healing;
  private final EnqueueWriter writer;
  private final RescueSweep rescue;
  private final @Nullable WakeUpSender wakeUps;

  /**
   * @param wakeUps null: nobody is woken
   */
  JooqJobStore(
      OwnTransactions transactions,
      DSLContext dialect,
      Statements statements,
      PartitionHealing healing,
      @Nullable WakeUpSender wakeUps) {
    this.wakeUps = wakeUps;
    this.transactions = transactions;
    this.statements = statements;
    this.healing = healing;
    this.writer = new EnqueueWriter(dialect);
    this.rescue = new RescueSweep(transactions, statements, healing);
  }

  @Override
  public List<EnqueueResult> enqueue(List<NewJob> jobs) {
    if (jobs.isEmpty()) {
      return List.of();
    }
    List<EnqueueResult> results =
        jobs.size() == 1 && jobs.get(0).idempotencyKey() == null
            ? writer.writeAlone(transactions, jobs.get(0))
            : new Batches(EnqueueStatement.LARGEST)
                .run(chunk -> writers(jobs).inOne(session -> writer.write(session, jobs, chunk)));
    wakeCommitted(jobs, results);
    return results;
  }

  /** Only a key can make an enqueue wait. */
  private OwnTransactions writers(List<NewJob> jobs) {
    return jobs.stream().allMatch(job -> job.idempotencyKey() == null)
        ? transactions
        : transactions.bounded();
  }

  @Override
  public List<EnqueueResult> enqueue(Connection transaction, List<NewJob> jobs) {
    try {
      return insert(transaction, jobs);
    } catch (SQLException failure) {
      throw OwnTransactions.refused(failure);
    }
  }

  /** As {@link #enqueue(Connection, List)} with the database's own exception. */
  List<EnqueueResult> insert(Connection connection, List<NewJob> jobs) throws SQLException {
    List<EnqueueResult> results = write(Session.in(connection), jobs);
    wakeWithin(connection, jobs, results);
    return results;
  }

  /** As {@link #insert}, in whatever transaction the session is of; wakes nobody. */
  List<EnqueueResult> write(Session session, List<NewJob> jobs) throws SQLException {
    return writer.write(session, jobs, EnqueueStatement.LARGEST);
  }

  @Override
  public void wakeCommitted(List<NewJob> jobs, List<EnqueueResult> results) {
    if (wakeUps != null) {
      wakeUps.committed(jobs, results);
    }
  }

  @Override
  public void wakeWithin(Connection transaction, List<NewJob> jobs, List<EnqueueResult> results)
      throws SQLException {
    if (wakeUps != null) {
      wakeUps.within(transaction, jobs, results);
    }
  }

  @Override
  public DueLanes dueLanes(List<String> queues) {
    return DueLanesStatement.collect(
        transactions.runInOneFlight(
            statements.dueLanes, DueLanesStatement.arguments(queues), DueLanesStatement::read));
  }

  @Override
  public List<ClaimedJob> claim(ClaimRequest request) {
    return claim(request, statements.claim);
  }

  @Override
  public List<ClaimedJob> claimWithoutPayload(ClaimRequest request) {
    return claim(request, statements.claimWithoutPayload);
  }

  private List<ClaimedJob> claim(ClaimRequest request, StatementText statement) {
    if (request.lanes().isEmpty() || request.kinds().isEmpty()) {
      return List.of();
    }
    List<ClaimedJob> claimed =
        new Batches(request.limit())
            .run(
                limit ->
                    AsciiFallback.run(
                        ClaimStatement.arguments(request.atMost(limit)),
                        given ->
                            healing.run(
                                () -> transactions.run(statement, given, ClaimStatement::read))));
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

  @Override
  public List<Renewal> heartbeat(List<Execution> executions, Duration lease) {
    ClaimRequest.requireLease(lease);
    return batch(
        executions,
        statements.heartbeat,
        HeartbeatStatement.arguments(executions, lease),
        HeartbeatStatement::read);
  }

  @Override
  public List<Verdict> progress(List<Progress> reports) {
    return batch(
        reports, statements.progress, ProgressStatement.arguments(reports), AttemptCtes::read);
  }

  @Override
  public List<Verdict> complete(List<Execution> executions) {
    return batch(
        executions,
        statements.complete.ending(executions),
        AttemptCtes.arguments(executions, execution -> execution),
        AttemptCtes::read);
  }

  @Override
  public List<Verdict> conclude(List<Conclusion> conclusions) {
    return batch(
        conclusions,
        statements.conclude.ending(executions(conclusions, Conclusion::execution)),
        ConcludeStatement.arguments(conclusions),
        AttemptCtes::read);
  }

  @Override
  public void completeIn(Connection transaction, Execution execution) {
    completeIn(
        transaction,
        execution,
        statements.completeIn.ending(execution),
        CompleteStatement.argumentsForOne(execution));
  }

  @Override
  public void completeIn(Connection transaction, Execution execution, @Nullable String result) {
    if (result == null) {
      completeIn(transaction, execution);
    } else {
      completeIn(
          transaction,
          execution,
          statements.completeInWithResult.ending(execution),
          ConcludeStatement.argumentsForOne(execution, result));
    }
  }

  private void completeIn(
      Connection transaction, Execution execution, StatementText statement, Arguments arguments) {
    long ended;
    try {
      Session.requireTransaction(transaction);
      ended = statement.run(transaction, arguments, row -> row.getLong(1)).get(0);
    } catch (SQLException failure) {
      if (PartitionHealing.isMissing(failure)) {
        // The caller's transaction is lost, but its next attempt shall find the partition.
        healing.later();
        throw new StoreException(
            "The archive has no partition for now. It is created with the worker's next write: roll back and let the exception pass; the attempt is not counted.",
            new SQLTransientException(failure.getMessage(), failure.getSQLState(), failure));
      }
      if (SERIALIZATION_FAILURE.equals(failure.getSQLState())) {
        throw new StoreException(
            "completeIn cannot end job %s (SQLSTATE 40001): its row was changed after this REPEATABLE READ or SERIALIZABLE transaction took its snapshot, by a renewal of its lease for instance. Roll back. Use READ COMMITTED, or call completeIn in the first statement of the transaction: the row is then locked and not renewed."
                .formatted(execution.jobId()),
            failure);
      }
      throw OwnTransactions.refused(failure);
    }
    if (ended == 0) {
      throw new LeaseLostException(
          execution.jobId(), execution.id(), holder(transaction, execution));
    }
  }

  /** A heartbeat changes nothing for an execution that has lost its job, and tells who has it. */
  private @Nullable ExecutionId holder(Connection transaction, Execution lost) {
    try {
      return statements
          .heartbeat
          .run(
              transaction,
              HeartbeatStatement.arguments(List.of(lost), Duration.ofSeconds(1)),
              HeartbeatStatement::read)
          .get(0)
          .heldBy();
    } catch (SQLException unknown) {
      return null; // the caller rolls back anyway, and has to hear why
    }
  }

  @Override
  public List<Ended> fail(List<Failure> failures) {
    return batch(
        failures,
        statements.fail.ending(executions(failures, Failure::execution)),
        FailStatement.arguments(failures),
        AttemptCtes::readEnded);
  }

  @Override
  public List<Ended> giveBack(List<GiveBack> attempts) {
    return batch(
        attempts,
        statements.giveBack.ending(executions(attempts, GiveBack::execution)),
        GiveBackStatement.arguments(attempts),
        AttemptCtes::readEnded);
  }

  @Override
  public List<Optional<ExecutionStatus>> statuses(List<Execution> executions) {
    return executions.isEmpty()
        ? List.of()
        : transactions.run(
            statements.attemptStatus.ending(executions),
            AttemptStatusStatement.arguments(executions),
            AttemptStatusStatement::read);
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

  private static <A> List<Execution> executions(
      List<A> attempts, Function<A, Execution> execution) {
    return attempts.stream().map(execution).toList();
  }

  private <R> List<R> batch(
      List<?> input,
      StatementText statement,
      Arguments arguments,
      StatementText.RowReader<R> reader) {
    return input.isEmpty()
        ? List.of()
        : AsciiFallback.run(
            arguments, given -> healing.run(() -> transactions.run(statement, given, reader)));
  }
}
