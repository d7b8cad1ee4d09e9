package dev.skipjack.testkit;

import dev.skipjack.api.JobId;
import java.sql.Connection;
import javax.sql.DataSource;

/**
 * Entry points for AssertJ assertions about jobs. Can be imported statically together with
 * AssertJ's own {@code assertThat}.
 *
 * <pre>{@code
 * assertThat(database).hasEnqueued(SEND_WELCOME).withPayload(new SendWelcome(7, "en")).times(1);
 * assertThatJob(database, job).isDead().hasAttempts(8).hasLastErrorContaining("busy");
 * }</pre>
 *
 * <p>Every {@code assertThat...} reads all jobs once, live and archived, with one statement, and
 * the chained assertions refer to that state. To wait for something, put the whole chain into
 * Awaitility's {@code untilAsserted}. A job that has ended in a queue without an archive is no
 * longer visible.
 */
public final class QueueAssertions {

  private QueueAssertions() {}

  /** Starts assertions about the committed jobs of a test's database. */
  public static QueueAssert assertThat(QueueDatabase database) {
    return assertThatJobs(database.dataSource(), database.schema());
  }

  /**
   * Starts assertions about the committed jobs of a schema.
   *
   * @throws IllegalStateException if they cannot be read
   */
  public static QueueAssert assertThatJobs(DataSource dataSource, String schema) {
    return new QueueAssert(JobRows.of(dataSource, schema), Payloads.standard());
  }

  /**
   * Starts assertions about the jobs of a schema as seen by the transaction that is open on {@code
   * connection}, including those that it has enqueued but not committed. The transaction stays
   * open.
   *
   * @throws IllegalStateException if they cannot be read, for example in a failed transaction
   */
  public static QueueAssert assertThatJobs(Connection connection, String schema) {
    return new QueueAssert(JobRows.of(connection, schema), Payloads.standard());
  }

  /**
   * Starts assertions about one job.
   *
   * @throws AssertionError if it is not there
   */
  public static JobAssert assertThatJob(QueueDatabase database, JobId job) {
    return assertThat(database).job(job);
  }
}
