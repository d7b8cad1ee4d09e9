package dev.skipjack.testkit;

import dev.skipjack.api.JobId;
import java.sql.Connection;
import javax.sql.DataSource;

/**
 * Where assertions about jobs begin, in AssertJ's style. Can be imported statically beside
 * AssertJ's own {@code assertThat}.
 *
 * <pre>{@code
 * assertThat(database).hasEnqueued(SEND_WELCOME).withPayload(new SendWelcome(7, "en")).times(1);
 * assertThatJob(database, job).isDead().hasAttempts(8).hasLastErrorContaining("busy");
 * }</pre>
 *
 * <p>Every {@code assertThat...} reads all jobs once, live and archived, with one statement, and
 * what is chained to it is about what was there then. To wait for something, put the whole chain
 * into Awaitility's {@code untilAsserted}. A job that ended in a queue which archives nothing
 * cannot be seen any more.
 */
public final class QueueAssertions {

  private QueueAssertions() {}

  /** About the committed jobs of a test's database. */
  public static QueueAssert assertThat(QueueDatabase database) {
    return assertThatJobs(database.dataSource(), database.schema());
  }

  /**
   * About the committed jobs of a schema.
   *
   * @throws IllegalStateException if they cannot be read
   */
  public static QueueAssert assertThatJobs(DataSource dataSource, String schema) {
    return new QueueAssert(JobRows.of(dataSource, schema), Payloads.standard());
  }

  /**
   * About the jobs of a schema as the transaction sees them that is open on {@code connection}:
   * those that it enqueued and has not committed too. The transaction goes on afterwards.
   *
   * @throws IllegalStateException if they cannot be read, as in a transaction that has failed
   */
  public static QueueAssert assertThatJobs(Connection connection, String schema) {
    return new QueueAssert(JobRows.of(connection, schema), Payloads.standard());
  }

  /**
   * About one job.
   *
   * @throws AssertionError if it is not there
   */
  public static JobAssert assertThatJob(QueueDatabase database, JobId job) {
    return assertThat(database).job(job);
  }
}
