package dev.skipjack.store.jooq;

import dev.skipjack.api.JobId;
import dev.skipjack.api.StoreException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
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
    List<R> answers = new ArrayList<>(jobs.size());
    for (int from = 0; from < jobs.size(); from += LARGEST) {
      answers.addAll(
          halving(jobs.subList(from, Math.min(from + LARGEST, jobs.size())), command, 0, locked));
    }
    for (int round = 0; round < BUSY_ROUNDS; round++) {
      List<Integer> busy = new ArrayList<>();
      for (int i = 0; i < answers.size(); i++) {
        if (isBusy.test(answers.get(i))) {
          busy.add(i);
        }
      }
      if (busy.isEmpty() || !Pause.upTo(pauseOf(round))) {
        break;
      }
      List<R> again = new ArrayList<>();
      for (int from = 0; from < busy.size(); from += LARGEST) {
        List<JobId> batch =
            busy.subList(from, Math.min(from + LARGEST, busy.size())).stream()
                .map(jobs::get)
                .toList();
        again.addAll(halving(batch, command, 0, locked));
      }
      for (int i = 0; i < busy.size(); i++) {
        answers.set(busy.get(i), again.get(i));
      }
    }
    return answers;
  }

  private static <R> List<R> halving(
      List<JobId> batch,
      Function<List<JobId>, List<R>> command,
      int triesAlone,
      @Nullable R locked) {
    try {
      return command.apply(batch);
    } catch (StoreException failure) {
      if (locked != null && batch.size() == 1 && failure.sqlState().equals(LOCK_NOT_AVAILABLE)) {
        return List.of(locked);
      }
      if (failure.sqlState().filter(SMALLER_MAY_DO::contains).isEmpty()
          || triesAlone >= TRIES_ALONE
          || !Pause.upTo(pauseOf(triesAlone))) {
        throw failure;
      }
      if (batch.size() == 1) {
        return halving(batch, command, triesAlone + 1, locked);
      }
      List<R> answers =
          new ArrayList<>(halving(batch.subList(0, batch.size() / 2), command, 0, locked));
      answers.addAll(halving(batch.subList(batch.size() / 2, batch.size()), command, 0, locked));
      return answers;
    }
  }

  private static Duration pauseOf(int round) {
    return Duration.ofMillis(Math.min(2L << Math.min(round, 7), 200));
  }
}
