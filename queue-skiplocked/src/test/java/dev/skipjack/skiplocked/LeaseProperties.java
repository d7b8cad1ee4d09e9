package dev.skipjack.skiplocked;

import static dev.skipjack.skiplocked.Fixture.HELD_SEATS;
import static dev.skipjack.skiplocked.Fixture.LEASE;
import static dev.skipjack.skiplocked.Seat.SEAT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.skiplocked.ClaimResult.Shortage;
import dev.skipjack.skiplocked.LeaseModel.State;
import dev.skipjack.skiplocked.Seat.SeatRecord;
import dev.skipjack.testkit.QueueDatabase;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
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
import org.jooq.DSLContext;

/**
 * Three sessions claim, extend, release and complete five seats in any order, while leases expire
 * and transactions commit or roll back. Each result, and the committed table after each step, must
 * match an in-memory model, in which no seat has two holders and no stale lease changes anything.
 */
class LeaseProperties {

  private static final int SEATS = 5;

  /** The events that must occur in at least one walk, so that the test covers them. */
  private static final List<String> MUST_HAPPEN =
      List.of(
          "claimed",
          "claimed after expiry",
          "claimed less than the limit",
          "claimed exactly",
          "shortage",
          "extended",
          "extended nothing",
          "released",
          "completed",
          "completion refused",
          "rolled back");

  private static final QueueDatabase DATABASE = QueueDatabase.create();
  private static final Fixture FIXTURE = new Fixture(DATABASE);
  private static final List<Session> SESSIONS =
      List.of(FIXTURE.session(), FIXTURE.session(), FIXTURE.session());

  enum Action {
    CLAIM,
    CLAIM_EXACTLY,
    EXTEND,
    RELEASE,
    COMPLETE,
    EXPIRE,
    COMMIT,
    ROLLBACK
  }

  record Step(Action action, int session, int number) {}

  private record Held(int session, RowLease<SeatRecord> lease) {

    List<Integer> seats() {
      return lease.rows().stream().map(seat -> seat.get(SEAT.NUMBER)).toList();
    }
  }

  /** Waits for a walk that jqwik left running when it gave up shrinking a failure. */
  @AfterContainer
  static void close() throws SQLException {
    synchronized (FIXTURE) {
      for (Session session : SESSIONS) {
        session.close();
      }
      DATABASE.close();
    }
  }

  @Provide
  Arbitrary<List<Step>> walks() {
    Arbitrary<Action> actions =
        Arbitraries.frequencyOf(
            Tuple.of(4, Arbitraries.just(Action.CLAIM)),
            Tuple.of(2, Arbitraries.just(Action.CLAIM_EXACTLY)),
            Tuple.of(2, Arbitraries.just(Action.EXTEND)),
            Tuple.of(2, Arbitraries.just(Action.RELEASE)),
            Tuple.of(2, Arbitraries.just(Action.COMPLETE)),
            Tuple.of(5, Arbitraries.just(Action.EXPIRE)),
            Tuple.of(5, Arbitraries.just(Action.COMMIT)),
            Tuple.of(1, Arbitraries.just(Action.ROLLBACK)));
    return Combinators.combine(
            actions, Arbitraries.integers().between(0, 2), Arbitraries.integers().between(1, SEATS))
        .as(Step::new)
        .list()
        .ofMinSize(20)
        .ofMaxSize(60);
  }

  @Property(tries = 30, edgeCases = EdgeCasesMode.NONE)
  @StatisticsReport(StatisticsReport.StatisticsReportMode.OFF)
  void theSeatsMatchTheModel(@ForAll("walks") List<Step> steps) throws SQLException {
    Set<String> seen = new HashSet<>();
    synchronized (FIXTURE) {
      try (Walk walk = new Walk(seen)) {
        for (Step step : steps) {
          walk.take(step);
        }
      }
    }
    seen.forEach(Statistics::collect);
    Statistics.coverage(
        coverage -> MUST_HAPPEN.forEach(event -> coverage.check(event).count(n -> n > 0)));
  }

  /** One run of the steps against the database and the model. */
  private static final class Walk implements AutoCloseable {

    private final Set<String> seen;
    private final List<Held> leases = new ArrayList<>();
    private final LeaseModel model = new LeaseModel(SEATS, SESSIONS.size());

    Walk(Set<String> seen) {
      this.seen = seen;
      FIXTURE.db.deleteFrom(SEAT).execute();
      FIXTURE.seats("A", SEATS);
    }

