package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.JobId;
import dev.skipjack.store.jooq.JobMoves.Actor;
import dev.skipjack.store.jooq.JobMoves.Answer;
import dev.skipjack.store.jooq.JobMoves.Move;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests two sessions that change one job in overlapping transactions: every pair of moves in which
 * the first is not committed, and every move whose snapshot precedes the commit of one or two
 * others.
 */
@QueueTest
class OverlappingMovesTest {

  /** The state of the job before the two moves, and the moves that led to it. */
  enum State {
    PENDING,
    RUNNING,
    EXPIRED,
    CANCEL_REQUESTED,
    DEAD,
    RUN_BY_THE_RIVAL;

    List<Move> history() {
      return switch (this) {
        case PENDING -> List.of();
        case RUNNING, EXPIRED -> List.of(Move.CLAIM);
        case CANCEL_REQUESTED -> List.of(Move.CLAIM, Move.CANCEL);
        case DEAD -> List.of(Move.CLAIM, Move.FAIL);
        case RUN_BY_THE_RIVAL -> List.of(Move.CLAIM, Move.RESCUE);
      };
    }
  }

  /** The moves that never delete the job's row. */
  private static final Set<Move> UPDATES_ONLY =
      EnumSet.of(Move.CLAIM, Move.HEARTBEAT, Move.REDRIVE);

  /** Returns whether an accepted move deletes nothing in this state. */
  private static boolean onlyUpdates(State state, Move move) {
    return UPDATES_ONLY.contains(move)
        || (move == Move.CANCEL && state != State.PENDING)
        || (move == Move.RESCUE && state != State.CANCEL_REQUESTED);
  }

  private Fixture fixture;
  private JobMoves moves;
  private Gate gate;
  private Rival first;
  private Rival second;

  @BeforeEach
  void setUp(QueueDatabase database) throws SQLException {
    fixture = new Fixture(database);
    moves = new JobMoves(fixture);
    gate = new Gate(fixture);
    first = new Rival(database);
    second = new Rival(database);
  }

  @AfterEach
  void tearDown() throws SQLException {
    gate.open();
    first.close();
    second.close();
    gate.close();
  }

