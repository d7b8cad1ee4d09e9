package dev.skipjack.outbox;

import static dev.skipjack.outbox.Fixture.event;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

/**
 * Records events in transactions of which some commit late and some roll back. It numbers the
 * committed events of each aggregate, so that a test can check what arrived. Thread-safe.
 */
final class OrderedProducer {

  private static final int LONGEST_DELAY = 200;

  private final Fixture fixture;
  private final int aggregates;
  private final Set<UUID> committed = Collections.synchronizedSet(new HashSet<>());
  private final Map<UUID, Integer> numbers = Collections.synchronizedMap(new HashMap<>());
  private final Map<UUID, Integer> aggregateOf = Collections.synchronizedMap(new HashMap<>());

  /** Creates a producer and the table of its aggregates, which {@link #dropTable} drops. */
  OrderedProducer(Fixture fixture, int aggregates) {
    this.fixture = fixture;
    this.aggregates = aggregates;
    fixture.execute("CREATE TABLE @aggregates (id integer PRIMARY KEY, events integer NOT NULL)");
    fixture.execute(
        "INSERT INTO @aggregates SELECT n, 0 FROM generate_series(0, %d) AS n"
            .formatted(aggregates - 1));
  }

  void dropTable() {
    fixture.execute("DROP TABLE @aggregates");
  }

  /** Runs transactions, each of which records an event. */
  void run(Random random, int transactions) throws SQLException, InterruptedException {
    for (int i = 0; i < transactions; i++) {
      try (Connection connection = fixture.database.connection()) {
        connection.setAutoCommit(false);
        int aggregate = random.nextInt(aggregates);
        int number = nextNumber(connection, aggregate);
        UUID id = fixture.outbox.in(connection).record(event(aggregate, "changed"));
        numbers.put(id, number);
        aggregateOf.put(id, aggregate);
        if (random.nextInt(10) == 0) {
          // This transaction stays open while later ones commit and are published.
          Thread.sleep(random.nextInt(LONGEST_DELAY));
        }
        if (random.nextInt(10) == 0) {
          connection.rollback();
        } else {
          connection.commit();
          committed.add(id);
        }
      }
    }
  }

  /** Counts an event of an aggregate. The lock on the aggregate's row decides the order. */
  private int nextNumber(Connection connection, int aggregate) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            fixture.inSchema(
                "UPDATE @aggregates SET events = events + 1 WHERE id = ? RETURNING events"))) {
      update.setInt(1, aggregate);
      try (ResultSet row = update.executeQuery()) {
        row.next();
        return row.getInt(1);
      }
    }
  }

  /** Returns the ids of the events whose transactions have committed. */
  Set<UUID> committed() {
    synchronized (committed) {
      return Set.copyOf(committed);
    }
  }

  /**
   * Returns the first copy that breaks the order of its aggregate, or an empty text if there is
   * none.
   *
   * @param arrived the ids in the order of their arrival, with duplicates
   */
  String firstOutOfOrder(List<UUID> arrived) {
    Map<Integer, Integer> last = new HashMap<>();
    Set<UUID> seen = new HashSet<>();
    for (UUID id : arrived) {
      if (seen.add(id)) {
        int aggregate = aggregateOf.getOrDefault(id, -1);
        int number = numbers.getOrDefault(id, -1);
        int expected = last.getOrDefault(aggregate, 0) + 1;
        if (number != expected) {
          return "event %d of aggregate %d arrived instead of %d"
              .formatted(number, aggregate, expected);
        }
        last.put(aggregate, number);
      }
    }
    return "";
  }
}
