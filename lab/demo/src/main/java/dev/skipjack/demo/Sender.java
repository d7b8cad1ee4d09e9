package dev.skipjack.demo;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.PayloadException;
import dev.skipjack.dedup.Unique;
import dev.skipjack.dedup.UniqueJobs;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import javax.sql.DataSource;
import org.jooq.DSLContext;

/**
 * The service's endpoint. It receives one delivery in one transaction: stores it together with its
 * job, or refuses it as a duplicate.
 */
final class Sender {

  /** The unique key of a job: there is at most one live job for each delivery. */
  private static final Unique<WebhookJob> ONE_JOB_A_DELIVERY =
      Unique.by(job -> job.delivery().delivery().toString());

  private final DataSource dataSource;
  private final UniqueJobs jobs;
  private long sends;

  Sender(DataSource dataSource, UniqueJobs jobs) {
    this.dataSource = dataSource;
    this.jobs = jobs;
  }

  /** Returns the number of sends so far, including refused ones. */
  long sends() {
    return sends;
  }

  /**
   * Sends a delivery.
   *
   * @return whether it was stored; otherwise it was refused
   * @throws RefusedException if the queue refuses the delivery's content
   * @throws SQLException if the database failed; in that case nothing is stored, unless the
   *     response to the commit was lost
   */
  boolean send(Delivery delivery, Fate fate) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      Savepoint beforeJob = connection.setSavepoint();
      DSLContext db = DemoDatabase.on(connection);
      EnqueueResult job =
          jobs.in(connection)
              .enqueue(WebhookJob.TYPE, new WebhookJob(delivery, fate), ONE_JOB_A_DELIVERY);
      boolean created = job.fold(enqueued -> true, alreadyQueued -> false);
      boolean isNew =
          created
              && db.execute(
                      "INSERT INTO skipjack_demo.deliveries (delivery, job_id, fate) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                      delivery.delivery(),
                      job.jobId().value(),
                      fate.name())
                  == 1;
      if (!isNew) {
        // The unique key was free because the first job has ended, but the table still has the
        // delivery.
        connection.rollback(beforeJob);
        db.execute(
            "INSERT INTO skipjack_demo.refused_sends (delivery, refused_by) VALUES (?, ?)",
            delivery.delivery(),
            created ? "table" : "unique_key");
      }
      connection.commit();
      sends++;
      return isNew;
    } catch (PayloadException e) {
      throw new RefusedException(
          "The queue refuses delivery %s: %s".formatted(delivery.delivery(), e.getMessage()));
    }
  }
}
