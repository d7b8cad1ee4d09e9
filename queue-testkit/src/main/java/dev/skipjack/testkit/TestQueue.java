package dev.skipjack.testkit;

import dev.skipjack.api.PayloadCodec;
import java.sql.Connection;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.assertj.core.api.AssertProvider;
import org.jspecify.annotations.Nullable;

/**
 * The queue of an application under test, in a database that the testkit has not created. {@link
 * QueueDatabase} provides a database with a queue.
 *
 * <pre>{@code
 * TestQueue queue = TestQueue.on(dataSource, "skipjack");
 * assertThat(queue).hasEnqueued(SEND_WELCOME).withPayload(new SendWelcome(7, "en")).times(1);
 * }</pre>
 *
 * <p>{@link QueueAssertions#assertThat(TestQueue)} and AssertJ's {@code assertThat} accept an
 * instance. Immutable and safe for any number of threads.
 */
public final class TestQueue implements AssertProvider<QueueAssert> {

  /**
   * The maximum duration of a time travel. The earliest timestamp of PostgreSQL is some 6,700 years
   * ago.
   */
  private static final Duration FARTHEST = Duration.ofDays(365_000);

  private final DataSource dataSource;
  private final String schema;
  private final Supplier<Optional<Connection>> transaction;
  private final @Nullable PayloadCodec codec;
  private final QueueEdits edits;

  private TestQueue(
      DataSource dataSource,
      String schema,
      Supplier<Optional<Connection>> transaction,
      @Nullable PayloadCodec codec) {
    this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
    this.schema = schema;
    this.transaction = transaction;
    this.codec = codec;
    this.edits = new QueueEdits(dataSource, schema, transaction);
  }

  /**
   * Creates an instance that reads committed jobs and commits its changes.
   *
   * @param dataSource a pool of the database
   * @param schema the schema of the queue's tables, without quotes
   * @return the queue
   */
  public static TestQueue on(DataSource dataSource, String schema) {
    return new TestQueue(dataSource, schema, Optional::empty, null);
  }

  /**
   * {@return a copy that reads and changes the jobs in the caller's transaction, if there is one}
   *
   * @param transaction returns the connection of the transaction that is open in the current
   *     thread, or empty if there is none. The copy neither commits the transaction nor closes the
   *     connection
   */
  public TestQueue within(Supplier<Optional<Connection>> transaction) {
    return new TestQueue(dataSource, schema, transaction, codec);
  }

  /**
   * {@return a copy whose assertions decode payloads with {@code codec}} By default, payloads are
   * decoded with Jackson 2.
   *
   * @param codec decodes the payloads
   */
  public TestQueue decodedBy(PayloadCodec codec) {
    return new TestQueue(dataSource, schema, transaction, codec);
  }

  /**
   * Returns assertions about the jobs, which are read once, by this call.
   *
   * @throws IllegalStateException if the jobs cannot be read
   */
  @Override
  public QueueAssert assertThat() {
    QueueAssert found =
        transaction
            .get()
            .map(connection -> QueueAssertions.assertThatJobs(connection, schema))
            .orElseGet(() -> QueueAssertions.assertThatJobs(dataSource, schema));
    return codec == null ? found : found.decodedBy(codec);
  }

  /** {@return whether the queue has a job, live or archived} */
  public boolean hasJobs() {
    return edits.hasJobs();
  }

  /**
   * {@return the queues in which jobs are due that a worker would run if it served the queue}
   *
   * @param kinds the kinds that the worker handles
   * @param served the queues that the worker serves
   */
  public List<String> queuesNotServed(Collection<String> kinds, Collection<String> served) {
    return edits.queuesOfDueJobs(kinds, served);
  }

  /**
   * Empties the queue's tables, except those of schedules and workers, which the application's
   * worker writes when it starts. Tables that have foreign keys to the emptied tables are emptied
   * as well.
   *
   * @throws IllegalStateException if another session holds a lock on a table for ten seconds, for
   *     example because a transaction is still open
   */
  public void truncate() {
    edits.truncateExceptWorkers();
  }

  /**
   * Simulates the passage of time without sleeping, by moving stored times into the past. This
   * affects the due and enqueue times of pending and waiting jobs, the sleeps and waits of durable
   * steps, the expiry of signals, of idempotency keys and of unique keys for a period, and the ends
   * of pauses. It does not affect leases or the times of past events, such as the end of a job.
   *
   * <p>A started worker is not notified and finds jobs that have become due at its next poll. Use
   * {@link JobRuns} to combine time travel with running jobs.
   *
   * @param time the duration, from 0 to 365,000 days, with microsecond precision
   * @throws IllegalStateException if the database rejects the change
   */
  public void timeTravel(Duration time) {
    if (time.isNegative()) {
      throw new IllegalArgumentException(
          "Time travel goes forward only, not by %s.".formatted(time));
    }
    if (time.compareTo(FARTHEST) > 0) {
      throw new IllegalArgumentException(
          "%s is too far to travel; at most %s.".formatted(time, FARTHEST));
    }
    edits.travel(time);
  }

  Optional<Duration> untilNextDue() {
    return edits.untilNextDue();
  }
}
