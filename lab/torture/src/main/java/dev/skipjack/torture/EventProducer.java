package dev.skipjack.torture;

import dev.skipjack.api.StoreException;
import dev.skipjack.outbox.EventRecorder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import javax.sql.DataSource;

/**
 * Changes aggregates and records an event of each change in the same transaction. The transactions
 * commit late, and a tenth of them rolls back. Safe for any number of threads, which share the
 * transactions.
 */
final class EventProducer {

  /** One in this number of transactions rolls back. */
  private static final int ROLLED_BACK = 10;

  /** One in this number of events is poison. */
  private static final int POISON = 50;

  /** One in this number of events has a slow destination. */
  private static final int SLOW = 10;

  /** An operator acts after one in this number of transactions. */
  private static final int OPERATED = 20;

  /**
   * Lets a transaction stay idle for the longest delay, which is longer than the session's setting
   * allows. A statement that waits too long for a lock fails before the socket's timeout.
   */
  private static final String TIMEOUTS =
      "SET LOCAL idle_in_transaction_session_timeout = '10s'; SET LOCAL lock_timeout = '1500ms'";

  /** Locks the aggregate, which decides the order of its changes. */
  private static final String CHANGE =
      "UPDATE %s.torture_aggregates SET changes = changes + 1 WHERE id = ? RETURNING changes";

  private static final String NOTE = "INSERT INTO %s.torture_changes VALUES (?, ?, ?, ?)";

  private final Function<Connection, EventRecorder> outbox;
  private final EventOperator operator;
  private final DataSource dataSource;
  private final String schema;
  private final HistoryFile history;
  private final String name;
  private final long seed;
  private final int maxDelayMillis;
  private final AtomicLong next;

  /**
   * @param outbox returns a recorder that uses the transaction of a connection
   * @param name the name of the process
   * @param from number of the first transaction
   */
  EventProducer(
      Function<Connection, EventRecorder> outbox,
      EventOperator operator,
      DataSource dataSource,
      String schema,
      HistoryFile history,
      String name,
      long seed,
      Duration maxDelay,
      long from) {
    this.outbox = outbox;
    this.operator = operator;
    this.dataSource = dataSource;
    this.schema = schema;
    this.history = history;
    this.name = name;
    this.seed = seed;
    this.maxDelayMillis = (int) maxDelay.toMillis();
    this.next = new AtomicLong(from);
  }

  /**
   * Runs the remaining transactions.
   *
   * @param transactions the number of the last transaction
   * @param start a value of {@link System#nanoTime()} at which transaction 0 is due
   * @param gap the scheduled time between two transactions
   */
  void produce(long transactions, long start, Duration gap) throws InterruptedException {
    for (long n = next.getAndIncrement(); n < transactions; n = next.getAndIncrement()) {
      TimeUnit.NANOSECONDS.sleep(start + gap.toNanos() * n - System.nanoTime());
      transaction(new SplittableRandom(seed * 31 + name.hashCode() + n * 1_000_003));
      if (n % OPERATED == 0) {
        operator.unblockAggregates();
      }
    }
  }

  private void transaction(SplittableRandom random) throws InterruptedException {
    int aggregate =
        random.nextInt(SLOW) == 0
            ? Change.AGGREGATES + 1 + random.nextInt(Change.SLOW_AGGREGATES)
            : 1 + random.nextInt(Change.AGGREGATES);
    boolean poison = random.nextInt(POISON) == 0;
    boolean rollsBack = random.nextInt(ROLLED_BACK) == 0;
    int delay = random.nextInt(maxDelayMillis + 1);
    String event = Event.NONE;
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      try (Statement timeouts = connection.createStatement()) {
        timeouts.execute(TIMEOUTS);
      }
      Change change = new Change(aggregate, change(connection, aggregate), poison);
      UUID id = outbox.apply(connection).record(event(change));
      note(connection, id, change);
      event = id.toString();
      history.write(EventType.EVENT_RECORDED, event, 0, 0, change.text());
      Thread.sleep(delay);
      if (rollsBack) {
        connection.rollback();
        history.write(EventType.EVENT_ROLLED_BACK, event, 0, 0, "");
      } else {
        connection.commit();
        history.write(EventType.EVENT_COMMITTED, event, 0, 0, "");
      }
    } catch (SQLException | StoreException failure) {
      history.write(EventType.UNKNOWN, event, 0, 0, String.valueOf(failure));
    }
  }

  private long change(Connection connection, int aggregate) throws SQLException {
    try (PreparedStatement update = connection.prepareStatement(CHANGE.formatted(schema))) {
      update.setInt(1, aggregate);
      try (ResultSet row = update.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }

  private void note(Connection connection, UUID event, Change change) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(NOTE.formatted(schema))) {
      insert.setObject(1, event);
      insert.setInt(2, change.aggregate());
      insert.setLong(3, change.number());
      insert.setBoolean(4, change.isPoison());
      insert.execute();
    }
  }

  private static dev.skipjack.outbox.Event event(Change change) {
    return dev.skipjack.outbox.Event.of(Change.AGGREGATE_TYPE, change.aggregate(), "changed")
        .payload(change.text().getBytes(StandardCharsets.UTF_8), "text/plain");
  }
}
