package dev.skipjack.demo;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.JobId;
import dev.skipjack.api.StoreException;
import dev.skipjack.dedup.Unique;
import dev.skipjack.dedup.UniqueJobs;
import dev.skipjack.demo.DemoSchema.Deliveries;
import dev.skipjack.demo.DemoSchema.RefusedSends;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.Optional;
import java.util.UUID;
import javax.sql.DataSource;

/**
 * Receives one delivery in one transaction: stores it together with its job, or refuses it as a
 * duplicate. Safe for any number of threads.
 */
final class DeliverySender {

  /** The name of a delivery's first send in the table. */
  static final String FIRST = "first";

  /** The name of a delivery's second send. */
  static final String SECOND = "second";

  /** Refused because the delivery's job is still live. */
  static final String BY_KEY = "unique_key";

  /** Refused because the delivery is stored and its job has ended. */
  static final String BY_TABLE = "table";

  private static final Unique<WebhookJob> ONE_JOB_A_DELIVERY =
      Unique.by(job -> job.delivery().toString());

  private final DataSource dataSource;
  private final UniqueJobs jobs;
  private final UUID run;
  private final long salt;

  DeliverySender(DataSource dataSource, UniqueJobs jobs, UUID run, long salt) {
    this.dataSource = dataSource;
    this.jobs = jobs;
    this.run = run;
    this.salt = salt;
  }

  /** Returns what the sender of a delivery will do after the first send. */
  SecondSend plan(Delivery delivery) {
    return SecondSend.of(delivery.id(), salt);
  }

  /**
   * Sends a delivery.
   *
   * @param attempt {@link #FIRST} or {@link #SECOND}
   * @return the new job; empty if the delivery was refused
   * @throws BadInputException if the delivery's content cannot be stored
   * @throws SQLException if the database failed; in that case nothing is stored, unless the
   *     response to the commit was lost
   */
  Optional<JobId> send(Arrival arrival, String attempt) throws SQLException {
    Delivery delivery = arrival.delivery();
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      Savepoint beforeJob = connection.setSavepoint();
      EnqueueResult job = enqueue(connection, arrival);
      boolean created = job.fold(enqueued -> true, alreadyQueued -> false);
      boolean stored = created && store(connection, delivery, job.jobId());
      if (!stored) {
        // The unique key was free because the first job has ended; the table remembers it.
        connection.rollback(beforeJob);
        recordRefusal(connection, delivery, attempt, created ? BY_TABLE : BY_KEY);
      }
      connection.commit();
      return stored ? Optional.of(job.jobId()) : Optional.empty();
    }
  }

  private EnqueueResult enqueue(Connection connection, Arrival arrival) {
    Delivery delivery = arrival.delivery();
    try {
      return jobs.in(connection)
          .enqueue(
              WebhookJob.TYPE,
              WebhookJob.of(delivery, salt),
              ONE_JOB_A_DELIVERY,
              options -> options.priority(WebhookJob.priority(delivery)));
    } catch (StoreException e) {
      // Classes 22 and 54: PostgreSQL does not take this value, however often it is sent.
      if (e.sqlState()
          .filter(state -> state.startsWith("22") || state.startsWith("54"))
          .isPresent()) {
        throw arrival.refused(String.valueOf(e.getMessage()));
      }
      throw e;
    }
  }

  private boolean store(Connection connection, Delivery delivery, JobId job) {
    int inserted =
        DemoSchema.on(connection)
            .insertInto(Deliveries.TABLE)
            .set(Deliveries.DELIVERY, delivery.id())
            .set(Deliveries.RUN, run)
            .set(Deliveries.JOB_ID, job.value())
            .set(Deliveries.EVENT, delivery.event())
            .set(Deliveries.ACTION, delivery.action())
            .set(Deliveries.REPOSITORY, delivery.repository())
            .set(Deliveries.SALT, salt)
            .set(Deliveries.SECOND_SEND, plan(delivery).literal())
            .onConflictDoNothing()
            .execute();
    return inserted == 1;
  }

  private void recordRefusal(
      Connection connection, Delivery delivery, String attempt, String refusedBy) {
    DemoSchema.on(connection)
        .insertInto(RefusedSends.TABLE)
        .set(RefusedSends.DELIVERY, delivery.id())
        .set(RefusedSends.RUN, run)
        .set(RefusedSends.ATTEMPT, attempt)
        .set(RefusedSends.REFUSED_BY, refusedBy)
        .execute();
  }
}
