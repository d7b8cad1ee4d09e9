package dev.skipjack.store.jooq;

import dev.skipjack.api.EnqueueResult;
import dev.skipjack.api.QueueException;
import dev.skipjack.api.spi.IdempotencyKey;
import dev.skipjack.api.spi.NewJob;
import dev.skipjack.store.jooq.internal.JobInsert;
import dev.skipjack.store.jooq.internal.sql.Chunks;
import dev.skipjack.store.jooq.internal.sql.OwnTransactions;
import dev.skipjack.store.jooq.internal.sql.Session;
import dev.skipjack.store.jooq.internal.sql.StatementText;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Writes any number of jobs in an open transaction, in {@link Chunks}: those without an idempotency
 * key as they come, those with one in key order.
 */
final class JobWriter {

  /**
   * Each repeat means that a key changed hands within one statement; so often in a row is no race
   * any more.
   */
  private static final int MOST_TRIES = 50;

  private final StatementText plain;
  private final StatementText single;
  private final StatementText once;

  JobWriter(Statements statements) {
    this.plain = statements.enqueue;
    this.single = statements.enqueueOne;
    this.once = statements.enqueueOnce;
  }

  /**
   * Writes one job in a transaction of its own, in one flight.
   *
   * @param job without an idempotency key
   */
  List<EnqueueResult> writeAlone(OwnTransactions transactions, NewJob job) {
    return transactions.runInOneFlight(
        single, JobInsert.argumentsOfOne(job), EnqueueStatement::read);
  }

  /**
   * @param chunk most jobs in one statement, which {@link Chunks} may make fewer
   */
  List<EnqueueResult> write(Session session, List<NewJob> jobs, int chunk) throws SQLException {
    return jobs.stream().allMatch(job -> job.idempotencyKey() == null)
        ? writePlain(session, jobs, chunk)
        : writeMixed(session, jobs, chunk);
  }

  private List<EnqueueResult> writePlain(Session session, List<NewJob> jobs, int size)
      throws SQLException {
    if (jobs.size() == 1) {
      return session.run(single, JobInsert.argumentsOfOne(jobs.get(0)), EnqueueStatement::read);
    }
    List<EnqueueResult> results = new ArrayList<>(jobs.size());
    for (List<NewJob> chunk : Chunks.of(jobs, size, job -> job.payload().length())) {
      results.addAll(session.run(plain, JobInsert.arguments(chunk), EnqueueStatement::read));
    }
    return results;
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

  /** Fills in the results of the jobs at {@code places}. */
  private void writeOnce(
      Session session, List<NewJob> jobs, List<Integer> places, EnqueueResult[] results)
      throws SQLException {
    List<Integer> open = places;
    for (int i = 0; i < MOST_TRIES && !open.isEmpty(); i++) {
      List<Optional<EnqueueResult>> answers =
          session.run(
              once,
              EnqueueOnceStatement.arguments(open.stream().map(jobs::get).toList()),
              EnqueueOnceStatement::read);
      List<Integer> again = new ArrayList<>();
      for (int j = 0; j < answers.size(); j++) {
        int place = open.get(j);
        answers.get(j).ifPresentOrElse(result -> results[place] = result, () -> again.add(place));
      }
      open = again;
    }
    if (!open.isEmpty()) {
      throw new QueueException(
          "A job of kind '%s' was not enqueued: its idempotency key changed hands %d times in a row. Try again."
              .formatted(jobs.get(open.get(0)).kind(), MOST_TRIES),
          null);
    }
  }
}
