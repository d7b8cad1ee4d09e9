package dev.skipjack.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.EnqueueOptions;
import dev.skipjack.api.ExecutionStatus;
import dev.skipjack.api.JobDetails;
import dev.skipjack.api.JobError;
import dev.skipjack.api.JobExecution;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.api.JobSummary;
import dev.skipjack.api.JobType;
import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.DueLane;
import dev.skipjack.api.spi.Ended;
import dev.skipjack.api.spi.Execution;
import dev.skipjack.api.spi.Failure;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * What the contract's tests do with a store again and again. Looks at jobs through the store's own
 * reader; SQL is written only to read the database's clock and to hold a row as a rival would.
 */
final class StoreFixture {

  /** Payloads are numbers: every codec writes them alike. */
  static final JobType<Integer> WORK = JobType.of("work", Integer.class).maxAttempts(3);

  static final Lane LANE = new Lane(JobType.DEFAULT_QUEUE, 0);
  static final Duration LEASE = Duration.ofMinutes(10);

  /** A lease that is over when the claim returns: no test waits for one. */
  static final Duration EXPIRED = Duration.ofNanos(1_000);

  static final JobError ERROR = new JobError("java.lang.IllegalStateException", "no luck", "at");
  static final JobId UNKNOWN = new JobId(Long.MAX_VALUE);

  private static final Duration DEADLINE = Duration.ofSeconds(20);

  final QueueDatabase database;
  final StorePorts ports;

  StoreFixture(QueueDatabase database, StorePorts ports) {
    this.database = database;
    this.ports = ports;
  }

  JobStore store() {
    return ports.store();
  }

  JobId enqueue(int payload) {
    return enqueue(payload, UnaryOperator.identity());
  }

  JobId enqueue(int payload, UnaryOperator<EnqueueOptions> options) {
    return ports.enqueuer().enqueue(WORK, payload, options);
  }

  /** Jobs with the payloads 1 to {@code count}. */
  List<JobId> enqueueMany(int count) {
    return ports.enqueuer().enqueueAll(WORK, IntStream.rangeClosed(1, count).boxed().toList());
  }

  List<Lane> dueLanes(String... queues) {
    return store().dueLanes(List.of(queues)).lanes().stream().map(DueLane::lane).toList();
  }

  List<ClaimedJob> claim(int limit) {
    return claim(limit, LEASE);
  }

  List<ClaimedJob> claim(int limit, Duration lease) {
    return store().claim(request(limit, lease, LANE));
  }

  /** Lanes without low-water marks, each capped by the limit. */
  static ClaimRequest request(int limit, Duration lease, Lane... lanes) {
    return new ClaimRequest(
        WorkerId.boot("contract"),
        List.of(lanes).stream().map(lane -> new LaneShare(lane, limit, null)).toList(),
        List.of(WORK.kind()),
        limit,
        lease);
  }

  /** Claims the next job and answers the right to end its attempt. */
  Execution claimOne(Duration lease) {
    return executions(claim(1, lease), 1).get(0);
  }

  /** Claims {@code count} jobs, in claim order. */
  List<Execution> claimExecutions(int count) {
    return executions(claim(count), count);
  }

  private static List<Execution> executions(List<ClaimedJob> claimed, int expected) {
    assertThat(claimed).hasSize(expected);
    return claimed.stream().map(ClaimedJob::execution).toList();
  }

  /** As {@link #claimOne} from another queue. */
  Execution claimFrom(String queue, Duration lease) {
    return executions(store().claim(request(1, lease, new Lane(queue, 0))), 1).get(0);
  }

  /** A new job whose attempt was lost and which waits for its next: answers the lost attempt. */
  Execution rescuedExecution() {
    return rescuedExecutionOf(LANE.queue());
  }

  /** As {@link #rescuedExecution} in another queue. */
  Execution rescuedExecutionOf(String queue) {
    enqueue(1, job -> job.onQueue(queue));
    Execution lost = claimFrom(queue, EXPIRED);
    assertThat(store().rescue(Duration.ZERO, 100)).hasSize(1);
    return lost;
  }