    void take(Step step) throws SQLException {
      switch (step.action()) {
        case CLAIM -> claim(step.session(), step.number());
        case CLAIM_EXACTLY -> claimExactly(step.session(), step.number());
        case EXTEND, RELEASE, COMPLETE -> write(step);
        case EXPIRE -> expire(step.number());
        case COMMIT -> {
          SESSIONS.get(step.session()).commit();
          model.commit(step.session());
        }
        case ROLLBACK -> {
          SESSIONS.get(step.session()).rollback();
          if (model.hasWritten(step.session())) {
            seen.add("rolled back");
          }
          model.rollback(step.session());
        }
      }
      assertThat(committed()).as("after %s", step).isEqualTo(model.committed);
    }

    private void claim(int session, int limit) {
      List<Integer> expected = model.free(session, limit);
      RowLease<SeatRecord> lease = HELD_SEATS.claimUpTo(SESSIONS.get(session).tx, limit);
      claimed(session, lease, expected);
      seen.add(expected.size() < limit ? "claimed less than the limit" : "claimed");
    }

    private void claimExactly(int session, int number) {
      List<Integer> expected = model.free(session, number);
      ClaimResult<RowLease<SeatRecord>> result =
          HELD_SEATS.claimExactly(SESSIONS.get(session).tx, number);
      if (expected.size() < number) {
        assertThat(result).isEqualTo(new Shortage<>(number, expected.size()));
        seen.add("shortage");
      } else {
        claimed(session, result.orElseThrow(few -> new AssertionError(few)), expected);
        seen.add("claimed exactly");
      }
    }

    private void claimed(int session, RowLease<SeatRecord> lease, List<Integer> expected) {
      Held held = new Held(session, lease);
      assertThat(held.seats()).isEqualTo(expected);
      if (expected.stream()
          .anyMatch(seat -> model.committed.getOrDefault(seat, State.FREE).expired())) {
        seen.add("claimed after expiry");
      }
      model.write(session, expected, new State(lease.token(), false, false));
      leases.add(held);
    }

    /** Uses one of the leases, in the session that claimed it. */
    private void write(Step step) {
      if (leases.isEmpty()) {
        return;
      }
      Held held = leases.get((step.number() * 7 + step.session()) % leases.size());
      int session = held.session();
      // The statement would wait for the other session, whose transaction only this thread can end.
      if (held.seats().stream().anyMatch(seat -> model.isLockedByAnother(session, seat))) {
        return;
      }
      RowLease<SeatRecord> lease = held.lease();
      List<Integer> expected = model.held(session, held.seats(), lease.token());
      DSLContext tx = SESSIONS.get(session).tx;
      if (step.action() == Action.EXTEND) {
        Held extended = new Held(session, lease.extend(tx, LEASE));
        assertThat(extended.seats()).isEqualTo(expected);
        model.write(session, expected, new State(lease.token(), false, false));
        seen.add(expected.isEmpty() ? "extended nothing" : "extended");
      } else if (step.action() == Action.RELEASE) {
        assertThat(lease.release(tx)).isEqualTo(expected.size());
        model.write(session, expected, State.FREE);
        seen.add("released");
      } else {
        complete(session, held, expected);
      }
    }

    private void complete(int session, Held held, List<Integer> expected) {
      try {
        held.lease().complete(SESSIONS.get(session).tx, update -> update.set(SEAT.STATUS, "sold"));
        assertThat(expected).isEqualTo(held.seats());
        model.write(session, expected, new State(null, false, true));
        seen.add("completed");
      } catch (RowLeaseLostException lost) {
        assertThat(lost.lost()).hasSize(held.seats().size() - expected.size());
        model.lock(session, expected);
        seen.add("completion refused");
      }
    }

    private void expire(int seat) {
      if (!model.isLockedByAnother(-1, seat)) {
        FIXTURE.db.execute(
            "UPDATE seat SET held_until = '2000-01-01' WHERE number = ? AND held_by IS NOT NULL",
            seat);
        model.expire(seat);
      }
    }

    private Map<Integer, State> committed() {
      Map<Integer, State> seats = new TreeMap<>();
      FIXTURE
          .db
          .selectFrom(SEAT)
          .forEach(
              seat ->
                  seats.put(
                      seat.get(SEAT.NUMBER),
                      new State(
                          seat.get(SEAT.HELD_BY),
                          seat.get(SEAT.HELD_BY) != null
                              && seat.get(SEAT.HELD_UNTIL).toInstant().isBefore(Instant.now()),
                          seat.get(SEAT.STATUS).equals("sold"))));
      return seats;
    }

    @Override
    public void close() throws SQLException {
      for (Session session : SESSIONS) {
        session.rollback();
      }
    }
  }
}
