package dev.skipjack.testkit;

import dev.skipjack.api.JobId;
import java.sql.Connection;
import javax.sql.DataSource;

/**
 * Entry points for AssertJ assertions about jobs. They can be imported statically together with
 * AssertJ's own {@code assertThat}.
 *
 * <pre>{@code
 * assertThat(database).hasEnqueued(SEND_WELCOME).withPayload(new SendWelcome(7, "en")).times(1);
 * assertThatJob(database, job).isDead().hasAttempts(8).hasLastErrorContaining("busy");
 * }</pre>
 *
 * <p>Each {@code assertThat...} method reads all live and archived jobs once, with a single
 * statement, and the chained assertions refer to that state. To wait for a condition, pass the
 * whole chain to Awaitility's {@code untilAsserted}. A job that has ended in a queue without an
 * archive is no longer visible.
 */
public final class QueueAssertions {

  private QueueAssertions() {}

  /**
   * {@return assertions about the committed jobs of a test database}
   *
   * @param database the database whose jobs are checked
   */
  public static QueueAssert assertThat(QueueDatabase database) {
    return assertThatJobs(database.dataSource(), database.schema());
  }

  /**
   * {@return assertions about the jobs of a queue, as {@link TestQueue#assertThat} does}
   *
   * @param queue the queue whose jobs are checked
   */
  public static QueueAssert assertThat(TestQueue queue) {
    return queue.assertThat();
  }

  /**
   * {@return assertions about the committed jobs of a schema}
   *
   * @param dataSource connections to the database
   * @param schema the schema of the queue's tables, without quotes
   * @throws IllegalStateException if the jobs cannot be read
   */
  public static QueueAssert assertThatJobs(DataSource dataSource, String schema) {
    return new QueueAssert(JobRows.of(dataSource, schema), Payloads.standard());
  }

  /**
   * {@return assertions about the jobs of a schema as seen by the transaction that is open on
   * {@code connection}, including jobs that the transaction itself has enqueued} The transaction
   * remains open.
   *
   * @param connection a connection, which is not closed
   * @param schema the schema of the queue's tables, without quotes
   * @throws IllegalStateException if the jobs cannot be read, for example because the transaction
   *     has failed
   */
  public static QueueAssert assertThatJobs(Connection connection, String schema) {
    return new QueueAssert(JobRows.of(connection, schema), Payloads.standard());
  }

  /**
   * {@return assertions about a single job}
   *
   * @param database the database whose jobs are checked
   * @param job the id of the job
   * @throws AssertionError if the job does not exist
   */
  public static JobAssert assertThatJob(QueueDatabase database, JobId job) {
    return assertThat(database).job(job);
  }
}
