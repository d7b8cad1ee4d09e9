package dev.skipjack.store.jooq;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.QueueException;
import dev.skipjack.api.StoreException;
import dev.skipjack.api.spi.IdempotencyKey;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.sql.Chunks;
import dev.skipjack.sql.FollowUp;
import dev.skipjack.sql.Lazy;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.Session;
import dev.skipjack.sql.Statement;
import dev.skipjack.sql.StatementText;
import dev.skipjack.store.jooq.internal.JobInsert.Accepted;
import dev.skipjack.store.jooq.internal.ordering.StrictOrdering;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jooq.DSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Inserts jobs. {@link #write} inserts any number of jobs in an open transaction: it takes the
 * locks of strict ordering, then inserts the jobs without an idempotency key in the given order,
 * and then the others in key order. The other methods insert few jobs in one round trip.
 */
final class EnqueueWriter {

  /**
   * The maximum number of tries. Each retry means that another transaction took or freed a key
   * during one statement.
   */
  private static final int MOST_TRIES = 50;

  private final StrictOrdering strictOrdering;
  private final Statement<List<NewJob>, EnqueueResult> enqueueUniform;
  private final Statement<List<NewJob>, EnqueueResult> enqueue;
  private final Statement<List<NewJob>, EnqueueResult> enqueueOrdered;
  private final Statement<List<NewJob>, EnqueueResult> enqueueUniformOwned;
  private final Statement<List<NewJob>, EnqueueResult> enqueueOwned;
  private final Statement<NewJob, EnqueueResult> enqueueOne;
  private final Statement<NewJob, EnqueueResult> enqueueOneOrdered;
  private final Statement<NewJob, EnqueueResult> enqueueOneOwned;
  private final Statement<List<NewJob>, Optional<EnqueueResult>> enqueueOnce;

  EnqueueWriter(Lazy<DSLContext> dialect, StrictOrdering strictOrdering) {
    this.strictOrdering = strictOrdering;
    this.enqueueUniform =
        Statement.lazily(() -> EnqueueStatement.of(dialect.get(), Accepted.UNIFORM));
    this.enqueue = Statement.lazily(() -> EnqueueStatement.of(dialect.get(), Accepted.UNORDERED));
    this.enqueueOrdered = Statement.lazily(() -> EnqueueStatement.of(dialect.get(), Accepted.ALL));
    this.enqueueUniformOwned =
        Statement.lazily(() -> EnqueueStatement.of(dialect.get(), Accepted.UNIFORM_OWNED));
    this.enqueueOwned = Statement.lazily(() -> EnqueueStatement.of(dialect.get(), Accepted.OWNED));
    this.enqueueOneOwned =
        Statement.lazily(() -> EnqueueStatement.ofOne(dialect.get(), Accepted.OWNED));
    this.enqueueOne =
        Statement.lazily(() -> EnqueueStatement.ofOne(dialect.get(), Accepted.UNORDERED));
    this.enqueueOneOrdered =
        Statement.lazily(() -> EnqueueStatement.ofOne(dialect.get(), Accepted.ALL));
    this.enqueueOnce = Statement.lazily(() -> EnqueueOnceStatement.of(dialect.get()));
  }

  /**
   * Renders the statement of a plain enqueue, so that jOOQ's classes are loaded before the first
   * enqueue.
   */
  void prepare() {
    StatementText unused = enqueueOne.text();
  }

  /**
   * Writes one job in its own transaction, in one round trip. If it fails to serialize at the
   * session's isolation level, it is repeated in READ COMMITTED.
   *
   * @param job a job without an idempotency key and without strict ordering
   */
  List<EnqueueResult> writeAlone(OwnTransactions transactions, NewJob job) {
    try {
      return transactions.runAlone(one(job), job);
    } catch (StoreException failure) {
      if (failure.sqlState().filter(OwnTransactions.SERIALIZATION_FAILURE::equals).isPresent()) {
        return transactions.inOne(session -> session.run(one(job), job));
      }
      throw failure;
    }
  }

  /**
   * Writes jobs in one transaction, in one round trip.
   *
   * @param jobs jobs without an idempotency key and without strict ordering, few enough for one
   *     statement
   */
  List<EnqueueResult> writeTogether(OwnTransactions transactions, List<NewJob> jobs) {
    return transactions.runInOneRoundTrip(several(jobs), jobs);
  }

  /**
   * Writes one job in a caller's transaction.
   *
   * @param job a job without an idempotency key
   * @param followUp a query to run afterwards in the same round trip, or null for none
   */
  List<EnqueueResult> writeAlone(Session callers, NewJob job, @Nullable FollowUp followUp)
      throws SQLException {
    strictOrdering.lock(callers, List.of(job));
    return callers.run(one(job), job, followUp);
  }

  /**
   * Writes jobs with and without idempotency keys.
   *
   * @param chunk the maximum number of jobs per statement, which {@link Chunks} may reduce
   */
  List<EnqueueResult> write(Session session, List<NewJob> jobs, int chunk) throws SQLException {
    strictOrdering.lock(session, jobs);
    return jobs.stream().allMatch(job -> job.idempotencyKey() == null)
        ? writePlain(session, jobs, chunk)
        : writeMixed(session, jobs, chunk);
  }

  private List<EnqueueResult> writePlain(Session session, List<NewJob> jobs, int size)
      throws SQLException {
    if (jobs.size() == 1) {
      return session.run(one(jobs.get(0)), jobs.get(0));
    }
    List<EnqueueResult> results = new ArrayList<>(jobs.size());
    for (List<NewJob> chunk : Chunks.of(jobs, size, job -> job.payload().length())) {
      results.addAll(session.run(several(chunk), chunk));
    }
    return results;
  }

  private Statement<NewJob, EnqueueResult> one(NewJob job) {
    return switch (Accepted.of(job)) {
      case OWNED -> enqueueOneOwned;
      case ALL -> enqueueOneOrdered;
      default -> enqueueOne;
    };
  }

  private Statement<List<NewJob>, EnqueueResult> several(List<NewJob> jobs) {
    return switch (Accepted.of(jobs)) {
      case UNIFORM -> enqueueUniform;
      case UNORDERED -> enqueue;
      case ALL -> enqueueOrdered;
      case UNIFORM_OWNED -> enqueueUniformOwned;
      case OWNED -> enqueueOwned;
    };
  }

  private List<EnqueueResult> writeMixed(Session session, List<NewJob> jobs, int size)
      throws SQLException {
    List<Integer> keyless = new ArrayList<>();
    Map<String, Integer> firstOfKey = new TreeMap<>();
    for (int i = 0; i < jobs.size(); i++) {
      IdempotencyKey key = jobs.get(i).idempotencyKey();
      if (key == null) {
        keyless.add(i);
      } else {
        firstOfKey.putIfAbsent(key.key(), i);
      }
    }
    EnqueueResult[] results = new EnqueueResult[jobs.size()];
    List<EnqueueResult> plainResults =
        writePlain(session, keyless.stream().map(jobs::get).toList(), size);
    for (int i = 0; i < keyless.size(); i++) {
      results[keyless.get(i)] = plainResults.get(i);
    }
    for (List<Integer> chunk :
        Chunks.of(List.copyOf(firstOfKey.values()), size, i -> jobs.get(i).payload().length())) {
      writeOnce(session, jobs, chunk, results);
    }
    for (int i = 0; i < jobs.size(); i++) {
      IdempotencyKey key = jobs.get(i).idempotencyKey();
      int first = key == null ? i : firstOfKey.getOrDefault(key.key(), i);
      if (first != i) {
        results[i] = new EnqueueResult.AlreadyQueued(results[first].jobId());
      }
    }
    return Arrays.asList(results);
  }

  /**
   * Inserts the jobs at these indexes, all of which have an idempotency key, and stores their
   * results.
   */
  private void writeOnce(
      Session session, List<NewJob> jobs, List<Integer> indexes, EnqueueResult[] results)
      throws SQLException {
    List<Integer> open = indexes;
    for (int i = 0; i < MOST_TRIES && !open.isEmpty(); i++) {
      List<Optional<EnqueueResult>> inserted =
          session.run(enqueueOnce, open.stream().map(jobs::get).toList());
      List<Integer> again = new ArrayList<>();
      for (int j = 0; j < inserted.size(); j++) {
        int index = open.get(j);
        inserted.get(j).ifPresentOrElse(result -> results[index] = result, () -> again.add(index));
      }
      open = again;
    }
    if (!open.isEmpty()) {
      throw new QueueException(
          "A job of kind '%s' was not enqueued: other transactions took or freed its idempotency key %d times in a row. Try again."
              .formatted(jobs.get(open.get(0)).kind(), MOST_TRIES),
          null);
    }
  }
}
