package dev.skipjack.demo;

import dev.skipjack.api.Outcome;
import dev.skipjack.worker.Handler;
import dev.skipjack.worker.JobContext;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Records that a delivery was handled, and completes its job in the same transaction. */
final class WebhookHandler implements Handler<WebhookJob> {

  private final DataSource dataSource;

  WebhookHandler(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  @Override
  public Outcome handle(WebhookJob job, JobContext context) throws SQLException {
    int attempt = context.attempt();
    if (job.fate().fails(attempt)) {
      String reason =
          "Attempt %d of delivery %s was chosen to fail"
              .formatted(attempt, job.delivery().delivery());
      if (job.fate().givesUp(attempt)) {
        return Outcome.dead(reason);
      }
      throw new IllegalStateException(reason);
    }
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      DemoDatabase.on(connection)
          .execute(
              "INSERT INTO skipjack_demo.effects (delivery, job_id) VALUES (?, ?)",
              job.delivery().delivery(),
              context.jobId().value());
      context.completeIn(connection);
      connection.commit();
    }
    return Outcome.completed();
  }
}
