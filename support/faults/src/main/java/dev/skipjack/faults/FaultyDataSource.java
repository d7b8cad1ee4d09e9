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
 * Wraps a data source and makes it fail on request.
 *
 * <pre>{@code
 * FaultyDataSource faulty = new FaultyDataSource(pool);
 * JobQueue queue = JobQueue.on(faulty);
 * faulty.cutAfterCommit(1);
 * assertThatThrownBy(() -> queue.enqueue(NOTE, note)).isInstanceOf(StoreException.class);
 * assertThat(jobs()).hasSize(1); // committed, but the acknowledgement was lost
 * }</pre>
 *
 * <p>A fault hits the next matching step on any thread, including steps on connections that were
 * borrowed before. If a call matches several steps with faults, for example because it executes
 * COMMIT, the fault of the step that is listed first in {@link Step} happens. A call counts as a
 * commit if it is {@link Connection#commit()}, runs SQL that ends with {@code ; COMMIT}, or runs a
 * statement that writes in auto-commit mode. {@link Connection#setAutoCommit} does not count as a
 * commit.
 *
 * <p>Does not close the wrapped data source. Safe for any number of threads.
 */
public final class FaultyDataSource implements DataSource {

  /** The steps at which a fault can happen. */
  public enum Step {
    /** {@link DataSource#getConnection()}. */
    CONNECTION,
    /** Any {@code execute...} method of a statement. */
    STATEMENT,
    /** A call that counts as a commit. If it fails here, the transaction is not committed. */
    COMMIT
  }

  /** The outcome of a commit. */
  public enum CommitFate {
    /** It is committed and acknowledged. */
    ACKNOWLEDGED,
    /** The connection breaks before the commit reaches the server: nothing is committed. */
    CUT_BEFORE,
    /**
     * The connection breaks after the commit, and before its acknowledgement reaches the client.
     */
    CUT_AFTER
  }

  private static final String NO_CONNECTION = "08001";

  private final DataSource target;
  private final FaultPlan plan = new FaultPlan();
  private volatile Reach reach = Reach.REACHABLE;

  private enum Reach {
    REACHABLE,
    UNAVAILABLE,
    EXHAUSTED
  }

  /**
   * Creates a data source without faults.
   *
   * @param target usually a pool; it must validate connections, because faults leave broken ones
   *     behind
   */
  public FaultyDataSource(DataSource target) {
    this.target = target;
  }

  /**
   * Fails the next steps of a kind without breaking the connection, as if the server reported an
   * error.
   *
   * @param step the kind of step
   * @param times the number of steps to fail, in addition to those requested by earlier calls;
   *     positive
   * @param sqlState five characters, for example {@code 53300}
   */
  public void failNext(Step step, int times, String sqlState) {
    plan.failNext(step, times, sqlState);
  }

  /**
   * Breaks the connection of the next commits before they reach the server.
   *
   * @param times the number of commits, in addition to those requested by earlier calls; positive
   */
  public void cutBeforeCommit(int times) {
    plan.cutNext(CommitFate.CUT_BEFORE, times);
  }

  /**
   * Breaks the connection of the next commits after they are committed and before they are
   * acknowledged.
   *
   * @param times the number of commits, in addition to those requested by earlier calls; positive
   */
  public void cutAfterCommit(int times) {
    plan.cutNext(CommitFate.CUT_AFTER, times);
  }

  /**
   * Calls {@code fates} for each commit to which no requested fault applies. Use this method for
   * random faults.
   *
   * @param fates may be called by any thread
   */
  public void decideCommits(Supplier<CommitFate> fates) {
    plan.decideCommits(fates);
  }

  /**
   * Delays each step of a kind; zero removes the delay.
   *
   * @param step the kind of step
   * @param wait the duration
   */
  public void delay(Step step, Duration wait) {
    plan.delay(step, wait);
  }

  /**
   * Makes the database unavailable: new connections fail (08001), and connections that were
   * borrowed before break at their next statement or commit (08006).
   */
  public void makeUnavailable() {
    reach = Reach.UNAVAILABLE;
  }

  /**
   * Refuses new connections, like an exhausted pool. Connections that were borrowed before continue
   * to work.
   */
  public void exhaust() {
    reach = Reach.EXHAUSTED;
  }

  /** Removes all faults and delays. Broken connections stay broken. */
  public void reset() {
    reach = Reach.REACHABLE;
    plan.clear();
  }

  /**
   * {@return the number of times a step was tried, whether or not it failed}
   *
   * @param step the kind of step
   */
  public long count(Step step) {
    return plan.count(step);
  }

  @Override
  public Connection getConnection() throws SQLException {
    plan.before(Step.CONNECTION);
    switch (reach) {
      case UNAVAILABLE -> throw new SQLException("The database is unavailable.", NO_CONNECTION);
      case EXHAUSTED ->
          throw new SQLTransientConnectionException("The pool has no connection left.");
      case REACHABLE -> {}
    }
    return FaultyConnection.wrap(target.getConnection(), plan, () -> reach == Reach.UNAVAILABLE);
  }

  @Override
  public Connection getConnection(String user, String password) throws SQLException {
    throw new SQLFeatureNotSupportedException("The user of a pool is fixed.");
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
