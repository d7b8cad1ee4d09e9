package dev.skipjack.store.jooq;

import static java.util.Objects.requireNonNull;

import dev.skipjack.api.JobId;
import dev.skipjack.api.PartialResultException;
import dev.skipjack.api.StoreException;
import dev.skipjack.sql.Pause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Runs a command on any number of jobs in bounded batches. A batch that the server aborts
 * (deadlock, statement or lock timeout, unique violation) is halved and retried after a jittered
 * pause. Busy rows are retried together for about a second.
 */
final class BatchedCommand {

  static final int LARGEST = 500;

  /** SQLSTATEs of a deadlock, a cancelled statement, an unavailable lock, a unique violation. */
  private static final Set<String> RETRIED_SMALLER = Set.of("40P01", "57014", "55P03", "23505");

  private static final Optional<String> LOCK_NOT_AVAILABLE = Optional.of("55P03");
  private static final int TRIES_ALONE = 5;
  private static final int BUSY_ROUNDS = 12;

  private BatchedCommand() {}

  /**
   * Runs {@code command} on all jobs.
   *
   * @param command returns one result per job, in the order of its input
   * @param isBusy tests whether a result requires another try
   * @return one result per job, in the order of the input
   * @throws PartialResultException if a batch failed after others had committed
   */
  static <R> List<R> run(
      List<JobId> jobs, Function<List<JobId>, List<R>> command, Predicate<R> isBusy) {
    return run(jobs, command, isBusy, null);
  }

  /**
   * Runs {@code command} on all jobs, like {@link #run(List, Function, Predicate)}.
   *
   * @param locked the result for a single job whose command fails because of a lock, or null to
   *     throw the failure
   */
  static <R> List<R> run(
      List<JobId> jobs,
      Function<List<JobId>, List<R>> command,
      Predicate<R> isBusy,
      @Nullable R locked) {
    List<@Nullable R> results = new ArrayList<>(Collections.nCopies(jobs.size(), null));
    try {
      runBatches(IntStream.range(0, jobs.size()).boxed().toList(), jobs, command, locked, results);
      for (int round = 0; round < BUSY_ROUNDS; round++) {
        List<Integer> busy =
            IntStream.range(0, jobs.size())
                .filter(i -> isBusy.test(requireNonNull(results.get(i))))
                .boxed()
                .toList();
        if (busy.isEmpty() || !Pause.upTo(pauseOf(round))) {
          break;
        }
        runBatches(busy, jobs, command, locked, results);
      }
    } catch (StoreException failure) {
      throw partly(failure, jobs, results, isBusy);
    }
    return results.stream().map(Objects::requireNonNull).toList();
  }

  /**
   * Runs {@code command} once on all jobs, because retries in a caller's transaction would keep its
   * rows locked.
   */
  static <R> List<R> once(List<JobId> jobs, Function<List<JobId>, List<R>> command) {
    return jobs.isEmpty() ? List.of() : command.apply(jobs);
  }

  /** Runs a command on a single row, and repeats it while the row is busy, for about a second. */
  static <R> R retried(Supplier<R> command, Predicate<R> isBusy) {
    R result = command.get();
    for (int round = 0; round < BUSY_ROUNDS && isBusy.test(result); round++) {
      if (!Pause.upTo(pauseOf(round))) {
        break;
      }
      result = command.get();
    }
    return result;
  }

  /** Returns the failure with the results of the batches that have committed. */
  private static <R> StoreException partly(
      StoreException failure, List<JobId> jobs, List<@Nullable R> results, Predicate<R> isBusy) {
    Map<JobId, R> committed = new LinkedHashMap<>();
    for (int i = 0; i < jobs.size(); i++) {
      R result = results.get(i);
      if (result != null && !isBusy.test(result)) {
        committed.put(jobs.get(i), result);
      }
    }
    return committed.isEmpty()
        ? failure
        : new PartialResultException(failure, committed, jobs.size());
  }

  /** Runs the command on the jobs at these indexes, and stores their results. */
  private static <R> void runBatches(
      List<Integer> indexes,
      List<JobId> jobs,
      Function<List<JobId>, List<R>> command,
      @Nullable R locked,
      List<@Nullable R> results) {
    for (int from = 0; from < indexes.size(); from += LARGEST) {
      List<Integer> batch = indexes.subList(from, Math.min(from + LARGEST, indexes.size()));
      runHalving(batch, jobs, command, 0, locked, results);
    }
  }

  private static <R> void runHalving(
      List<Integer> batch,
      List<JobId> jobs,
      Function<List<JobId>, List<R>> command,
      int triesAlone,
      @Nullable R locked,
      List<@Nullable R> results) {
    try {
      List<R> some = command.apply(batch.stream().map(jobs::get).toList());
      for (int i = 0; i < batch.size(); i++) {
        results.set(batch.get(i), some.get(i));
      }
    } catch (StoreException failure) {
      if (locked != null && batch.size() == 1 && failure.sqlState().equals(LOCK_NOT_AVAILABLE)) {
        results.set(batch.get(0), locked);
        return;
      }
      if (failure.sqlState().filter(RETRIED_SMALLER::contains).isEmpty()
          || triesAlone >= TRIES_ALONE
          || !Pause.upTo(pauseOf(triesAlone))) {
        throw failure;
      }
      if (batch.size() == 1) {
        runHalving(batch, jobs, command, triesAlone + 1, locked, results);
        return;
      }
      int half = batch.size() / 2;
      runHalving(batch.subList(0, half), jobs, command, 0, locked, results);
      runHalving(batch.subList(half, batch.size()), jobs, command, 0, locked, results);
    }
  }

  private static Duration pauseOf(int round) {
    return Duration.ofMillis(Math.min(2L << Math.min(round, 7), 200));
  }
}
