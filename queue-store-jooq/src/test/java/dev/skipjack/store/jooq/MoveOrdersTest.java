package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
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
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Runs the statements of two workers on one job in every order, one after another. Leases expire
 * immediately, so a rescue finds each attempt that no heartbeat has renewed. Only the first
 * worker's failure is final.
 *
 * <p>A rejected statement must leave every row unchanged. The test therefore runs only orders in
 * which every statement but the last is accepted.
 */
@QueueTest
class MoveOrdersTest {

  /** The maximum number of statements in an order. */
  private static final int LONGEST = Boolean.getBoolean("skipjack.soak") ? 7 : 6;

  private enum Step {
    FIRST_CLAIMS(Move.CLAIM, 0),
    SECOND_CLAIMS(Move.CLAIM, 1),
    FIRST_BEATS(Move.HEARTBEAT, 0),
    SECOND_BEATS(Move.HEARTBEAT, 1),
    FIRST_COMPLETES(Move.COMPLETE, 0),
    SECOND_COMPLETES(Move.COMPLETE, 1),
    FIRST_FAILS(Move.FAIL, 0),
    SECOND_FAILS(Move.FAIL, 1),
    RESCUE(Move.RESCUE, 0),
    CANCEL(Move.CANCEL, 0),
    REDRIVE(Move.REDRIVE, 0);

    final Move move;
    final int actor;

    Step(Move move, int actor) {
      this.move = move;
      this.actor = actor;
    }
  }

  private Fixture fixture;
  private JobMoves moves;

  @BeforeEach
  void setUp(QueueDatabase database) {
    fixture = new Fixture(database);
    moves = new JobMoves(fixture);
  }

  @Test
  void everyOrderLeavesOneRowAndReturnsCorrectResults() throws SQLException {
    int played = 0;
    Deque<List<Step>> open = new ArrayDeque<>();
    open.add(List.of());
    try (HikariDataSource pool = fixture.database.newDataSource(1);
        Connection connection = pool.getConnection()) {
      execute(connection, "SET plan_cache_mode = force_generic_plan"); // planning costs most
      while (!open.isEmpty()) {
        List<Step> begun = open.remove();
        for (Step step : next(begun)) {
          List<Step> order = new ArrayList<>(begun);
          order.add(step);
          boolean goesOn = isAcceptedAtItsEnd(connection, order);
          played++;
          if (goesOn && order.size() < LONGEST) {
            open.add(order);
          }
        }
      }
    }
    assertThat(played).as("orders that were run").isGreaterThan(500);
  }

  /**
   * Returns the steps that may follow. Each step occurs at most once, and a worker acts only after
   * it has claimed the job.
   */
  private static List<Step> next(List<Step> begun) {
    return Arrays.stream(Step.values())
        .filter(step -> !begun.contains(step))
        .filter(
            step ->
                !step.move.needsExecution
                    || begun.contains(step.actor == 0 ? Step.FIRST_CLAIMS : Step.SECOND_CLAIMS))
        .toList();
  }

  private boolean isAcceptedAtItsEnd(Connection connection, List<Step> order) throws SQLException {
    try {
      return play(connection, order);
    } catch (AssertionError | RuntimeException failure) {
      throw new AssertionError("Order " + order, failure);
    }
  }

  private boolean play(Connection connection, List<Step> order) throws SQLException {
    JobId job = enqueue(connection);
    Ledger ledger = new Ledger();
    List<Actor> actors = List.of(worker(true), worker(false));
    boolean accepted = false;
    for (Step step : order) {
      String before = step == order.get(order.size() - 1) ? places(connection, job) : "";
      Answer answer = moves.make(connection, step.move, job, actors.get(step.actor));
      ledger.note(answer);
      accepted = answer.accepted();
      if (!before.isEmpty()) {
        assertThat(places(connection, job).equals(before))
            .as("untouched by %s", answer)
            .isEqualTo(!accepted);
      }
    }
    ledger.compare(fixture, connection, job);
    execute(connection, "DELETE FROM @jobs WHERE id = " + job);
    return accepted;
  }

  private static Actor worker(boolean failsForGood) {
    Actor worker = new Actor(Optional.empty());
    worker.lease = Fixture.EXPIRED;
    worker.failsForGood = failsForGood;
    return worker;
  }

  private JobId enqueue(Connection connection) throws SQLException {
    return new JobId(
        Long.parseLong(
            read(
                connection,
                "INSERT INTO @jobs (kind, payload, max_attempts) VALUES ('work', '{}', 2) RETURNING"
                    + " id")));
  }

  /**
   * Returns the physical positions of the job's rows. A row that is written moves, even if its
   * values stay the same.
   */
  private String places(Connection connection, JobId job) throws SQLException {
    return read(
        connection,
        "SELECT ARRAY(SELECT ctid FROM @jobs WHERE id = %1$s)::text || ARRAY(SELECT ctid FROM @job_executions WHERE job_id = %1$s)::text"
            .formatted(job));
  }

  private String read(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(fixture.inSchema(sql))) {
      row.next();
      return row.getString(1);
    }
  }

  private void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(fixture.inSchema(sql));
    }
  }
}
