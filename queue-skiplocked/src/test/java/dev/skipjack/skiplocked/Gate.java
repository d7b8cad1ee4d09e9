package dev.skipjack.skiplocked;

import java.util.concurrent.Future;
import java.util.function.Function;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/**
 * Stops a claim after its snapshot and before its first lock: a condition of the claim waits for an
 * advisory lock that the test holds.
 */
final class Gate {

  private static final long LOCK = 4711;

  /** True for every row, once the gate is open. */
  static final Condition PASSED = DSL.condition("pass_gate()");

  private final Session keeper;

  Gate(Fixture fixture, Session keeper) {
    this.keeper = keeper;
    fixture.db.execute(
        """
        CREATE OR REPLACE FUNCTION pass_gate() RETURNS boolean LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM pg_advisory_lock_shared(%1$d);
          RETURN pg_advisory_unlock_shared(%1$d);
        END $$\
        """
            .formatted(LOCK));
  }

  /** Starts {@code claim} and returns once it has stopped before its first lock. */
  <T> Future<T> stop(Session session, Function<DSLContext, T> claim) {
    keeper.tx.fetch("SELECT pg_advisory_lock(?)", LOCK);
    Future<T> stopped = session.start(claim);
    session.awaitWaiting(keeper.tx);
    return stopped;
  }

  void open() {
    keeper.tx.fetch("SELECT pg_advisory_unlock(?)", LOCK);
  }
}
