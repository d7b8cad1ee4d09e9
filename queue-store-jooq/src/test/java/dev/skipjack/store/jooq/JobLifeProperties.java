package dev.skipjack.store.jooq;

import dev.skipjack.store.jooq.WalkStep.Move;
import dev.skipjack.testkit.QueueDatabase;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.statistics.Statistics;
import net.jqwik.api.statistics.StatisticsReport;

/**
 * Tests that the database matches an in-memory model after any sequence of steps. In the model, no
 * job is lost or completed twice, and a stale execution changes nothing. The audit has a row for
 * each attempt, no job uses more attempts than its maximum, and every status change is in the state
 * diagram.
 *
 * <p>With {@code -Dskipjack.soak=true}, each try consists of ten walks.
 */
class JobLifeProperties {

  private static final int WALKS = Boolean.getBoolean("skipjack.soak") ? 10 : 1;

  /** The results that must occur in some walk, so that each kind of step is tested. */
  private static final List<String> TO_BE_MET =
      List.of(
          "Verdict DONE",
          "Verdict LOST",
          "Verdict BUSY",
          "Renewal Renewal[verdict=DONE, cancelRequested=false, jobIsLive=true, heldBy=null]",
          "Renewal Renewal[verdict=DONE, cancelRequested=true, jobIsLive=true, heldBy=null]",
          "Renewal Renewal[verdict=LOST, cancelRequested=false, jobIsLive=true, heldBy=null]",
          "Ended Ended[verdict=DONE, status=PENDING]",
          "Ended Ended[verdict=DONE, status=DEAD]",
          "Ended Ended[verdict=DONE, status=CANCELLED]",
          "Ended Ended[verdict=LOST, status=null]",
          "Ended Ended[verdict=BUSY, status=null]",
          "rescued to PENDING",
          "rescued to DEAD",
          "rescued to CANCELLED",
          "CancelResult CANCELLED",
          "CancelResult REQUESTED",
          "CancelResult DEAD",
          "CancelResult GONE",
          "ended with data as COMPLETED",
          "ended with data as CANCELLED",
          "Redriven Redriven[]",
          "Conflict Conflict[holder=]",
          "NotDead NotDead[]",
          "Gone Gone[]",
          "EditResult EDITED",
          "EditResult NOT_PENDING",
          "EditResult GONE",
          "PruneResult PRUNED",
          "PruneResult NOT_DEAD",
          "PruneResult GONE");

  private static final QueueDatabase DATABASE = QueueDatabase.create();
  private static final Fixture FIXTURE = new Fixture(DATABASE);

  /** Waits for a walk that jqwik left running when it stopped shrinking a failure. */
  @AfterContainer
  static void close() {
    synchronized (FIXTURE) {
      DATABASE.close();
    }
  }

  @Property(tries = 80, edgeCases = EdgeCasesMode.NONE)
  @StatisticsReport(StatisticsReport.StatisticsReportMode.OFF)
  void databaseMatchesTheModel(@ForAll("walks") List<List<WalkStep>> walks) throws SQLException {
    Set<String> seen = new HashSet<>();
    for (List<WalkStep> steps : walks) {
      synchronized (FIXTURE) {
        try (JobWalk walk = new JobWalk(FIXTURE, seen)) {
          walk.go(steps);
        }
      }
    }
    seen.forEach(Statistics::collect);
    Statistics.coverage(
        met -> TO_BE_MET.forEach(answer -> met.check(answer).count(times -> times > 0)));
  }

  @Provide
  Arbitrary<List<List<WalkStep>>> walks() {
    Arbitrary<Move> moves =
        Arbitraries.frequency(
            Tuple.of(5, Move.ENQUEUE),
            Tuple.of(2, Move.ENQUEUE_IN_TRANSACTION),
            Tuple.of(3, Move.ENQUEUE_ONCE),
            Tuple.of(10, Move.ENQUEUE_UNIQUE),
            Tuple.of(24, Move.CLAIM),
            Tuple.of(6, Move.HEARTBEAT),
            Tuple.of(5, Move.COMPLETE),
            Tuple.of(2, Move.COMPLETE_IN),
            Tuple.of(2, Move.END_WITH_DATA),
            Tuple.of(2, Move.PROGRESS),
            Tuple.of(12, Move.FAIL),
            Tuple.of(5, Move.REQUEUE),
            Tuple.of(8, Move.RESCUE),
            Tuple.of(5, Move.CANCEL),
            Tuple.of(7, Move.REDRIVE),
            Tuple.of(4, Move.EDIT),
            Tuple.of(3, Move.PRUNE),
            Tuple.of(2, Move.PAUSE),
            Tuple.of(7, Move.HOLD));
    Arbitrary<Integer> any = Arbitraries.integers().between(0, 999);
    return Combinators.combine(moves, any, any, any)
        .as(WalkStep::new)
        .list()
        .ofMinSize(40)
        .ofMaxSize(100)
        .list()
        .ofSize(WALKS);
  }
}
