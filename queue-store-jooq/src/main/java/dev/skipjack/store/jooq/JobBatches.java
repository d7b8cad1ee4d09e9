package dev.skipjack.store.jooq;

import static java.util.Objects.requireNonNull;

import dev.skipjack.api.JobId;
import dev.skipjack.api.PartialResultException;
import dev.skipjack.api.StoreException;
import dev.skipjack.store.jooq.internal.sql.Pause;
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
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Works through jobs in bounded batches. A batch that the server breaks off (deadlock, statement or
 * lock timeout, a unique key taken meanwhile) is cut in two and tried again after a jittered pause;
 * rows that were busy are asked for again, together, for about a second.
 */
final class JobBatches {

  static final int LARGEST = 500;

  /** Deadlock, cancelled statement, lock not available, unique violation. */
  private static final Set<String> SMALLER_MAY_DO = Set.of("40P01", "57014", "55P03", "23505");

  private static final Optional<String> LOCK_NOT_AVAILABLE = Optional.of("55P03");
  private static final int TRIES_ALONE = 5;
  private static final int BUSY_ROUNDS = 12;

  private JobBatches() {}

  /**
   * Runs {@code command} on all jobs.
   *
   * @param command answers for each job in the order of its input
   * @param isBusy whether an answer asks for another try
   * @return an answer for each job in the order of the input
   * @throws PartialResultException if a batch failed after others had committed
   */
  static <R> List<R> run(
      List<JobId> jobs, Function<List<JobId>, List<R>> command, Predicate<R> isBusy) {
    return run(jobs, command, isBusy, null);
  }

  /**
   * As {@link #run(List, Function, Predicate)}.
   *
   * @param locked the answer for a job that alone still meets somebody's lock; null: that is an
   *     error
   */
  static <R> List<R> run(
      List<JobId> jobs,
      Function<List<JobId>, List<R>> command,
      Predicate<R> isBusy,
      @Nullable R locked) {
    List<@Nullable R> answers = new ArrayList<>(Collections.nCopies(jobs.size(), null));
    try {
      ask(IntStream.range(0, jobs.size()).boxed().toList(), jobs, command, locked, answers);
      for (int round = 0; round < BUSY_ROUNDS; round++) {
        List<Integer> busy =
            IntStream.range(0, jobs.size())
                .filter(i -> isBusy.test(requireNonNull(answers.get(i))))
                .boxed()
                .toList();
        if (busy.isEmpty() || !Pause.upTo(pauseOf(round))) {
          break;
        }
        ask(busy, jobs, command, locked, answers);
      }
    } catch (StoreException failure) {
      throw partly(failure, jobs, answers, isBusy);
    }
    return answers.stream().map(Objects::requireNonNull).toList();
  }

  /** The failure, with the results of those batches that have committed. */
  private static <R> StoreException partly(
      StoreException failure, List<JobId> jobs, List<@Nullable R> answers, Predicate<R> isBusy) {
    Map<JobId, R> results = new LinkedHashMap<>();
    for (int i = 0; i < jobs.size(); i++) {
      R answer = answers.get(i);
      if (answer != null && !isBusy.test(answer)) {
        results.put(jobs.get(i), answer);
      }
    }
    return results.isEmpty() ? failure : new PartialResultException(failure, results, jobs.size());
  }

  /** Fills in the answers of the jobs at {@code places}. */
  private static <R> void ask(
      List<Integer> places,
      List<JobId> jobs,
      Function<List<JobId>, List<R>> command,
      @Nullable R locked,
      List<@Nullable R> answers) {
    for (int from = 0; from < places.size(); from += LARGEST) {
      List<Integer> batch = places.subList(from, Math.min(from + LARGEST, places.size()));
      halving(batch, jobs, command, 0, locked, answers);
    }
  }

  private static <R> void halving(
      List<Integer> batch,
      List<JobId> jobs,
      Function<List<JobId>, List<R>> command,
      int triesAlone,
      @Nullable R locked,
      List<@Nullable R> answers) {
    try {
      List<R> some = command.apply(batch.stream().map(jobs::get).toList());
      for (int i = 0; i < batch.size(); i++) {
        answers.set(batch.get(i), some.get(i));
      }
    } catch (StoreException failure) {
      if (locked != null && batch.size() == 1 && failure.sqlState().equals(LOCK_NOT_AVAILABLE)) {
        answers.set(batch.get(0), locked);
        return;
      }
      if (failure.sqlState().filter(SMALLER_MAY_DO::contains).isEmpty()
          || triesAlone >= TRIES_ALONE
          || !Pause.upTo(pauseOf(triesAlone))) {
        throw failure;
      }
      if (batch.size() == 1) {
        halving(batch, jobs, command, triesAlone + 1, locked, answers);
        return;
      }
      int half = batch.size() / 2;
      halving(batch.subList(0, half), jobs, command, 0, locked, answers);
      halving(batch.subList(half, batch.size()), jobs, command, 0, locked, answers);
    }
  }

  private static Duration pauseOf(int round) {
    return Duration.ofMillis(Math.min(2L << Math.min(round, 7), 200));
  }
}
