package dev.skipjack.demo;

import dev.skipjack.api.Outcome;
import dev.skipjack.worker.Handler;
import dev.skipjack.worker.JobContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.UUID;
import javax.sql.DataSource;

/** Records that a delivery was handled, and completes its job in the same transaction. */
record WebhookHandler(DataSource dataSource) implements Handler<WebhookJob> {

  @Override
  public Outcome handle(WebhookJob job, JobContext context) throws SQLException {
    int attempt = context.attempt();
    UUID delivery = job.delivery().delivery();
    if (job.fate().fails(attempt)) {
      String reason = "Attempt %d of delivery %s was chosen to fail".formatted(attempt, delivery);
      if (attempt >= Fate.LAST_ATTEMPT) {
        return Outcome.dead(reason);
      }
      throw new IllegalStateException(reason);
    }
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      DemoDatabase.on(connection)
          .execute(
              "INSERT INTO skipjack_demo.effects (delivery, job_id) VALUES (?, ?)",
              delivery,
              context.jobId().value());
      context.completeIn(connection);
      connection.commit();
    }
    return Outcome.completed();
  }
}
