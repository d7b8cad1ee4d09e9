package dev.skipjack.store.jooq;

import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobId;
import dev.skipjack.api.LeaseLostException;
import dev.skipjack.api.operations.CancelResult;
import dev.skipjack.api.operations.RedriveResult;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.FinalOutcome;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.Renewal;
import dev.skipjack.api.spi.Requeue;
import dev.skipjack.api.spi.Rescued;
import dev.skipjack.api.spi.Verdict;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.store.jooq.internal.ordering.KeyedResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jooq.DSLContext;

/**
 * Runs each operation on a single job with the store's own statements, in the transaction that the
 * caller has opened.
 */
final class JobMoves {

  /** A statement, and whether it acts for an execution. */
  enum Move {
    CLAIM(false),
    HEARTBEAT(true),
    COMPLETE(true),
    COMPLETE_IN(true),
    END_WITH_DATA(true),
    FAIL(true),
    RELEASE(true),
    RESCUE(false),
    CANCEL(false),
    REDRIVE(false);

    final boolean needsExecution;

    Move(boolean needsExecution) {
      this.needsExecution = needsExecution;
    }
  }

  /**
   * The result of a move.
   *
   * @param accepted whether it reports a change
   * @param ended the attempt that it reports as ended
   */
  record Answer(Move move, boolean accepted, Optional<Execution> ended) {}

  /** The worker that makes a move. It keeps using its execution until it claims another one. */
  static final class Actor {
    Optional<Execution> execution;
    Duration lease = Fixture.LEASE;
    boolean failsForGood;

    Actor(Optional<Execution> execution) {
      this.execution = execution;
    }
  }

  private final Fixture fixture;
  private final Statement<ClaimRequest, ClaimedJob> claim;
  private final Statement<HeartbeatStatement.Request, Renewal> heartbeat;
  private final OutcomeStatement<Execution, Verdict> complete;
  private final OutcomeStatement<List<FinalOutcome>, Verdict> endWithData;
  private final OutcomeStatement<List<Failure>, Ended> fail;
  private final OutcomeStatement<List<Requeue>, Ended> release;
  private final Statement<RescueStatement.Request, Rescued> rescue;
  private final Statement<List<JobId>, KeyedResult<CancelResult>> cancel;
  private final Statement<List<JobId>, KeyedResult<RedriveResult>> redrive;

  /** Creates each statement once, because rendering takes longer than running it. */
  JobMoves(Fixture fixture) {
    DSLContext dialect = StatementDialect.forSchema(fixture.database.schema());
    this.fixture = fixture;
    this.claim = ClaimStatement.of(dialect);
    this.heartbeat = HeartbeatStatement.of(dialect);
    this.complete = CompleteStatement.ofSingle(dialect, EndParts.NONE);
    this.endWithData = EndWithDataStatement.of(dialect, EndParts.NONE);
    this.fail = FailStatement.of(dialect, EndParts.NONE);
    this.release = RequeueStatement.of(dialect, EndParts.NONE);
    this.rescue = RescueStatement.of(dialect);
    this.cancel = CancelStatement.of(dialect);
    this.redrive = RedriveStatement.of(dialect);
  }

  Answer make(Connection connection, Move move, JobId job, Actor actor) throws SQLException {
    return switch (move) {
      case CLAIM -> claim(connection, actor);
      case HEARTBEAT -> new Answer(move, heartbeat(connection, believed(actor)), Optional.empty());
      case COMPLETE -> {
        Execution execution = believed(actor);
        yield ended(
            move,
            execution,
            one(complete.ending(execution), connection, execution) == Verdict.DONE);
      }
      case COMPLETE_IN -> ended(move, believed(actor), completeIn(connection, believed(actor)));
      case END_WITH_DATA -> {
        Execution execution = believed(actor);
        yield ended(
            move,
            execution,
            end(endWithData, connection, FinalOutcome.completed(execution, "1")) == Verdict.DONE);
      }
      case FAIL -> {
        Failure failure =
            new Failure(believed(actor), JobError.of("no luck"), Duration.ZERO, actor.failsForGood);
        yield ended(move, failure.execution(), isDone(end(fail, connection, failure)));
      }
      case RELEASE -> {
        Requeue given = new Requeue(believed(actor), ExecutionStatus.RELEASED, Duration.ZERO);
        yield ended(move, given.execution(), isDone(end(release, connection, given)));
      }
      case RESCUE -> rescue(connection);
      case CANCEL -> new Answer(move, cancel(connection, job), Optional.empty());
      case REDRIVE ->
          new Answer(
              move,
              one(redrive, connection, List.of(job)).result() instanceof RedriveResult.Redriven,
              Optional.empty());
    };
  }

  private Answer claim(Connection connection, Actor actor) throws SQLException {
    List<ClaimedJob> claimed =
        claim.run(connection, Fixture.request(1, actor.lease, new Lane("default", 0)));
    claimed.forEach(job -> actor.execution = Optional.of(job.execution()));
    return new Answer(Move.CLAIM, !claimed.isEmpty(), Optional.empty());
  }

  private boolean heartbeat(Connection connection, Execution execution) throws SQLException {
    return one(
                heartbeat,
                connection,
                new HeartbeatStatement.Request(List.of(execution), Fixture.LEASE))
            .verdict()
        == Verdict.DONE;
  }

  /** Completes in the open transaction or, if none is open, in a new one. */
  private boolean completeIn(Connection connection, Execution execution) throws SQLException {
    boolean alone = connection.getAutoCommit();
    try {
      connection.setAutoCommit(false);
      fixture.store.completeIn(connection, execution);
      return true;
    } catch (LeaseLostException lost) {
      return false;
    } finally {
      if (alone) {
        connection.setAutoCommit(true); // commits
      }
    }
  }

  private Answer rescue(Connection connection) throws SQLException {
    List<Rescued> rescued =
        rescue.run(connection, new RescueStatement.Request(0, Duration.ZERO, 10));
    return new Answer(
        Move.RESCUE, !rescued.isEmpty(), rescued.stream().map(Rescued::execution).findFirst());
  }

  private boolean cancel(Connection connection, JobId job) throws SQLException {
    CancelResult result = one(cancel, connection, List.of(job)).result();
    return result == CancelResult.CANCELLED || result == CancelResult.REQUESTED;
  }

  private static Execution believed(Actor actor) {
    return actor.execution.orElseThrow();
  }

  private static Answer ended(Move move, Execution execution, boolean accepted) {
    return new Answer(move, accepted, accepted ? Optional.of(execution) : Optional.empty());
  }

  private static boolean isDone(Ended ended) {
    return ended.verdict() == Verdict.DONE;
  }

  private static <A, R> R end(
      OutcomeStatement<List<A>, R> statement, Connection connection, A attempt)
      throws SQLException {
    List<A> batch = List.of(attempt);
    return one(statement.ending(batch), connection, batch);
  }

  private static <Q, R> R one(Statement<Q, R> statement, Connection connection, Q request)
      throws SQLException {
    return statement.run(connection, request).get(0);
  }
}
