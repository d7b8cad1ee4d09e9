package dev.skipjack.store.jooq;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.Future;
import javax.sql.DataSource;

/**
 * Stops a write between its snapshot and its first lock, so that other sessions can change what the
 * snapshot shows.
 *
 * <p>A trigger FOR EACH STATEMENT fires when the statement has its snapshot but has not read any
 * row. In the session that must stop, the trigger waits for an advisory lock that the test holds.
 * The statement keeps the store's text and plan.
 */
final class Gate implements AutoCloseable {

  private static final long LOCK = 4711;

  /** A role that every server has, and to which policies apply. */
  private static final String PASSER = "pg_write_all_data";

  private static final String STOP = "SET skipjack.stops = 'yes'";

  private static final List<String> REMOVAL =
      List.of(
          "DROP POLICY IF EXISTS gate ON @jobs",
          "ALTER TABLE @jobs DISABLE ROW LEVEL SECURITY",
          "DROP TRIGGER IF EXISTS gate ON @jobs",
          "DROP FUNCTION IF EXISTS @wait_at_gate(), @pass_gate()");

  private final Fixture fixture;
  private final Rival keeper;
  private boolean shut;

  Gate(Fixture fixture) throws SQLException {
    this.fixture = fixture;
    this.keeper = new Rival(fixture.database);
    for (String sql : REMOVAL) {
      fixture.execute(sql); // an earlier test may have failed to remove its gate
    }
    fixture.execute(
        """
        CREATE FUNCTION @wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF current_setting('skipjack.stops', true) = 'yes' THEN
            PERFORM pg_advisory_lock_shared(%1$d);
            PERFORM pg_advisory_unlock_shared(%1$d);
          END IF;
          RETURN NULL;
        END $$\
        """
            .formatted(LOCK));
    fixture.execute(
        """
        CREATE FUNCTION @pass_gate() RETURNS boolean LANGUAGE plpgsql AS $$
        BEGIN
          PERFORM pg_advisory_lock_shared(%1$d);
          RETURN pg_advisory_unlock_shared(%1$d);
        END $$\
        """
            .formatted(LOCK));
    fixture.execute("GRANT SELECT ON @jobs, @jobs_archive, @job_queues TO " + PASSER);
    fixture.execute("ALTER TABLE @jobs ENABLE ROW LEVEL SECURITY");
    fixture.execute("CREATE POLICY gate ON @jobs USING (@pass_gate())");
    fixture.execute(
        "CREATE TRIGGER gate BEFORE UPDATE OR DELETE ON @jobs FOR EACH STATEMENT EXECUTE FUNCTION"
            + " @wait_at_gate()");
  }

  /** Makes later writes of {@code rival} to jobs stop while the gate is shut. */
  void stops(Rival rival) throws SQLException {
    rival.execute("RESET ROLE");
    rival.execute(STOP);
  }

  /**
   * Like {@link #stops}, but stops at the first row that a statement reads, for statements that
   * lock rows before they write. It uses a row-level security policy, so the plan has one more
   * condition.
   */
  void stopsAtRows(Rival rival) throws SQLException {
    rival.execute("RESET skipjack.stops");
    rival.execute("SET ROLE " + PASSER);
  }

  /**
   * Like {@link #stops}, for the only connection of a pool.
   *
   * @return the session
   */
  int stopsTheOneOf(DataSource pool) throws SQLException {
    return change(pool, STOP);
  }

  /** Like {@link #stopsAtRows}, for the only connection of a pool. Returns the session. */
  int stopsTheOneOfAtRows(DataSource pool) throws SQLException {
    return change(pool, "SET ROLE " + PASSER);
  }

  private static int change(DataSource pool, String setting) throws SQLException {
    try (Connection connection = pool.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(setting);
      return Rival.pidOf(connection);
    }
  }

  void shut() throws SQLException {
    keeper.execute("SELECT pg_advisory_lock(" + LOCK + ")");
    shut = true;
  }

  void open() throws SQLException {
    if (shut) {
      shut = false;
      keeper.execute("SELECT pg_advisory_unlock(" + LOCK + ")");
    }
  }

  /** Starts {@code work} and returns once it has stopped at the shut gate. */
  <R> Future<R> sendTo(Rival rival, Rival.Work<R> work) {
    Future<R> sent = rival.start(work);
    awaitArrival(sent, rival.pid());
    return sent;
  }

  /** Returns once the session that does {@code work} has stopped at the shut gate. */
  void awaitArrival(Future<?> work, int session) {
    if (keeper.seesEndOf(work, session)) {
      throw new AssertionError("Did not stop at the gate: " + work);
    }
  }

  /** Returns whether {@code work} ends without waiting for another session. */
  boolean seesEndOf(Future<?> work, Rival rival) {
    return keeper.seesEndOf(work, rival.pid());
  }

  /**
   * Removes the gate. Fails after ten seconds if a transaction keeps the table locked, so that a
   * failed assertion that has left it open is still reported.
   */
  @Override
  public void close() throws SQLException {
    try (keeper) {
      open();
      keeper.execute("SET lock_timeout = '10s'");
      for (String sql : REMOVAL) {
        keeper.execute(fixture.inSchema(sql));
      }
    }
  }
}
