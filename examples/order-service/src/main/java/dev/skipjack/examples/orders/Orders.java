package dev.skipjack.examples.orders;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobEnqueuer;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Accepts orders, and uses jobs to charge them and to send reminders. Safe for any number of
 * threads.
 */
public final class Orders {

  /** The payload of both jobs. A handler reads the order from the database when it runs. */
  public record OrderNumber(String number) {}

  static final JobType<OrderNumber> CHARGE =
      JobType.of("order.charge", OrderNumber.class)
          .onQueue("orders")
          .maxAttempts(5)
          .retry(Backoff.exponential(Duration.ofMinutes(1)))
          .deadOn(CardDeclined.class);

  static final JobType<OrderNumber> REMIND =
      JobType.of("order.remind", OrderNumber.class).onQueue("orders");

  static final Duration PATIENCE = Duration.ofDays(1);

  private final DataSource dataSource;
  private final JobQueue queue;
  private final Payments payments;
  private final Mails mails;

  /** Creates a service on a database that {@link ShopSchema#migrate} has prepared. */
  public Orders(DataSource dataSource, JobQueue queue, Payments payments, Mails mails) {
    this.dataSource = dataSource;
    this.queue = queue;
    this.payments = payments;
    this.mails = mails;
  }

  /** Stores an order in a new transaction. If the call fails, it is safe to repeat. */
  public void place(Order order) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      place(connection, order);
      connection.commit();
    }
  }

  /** Stores an order and enqueues its jobs in the caller's transaction. */
  void place(Connection transaction, Order order) throws SQLException {
    try (PreparedStatement insert =
        transaction.prepareStatement(
            "INSERT INTO shop.orders (number, email, cents) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")) {
      insert.setString(1, order.number());
      insert.setString(2, order.email());
      insert.setInt(3, order.cents());
      if (insert.executeUpdate() == 0) {
        return;
      }
    }
    JobEnqueuer jobs = queue.in(transaction);
    OrderNumber payload = new OrderNumber(order.number());
    jobs.enqueue(CHARGE, payload);
    jobs.enqueue(REMIND, payload, job -> job.delay(PATIENCE));
  }

  /** Enqueues a job that reminds the customer now. */
  public JobId remind(String number) {
    return queue.enqueue(REMIND, new OrderNumber(number));
  }

  /** Returns a builder for a worker that runs up to ten jobs at once. */
  public Worker.Builder worker() {
    return Worker.on(queue)
        .handle(CHARGE, this::charge)
        .handle(REMIND, this::remind)
        .queue("orders", 10);
  }

  private Outcome charge(OrderNumber job, JobContext context)
      throws SQLException, IOException, CardDeclined {
    payments.charge(job.number(), find(job).cents());
    try (Connection connection = dataSource.getConnection();
        PreparedStatement paid =
            connection.prepareStatement(
                "UPDATE shop.orders SET paid_at = now() WHERE number = ?")) {
      connection.setAutoCommit(false);
      paid.setString(1, job.number());
      paid.executeUpdate();
      context.completeIn(connection); // throws if the lease was lost: nothing is committed
      connection.commit();
    }
    return Outcome.completed();
  }

  private Outcome remind(OrderNumber job, JobContext context) throws SQLException {
    if (isPaid(job.number())) {
      return Outcome.cancelled("order is paid");
    }
    mails.send(find(job).email(), "Your order %s is not paid yet.".formatted(job.number()));
    return Outcome.completed();
  }

  boolean isPaid(String number) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement select =
            connection.prepareStatement(
                "SELECT FROM shop.orders WHERE number = ? AND paid_at IS NOT NULL")) {
      select.setString(1, number);
      try (ResultSet row = select.executeQuery()) {
        return row.next();
      }
    }
  }

  private Order find(OrderNumber job) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement select =
            connection.prepareStatement("SELECT email, cents FROM shop.orders WHERE number = ?")) {
      select.setString(1, job.number());
      try (ResultSet row = select.executeQuery()) {
        if (!row.next()) {
          throw new IllegalStateException("No order %s".formatted(job.number()));
        }
        return new Order(job.number(), row.getString(1), row.getInt(2));
      }
    }
  }
}