  @ParameterizedTest
  @EnumSource
  void onlyCompletionInTheHandlersTransactionWaitsForAnOpenTransaction(State state)
      throws Exception {
    for (Move open : sayable(state)) {
      for (Move beside : sayable(state)) {
        for (boolean commits : List.of(true, false)) {
          try (Scene scene = new Scene(state)) {
            scene.beside(open, beside, commits);
          } catch (AssertionError | RuntimeException failure) {
            throw new AssertionError(
                "%s: %s open, then %s, commits: %s".formatted(state, open, beside, commits),
                failure);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void onlyCompleteInWaitsForAnUncommittedForeignKey(State state) throws Exception {
    for (Move move : sayable(state)) {
      boolean effective = isEffective(state, List.of(move));
      try (Scene scene = new Scene(state)) {
        scene.besideForeignKey(state, move, effective);
      } catch (AssertionError | RuntimeException failure) {
        throw new AssertionError("%s: %s beside a foreign key".formatted(state, move), failure);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void rowChangedBetweenSnapshotAndLockIsRereadOrSkipped(State state) throws Exception {
    for (List<Move> meanwhile : effective(state)) {
      for (Move late : sayable(state)) {
        try (Scene scene = new Scene(state)) {
          scene.late(late, meanwhile);
        } catch (AssertionError | RuntimeException failure) {
          throw new AssertionError(
              "%s: %s saw the row before %s".formatted(state, late, meanwhile), failure);
        }
      }
    }
  }

  private static List<Move> sayable(State state) {
    return Arrays.stream(Move.values())
        .filter(move -> !move.needsExecution || state != State.PENDING)
        .toList();
  }

  /** Returns the sequences of one or two moves of the rival in which each move is accepted. */
  private List<List<Move>> effective(State state) throws Exception {
    List<List<Move>> found = new ArrayList<>();
    for (Move one : sayable(state)) {
      if (isEffective(state, List.of(one))) {
        found.add(List.of(one));
        for (Move two : Move.values()) {
          // A heartbeat only changes the lease, and a release is like a failure.
          if (one != Move.HEARTBEAT
              && two != Move.RELEASE
              && isEffective(state, List.of(one, two))) {
            found.add(List.of(one, two));
          }
        }
      }
    }
    assertThat(found).isNotEmpty();
    return found;
  }

  private boolean isEffective(State state, List<Move> sequence) throws Exception {
    try (Scene scene = new Scene(state)) {
      boolean accepted = false;
      for (Move move : sequence) {
        if (move.needsExecution && scene.rival.execution.isEmpty()) {
          return false;
        }
        accepted = second.run(connection -> scene.make(connection, move, scene.rival)).accepted();
      }
      return accepted;
    }
  }

  /** A job in a given state, the two sessions that act on it, and the results that they receive. */
  private final class Scene implements AutoCloseable {

    final JobId job;
    final Ledger ledger = new Ledger();
    final Actor worker = new Actor(Optional.empty());
    final Actor rival;

    Scene(State state) throws SQLException {
      job = second.run(connection -> new JobId(insert(connection)));
      worker.lease = state == State.RUNNING ? Fixture.LEASE : Fixture.EXPIRED;
      worker.failsForGood = true;
      for (Move move : state.history()) {
        play(move, worker);
      }
      // A worker's flusher and heartbeats use the same execution in two sessions.
      rival = new Actor(worker.execution);
      if (state == State.RUN_BY_THE_RIVAL) {
        play(Move.CLAIM, rival);
      }
      worker.lease = Fixture.LEASE;
    }

    private void play(Move move, Actor actor) throws SQLException {
      Answer answer = second.run(connection -> make(connection, move, actor));
      assertThat(answer.accepted()).as("%s", move).isTrue();
      ledger.note(answer);
    }

    Answer make(Connection connection, Move move, Actor actor) throws SQLException {
      return moves.make(connection, move, job, actor);
    }

    void beside(Move open, Move beside, boolean commits) throws Exception {
      first.begin();
      Answer held = first.run(connection -> make(connection, open, worker));
      if (!held.accepted() && !commits) {
        first.rollback(); // Like a commit, because the transaction has changed nothing.
        return;
      }
      Future<Answer> other = second.start(connection -> make(connection, beside, rival));
      boolean ended = gate.seesEndOf(other, second);
      assertThat(ended || beside == Move.COMPLETE_IN).as("ended without waiting").isTrue();
      if (ended && held.accepted()) {
        assertThat(other.get().accepted()).as("accepted on a row that is held").isFalse();
      }
      if (commits) {
        first.commit();
        ledger.note(held);
      } else {
        first.rollback();
      }
      ledger.note(other.get());
      compare();
    }

    /** The first session locks the row like the check of an uncommitted foreign key. */
    void besideForeignKey(State state, Move move, boolean effective) throws Exception {
      first.begin();
      first.execute(fixture.inSchema("SELECT FROM @jobs WHERE id = " + job + " FOR KEY SHARE"));
      Future<Answer> other = second.start(connection -> make(connection, move, rival));
      boolean ended = gate.seesEndOf(other, second);
      first.rollback();
      assertThat(ended || move == Move.COMPLETE_IN).as("ended without waiting").isTrue();
      assertThat(other.get().accepted())
          .as("accepted on a row that may not be deleted")
          .isEqualTo(effective && (!ended || onlyUpdates(state, move)));
      ledger.note(other.get());
      compare();
    }

    private void compare() throws SQLException {
      second.run(
          connection -> {
            ledger.compare(fixture, connection, job);
            return job;
          });
    }

    void late(Move late, List<Move> meanwhile) throws Exception {
      if (late == Move.CANCEL || late == Move.REDRIVE) {
        gate.stopsAtRows(first); // These statements lock rows before they write.
      } else {
        gate.stops(first);
      }
      gate.shut();
      Future<Answer> stopped = gate.sendTo(first, connection -> make(connection, late, worker));
      for (Move move : meanwhile) {
        Future<Answer> quick = second.start(connection -> make(connection, move, rival));
        assertThat(gate.seesEndOf(quick, second)).as("%s ended without waiting", move).isTrue();
        ledger.note(quick.get());
      }
      gate.open();
      ledger.note(stopped.get());
      compare();
    }

    @Override
    public void close() throws SQLException {
      gate.open();
      second.execute(fixture.inSchema("DELETE FROM @jobs WHERE id = " + job));
    }
  }

  private long insert(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                fixture.inSchema(
                    "INSERT INTO @jobs (kind, payload, max_attempts) VALUES ('work', '{}', 2)"
                        + " RETURNING id"))) {
      row.next();
      return row.getLong(1);
    }
  }
}
