package dev.skipjack.examples.plainjdbc;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * Stores an order and enqueues the job that sends its receipt, in one plain JDBC transaction.
 *
 * <p>What goes wrong: the database refuses an order, and no receipt is sent for it.
 */
public final class Receipts {

  // snippet: plain-jdbc
  record SendReceipt(long orderId) {}

  static final JobType<SendReceipt> SEND_RECEIPT = JobType.of("send-receipt", SendReceipt.class);

  /** The order and its job commit together, or neither does. */
  static JobId placeOrder(DataSource dataSource, JobQueue queue, String article)
      throws SQLException {
    // Closing a connection of the pool rolls back what is not committed.
    try (Connection connection = dataSource.getConnection();
        PreparedStatement insert =
            connection.prepareStatement("INSERT INTO orders (article) VALUES (?) RETURNING id")) {
      connection.setAutoCommit(false);
      insert.setString(1, article);
      try (ResultSet order = insert.executeQuery()) {
        order.next();
        SendReceipt receipt = new SendReceipt(order.getLong("id"));
        JobId job = queue.in(connection).enqueue(SEND_RECEIPT, receipt);
        connection.commit();
        return job;
      }
    }
  }

  static Worker worker(JobQueue queue, PrintStream out) {
    return Worker.on(queue)
        .handle(
            SEND_RECEIPT,
            (receipt, context) -> {
              out.println("receipt for order " + receipt.orderId());
              return Outcome.completed();
            })
        .queue("default", 5)
        .build();
  }

  // end of snippet

  private Receipts() {}

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
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE IF NOT EXISTS orders (id bigint GENERATED ALWAYS AS IDENTITY, article text NOT NULL CHECK (article <> ''))");
    }
    JobQueue queue = JobQueue.on(dataSource);
    out.println("job " + placeOrder(dataSource, queue, "lamp"));
    try {
      placeOrder(dataSource, queue, "");
    } catch (SQLException refused) {
      out.println("order refused, SQLSTATE " + refused.getSQLState());
    }
    try (Worker worker = worker(queue, out)) {
      out.println("jobs run: " + worker.runUntilIdle());
    }
  }
}