  /** New jobs that died of a final failure, in the order of their ids. */
  List<JobId> dead(int count) {
    enqueueMany(count);
    List<Execution> executions = claimExecutions(count);
    fail(executions, true);
    return executions.stream().map(Execution::jobId).toList();
  }

  List<Ended> fail(List<Execution> executions, boolean isFinal) {
    return store()
        .fail(
            executions.stream()
                .map(execution -> new Failure(execution, ERROR, Duration.ZERO, isFinal))
                .toList());
  }

  /** Everything that the reader knows of a job. */
  JobDetails find(JobId job) {
    return ports.reader().find(job).orElseThrow(() -> new AssertionError("No job " + job + "."));
  }

  JobSummary summary(JobId job) {
    return find(job).summary();
  }

  JobStatus statusOf(JobId job) {
    return summary(job).status();
  }

  /** How the attempts of a job ended, the first first. */
  List<ExecutionStatus> audit(JobId job) {
    return find(job).executions().stream().map(JobExecution::status).toList();
  }

  /** The database's clock. */
  Instant now() throws SQLException {
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT clock_timestamp()")) {
      row.next();
      return row.getObject(1, OffsetDateTime.class).toInstant();
    }
  }

  /** A connection with an open transaction; closing it rolls back. */
  Connection transaction() throws SQLException {
    Connection connection = database.connection();
    connection.setAutoCommit(false);
    return connection;
  }

  /** Holds a job's row as a rival does, until the connection is closed. */
  Connection hold(JobId job) throws SQLException {
    Connection rival = transaction();
    try (PreparedStatement statement =
        rival.prepareStatement(
            "SELECT FROM \"%s\".jobs WHERE id = ? FOR UPDATE".formatted(database.schema()))) {
      statement.setLong(1, job.value());
      assertThat(statement.executeQuery().next()).as("job %s is live", job).isTrue();
      return rival;
    } catch (SQLException | AssertionError failure) {
      rival.close();
      throw failure;
    }
  }

  /** What a call answers; fails instead of hanging when the call waits for somebody. */
  <R> R withoutWaiting(Callable<R> call) throws Exception {
    return inBackground(call, answer -> answered(answer));
  }

  /** Runs {@code call} in a thread of its own while {@code meanwhile} goes on. */
  <R> R inBackground(Callable<R> call, Meanwhile<R> meanwhile) throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try {
      CompletableFuture<R> answer = new CompletableFuture<>();
      thread.execute(
          () -> {
            try {
              answer.complete(call.call());
            } catch (Exception | AssertionError failure) {
              answer.completeExceptionally(failure);
            }
          });
      return meanwhile.run(answer);
    } finally {
      thread.shutdown();
    }
  }

  /** What the other thread does while this one waits for its answer. */
  @FunctionalInterface
  interface Meanwhile<R> {
    R run(CompletableFuture<R> answer) throws Exception;
  }

  /** The answer of a call in the background, or a failure that says that there is none. */
  static <R> R answered(CompletableFuture<R> answer) throws Exception {
    try {
      return answer.get(DEADLINE.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException waiting) {
      throw new AssertionError("The call waits for a row that somebody holds.", waiting);
    } catch (ExecutionException failure) {
      if (failure.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw failure;
    }
  }

  /** Returns when some session of the database waits for a lock. */
  void awaitBlockedSession() throws SQLException, InterruptedException {
    Instant deadline = Instant.now().plus(DEADLINE);
    try (Connection connection = database.connection();
        Statement statement = connection.createStatement()) {
      while (true) {
        try (ResultSet row =
            statement.executeQuery(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()")) {
          row.next();
          if (row.getInt(1) > 0) {
            return;
          }
        }
        assertThat(Instant.now()).as("nobody waits for a lock").isBefore(deadline);
        TimeUnit.MILLISECONDS.sleep(5);
      }
    }
  }
}
