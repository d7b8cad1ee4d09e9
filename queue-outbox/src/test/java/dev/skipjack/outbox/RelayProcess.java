package dev.skipjack.outbox;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * The main class of a process with a relay that runs until it is killed. Its destination is the
 * table {@code destination}.
 */
final class RelayProcess {

  static final String READY = "ready";

  /** Printed before the first event of a batch is sent. */
  static final String SENDING = "sending";

  /** The approximate number of events in a batch. A kill may duplicate all of them. */
  static final int BATCH = 20;

  private RelayProcess() {}

  /**
   * Publishes until the process is killed.
   *
   * @param args the JDBC URL, the quoted schema, the schema, and the name of the relay
   */
  public static void main(String[] args) throws InterruptedException {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(args[0]);
    pool.setMaximumPoolSize(4);
    String insert = "INSERT INTO %sdestination (event_id, relay) VALUES (?, ?)".formatted(args[1]);
    JobQueue queue = JobQueue.builder(pool).schema(args[2]).build();
    Publisher each =
        Publisher.each(
            event -> {
              insert(pool, insert, event, args[3]);
              return PublishResult.sent();
            });
    Relay relay =
        Outbox.on(queue)
            .relay(
                batch -> {
                  System.out.println(SENDING);
                  return each.publish(batch);
                })
            .name(args[3])
            .shards(4)
            .batchSize(BATCH)
            .lease(Duration.ofMinutes(10))
            .pollInterval(Duration.ofMillis(50))
            .build();
    relay.start();
    System.out.println(READY);
    new CountDownLatch(1).await();
  }

  private static void insert(HikariDataSource pool, String sql, RecordedEvent event, String relay)
      throws SQLException {
    try (Connection connection = pool.getConnection();
        PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setObject(1, event.id());
      statement.setString(2, relay);
      statement.executeUpdate();
    }
  }
}
