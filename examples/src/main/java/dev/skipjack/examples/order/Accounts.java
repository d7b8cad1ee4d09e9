package dev.skipjack.examples.order;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.operations.BlockedKey;
import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/**
 * The bookings of an account are made in the order in which they were requested. Those of different
 * accounts are made concurrently.
 *
 * <p>What goes wrong: an account is locked, so its booking fails permanently. Its later bookings
 * wait; the other account's bookings do not. An operator unlocks the account and redrives the
 * booking.
 */
public final class Accounts {

  record Booking(String account, int cents) {}

  // snippet: ordering-key
  static final JobType<Booking> BOOK =
      JobType.of("book", Booking.class)
          .orderedBy(booking -> "account-" + booking.account())
          .maxAttempts(2)
          .retry(Backoff.fixed(Duration.ZERO));

  private void request(DataSource dataSource, List<Booking> bookings) throws SQLException {
    try (Connection transaction = dataSource.getConnection()) {
      transaction.setAutoCommit(false);
      queue.in(transaction).enqueueAll(BOOK, bookings);
      transaction.commit();
    }
  }

  private void unlockAndRedrive() {
    for (BlockedKey blocked : queue.reader().blockedKeys()) {
      out.println(blocked.orderingKey() + " is blocked, waiting: " + blocked.waiting());
      locked = "";
      queue.admin().redrive(List.of(blocked.head())); // or skip it: unblock(key, head)
    }
  }

  // end of snippet

  private final JobQueue queue;
  private final PrintStream out;
  private final Map<String, String> booked = new TreeMap<>();
  private String locked = "b";

  private Accounts(DataSource dataSource, PrintStream out) {
    this.queue = JobQueue.on(dataSource);
    this.out = out;
  }

  /**
   * Runs the example.
   *
   * @param args a JDBC URL; without one an embedded PostgreSQL is started
   */
  public static void main(String[] args) throws SQLException {
    try (ExampleDatabase database = ExampleDatabase.open(args)) {
      run(database.dataSource(), System.out);
    }
  }

  static void run(DataSource dataSource, PrintStream out) throws SQLException {
    Accounts accounts = new Accounts(dataSource, out);
    accounts.request(
        dataSource,
        List.of(
            new Booking("a", 1),
            new Booking("b", 10),
            new Booking("a", 2),
            new Booking("b", 20),
            new Booking("b", 30),
            new Booking("a", 3)));
    accounts.work();
    out.println("booked: " + accounts.booked);

    accounts.unlockAndRedrive();
    accounts.work();
    out.println("booked: " + accounts.booked);
  }

  private void work() {
    try (Worker worker =
        Worker.on(queue)
            .handle(BOOK, (booking, job) -> book(booking))
            .queue("default", 4)
            .build()) {
      worker.runUntilIdle();
    }
  }

  private Outcome book(Booking booking) {
    if (booking.account().equals(locked)) {
      throw new IllegalStateException("Account %s is locked.".formatted(locked));
    }
    booked.merge(booking.account(), "" + booking.cents(), (before, now) -> before + ", " + now);
    return Outcome.completed();
  }
}
