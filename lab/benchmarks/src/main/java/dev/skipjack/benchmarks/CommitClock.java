package dev.skipjack.benchmarks;

import java.sql.Connection;
import java.time.Instant;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Records the commit time of a transaction: the time when its connection is returned to the pool,
 * which is right after the commit. Safe for any number of threads: connections that other threads
 * borrow are ignored.
 */
public final class CommitClock {

  private final boolean first;
  private final ThreadLocal<Call> current = ThreadLocal.withInitial(Call::new);

  private CommitClock(boolean first) {
    this.first = first;
  }

  /**
   * Returns a clock for calls that commit on the first connection that they borrow. They may send a
   * wake-up on another one afterwards.
   */
  public static CommitClock ofFirstConnection() {
    return new CommitClock(true);
  }

  /**
   * Returns a clock for calls that commit on the last connection that they borrow. They may run a
   * query on another one before.
   */
  public static CommitClock ofLastConnection() {
    return new CommitClock(false);
  }

  /** Borrows a connection and commits. */
  @FunctionalInterface
  public interface Transaction {
    void run() throws Exception;
  }

  private static final class Call {
    private boolean running;
    private @Nullable Instant committed;
  }

  /**
   * Runs a transaction and returns its commit time.
   *
   * @param transaction a transaction that uses a pool returned by {@link #watch}, on the calling
   *     thread
   */
  public Instant time(Transaction transaction) throws Exception {
    Call call = current.get();
    call.committed = null;
    call.running = true;
    try {
      transaction.run();
    } finally {
      call.running = false;
    }
    return Objects.requireNonNull(call.committed, "no commit");
  }

  /** Wraps a pool to let this clock detect when connections are returned. */
  public DataSource watch(DataSource pool) {
    return Proxies.of(
        DataSource.class,
        (method, args) -> {
          Object result = method.invoke(pool, args);
          return result instanceof Connection connection ? watch(connection) : result;
        });
  }

  private Connection watch(Connection connection) {
    return Proxies.of(
        Connection.class,
        (method, args) -> {
          Object result = method.invoke(connection, args);
          if (method.getName().equals("close")) {
            returned();
          }
          return result;
        });
  }

  private void returned() {
    Call call = current.get();
    if (call.running && (!first || call.committed == null)) {
      call.committed = Instant.now();
    }
  }
}
