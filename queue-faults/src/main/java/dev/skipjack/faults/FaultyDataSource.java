package dev.skipjack.faults;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.function.Supplier;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A data source that fails when it is told to, wrapped around one that works.
 *
 * <pre>{@code
 * FaultyDataSource faulty = new FaultyDataSource(pool);
 * JobQueue queue = JobQueue.on(faulty);
 * faulty.cutAfterCommit(1);
 * assertThatThrownBy(() -> queue.enqueue(NOTE, note)).isInstanceOf(StoreException.class);
 * assertThat(jobs()).hasSize(1); // done, but the answer was lost
 * }</pre>
 *
 * <p>Faults are met by whatever comes next, on any thread, connections that were handed out before
 * included; of several that could strike one step, the first of those listed at {@link Step} does.
 * A transaction counts as committed when {@link Connection#commit()} is called: in auto-commit mode
 * there are statements only, and leaving it by {@link Connection#setAutoCommit} is no commit here.
 *
 * <p>Neither owns nor closes what it wraps. Safe for any number of threads.
 */
public final class FaultyDataSource implements DataSource {

  /** Where a fault can strike. */
  public enum Step {
    /** {@link DataSource#getConnection()}. */
    CONNECTION,
    /** Every {@code execute...} of a statement. */
    STATEMENT,
    /** {@link Connection#commit()}; nothing of the transaction is done. */
    COMMIT
  }

  /** What becomes of a commit. */
  public enum CommitFate {
    /** It is done and answered. */
    ANSWERED,
    /** The connection breaks before the server has it: nothing is done. */
    CUT_BEFORE,
    /** The connection breaks before the answer: all is done, and nobody was told. */
    CUT_AFTER
  }

  private static final String NO_CONNECTION = "08001";

  private final DataSource target;
  private final FaultPlan plan = new FaultPlan();
  private volatile Reach reach = Reach.WITHIN;

  private enum Reach {
    WITHIN,
    AWAY,
    EXHAUSTED
  }

  /**
   * Works until told otherwise.
   *
   * @param target a pool as a rule; one that validates connections, because faults leave broken
   *     ones behind
   */
  public FaultyDataSource(DataSource target) {
    this.target = target;
  }

  /**
   * Fails the next steps of a kind and leaves the connection as it is: a refusal of the server.
   *
   * @param times how many, in addition to those announced before; more than 0
   * @param sqlState five characters, say {@code 53300}
   */
  public void failNext(Step step, int times, String sqlState) {
    plan.failNext(step, times, sqlState);
  }

  /** Breaks the connection of the next commits before the server has them. */
  public void cutBeforeCommit(int times) {
    plan.cutNext(CommitFate.CUT_BEFORE, times);
  }

  /** Breaks the connection of the next commits after they are done and before they are answered. */
  public void cutAfterCommit(int times) {
    plan.cutNext(CommitFate.CUT_AFTER, times);
  }

  /**
   * Asks {@code fates} about each commit for which no other fault was announced; for random ones.
   *
   * @param fates called by any thread
   */
  public void decideCommits(Supplier<CommitFate> fates) {
    plan.decideCommits(fates);
  }

  /** Makes each step of a kind wait that long first; zero to make it quick again. */
  public void delay(Step step, Duration wait) {
    plan.delay(step, wait);
  }

  /**
   * Takes the database away: no new connections (08001), and those that are out break at their next
   * statement or commit (08006).
   */
  public void takeAway() {
    reach = Reach.AWAY;
  }

  /** Hands out no connections, as a pool whose connections are all taken; those out work on. */
  public void exhaust() {
    reach = Reach.EXHAUSTED;
  }

  /** Forgets all faults and delays. Connections that broke stay broken. */
  public void mend() {
    reach = Reach.WITHIN;
    plan.clear();
  }

  /** How often a step was tried, whatever became of it. */
  public long count(Step step) {
    return plan.count(step);
  }

  @Override
  public Connection getConnection() throws SQLException {
    plan.before(Step.CONNECTION);
    switch (reach) {
      case AWAY -> throw new SQLException("The database is away.", NO_CONNECTION);
      case EXHAUSTED ->
          throw new SQLTransientConnectionException("The pool has no connection left.");
      case WITHIN -> {}
    }
    return FaultyConnection.wrap(target.getConnection(), plan, () -> reach == Reach.AWAY);
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException("A pool has its user already.");
  }

  @Override
  public @Nullable PrintWriter getLogWriter() throws SQLException {
    return target.getLogWriter();
  }

  @Override
  public void setLogWriter(@Nullable PrintWriter out) throws SQLException {
    target.setLogWriter(out);
  }

  @Override
  public void setLoginTimeout(int seconds) throws SQLException {
    target.setLoginTimeout(seconds);
  }

  @Override
  public int getLoginTimeout() throws SQLException {
    return target.getLoginTimeout();
  }

  @Override
  public Logger getParentLogger() throws SQLFeatureNotSupportedException {
    return target.getParentLogger();
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return type.isInstance(this) ? type.cast(this) : target.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return type.isInstance(this) || target.isWrapperFor(type);
  }
}
