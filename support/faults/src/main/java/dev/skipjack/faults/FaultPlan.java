package dev.skipjack.faults;

import dev.skipjack.faults.FaultyDataSource.CommitFate;
import dev.skipjack.faults.FaultyDataSource.Step;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Supplier;

/** The faults that will be injected. Safe for any number of threads. */
final class FaultPlan {

  private final Map<Step, Deque<String>> refusals = new EnumMap<>(Step.class);
  private final Map<Step, Duration> delays = new EnumMap<>(Step.class);
  private final Map<Step, Long> counts = new EnumMap<>(Step.class);
  private final Deque<CommitFate> cuts = new ArrayDeque<>();
  private Supplier<CommitFate> decide = () -> CommitFate.ACKNOWLEDGED;

  synchronized void failNext(Step step, int times, String sqlState) {
    if (sqlState.length() != 5) {
      throw new IllegalArgumentException(
          "SQLSTATE '%s' must have five characters.".formatted(sqlState));
    }
    refusals
        .computeIfAbsent(step, key -> new ArrayDeque<>())
        .addAll(Collections.nCopies(positive(times), sqlState));
  }

  synchronized void cutNext(CommitFate fate, int times) {
    cuts.addAll(Collections.nCopies(positive(times), fate));
  }

  private static int positive(int times) {
    if (times < 1) {
      throw new IllegalArgumentException(
          "The number of times is %d, but must be at least 1.".formatted(times));
    }
    return times;
  }

  synchronized void decideCommits(Supplier<CommitFate> fates) {
    decide = fates;
  }

  synchronized void delay(Step step, Duration wait) {
    delays.put(step, wait);
  }

  synchronized void clear() {
    refusals.clear();
    delays.clear();
    cuts.clear();
    decide = () -> CommitFate.ACKNOWLEDGED;
  }

  synchronized long count(Step step) {
    return counts.getOrDefault(step, 0L);
  }

  /** Counts the step, waits for its delay, and throws an exception if the step must fail. */
  void before(Step step) throws SQLException {
    Duration wait;
    String refused;
    synchronized (this) {
      counts.merge(step, 1L, Long::sum);
      wait = delays.getOrDefault(step, Duration.ZERO);
      Deque<String> waiting = refusals.get(step);
      refused = waiting == null ? null : waiting.poll();
    }
    if (wait.compareTo(Duration.ZERO) > 0) {
      sleep(wait);
    }
    if (refused != null) {
      throw new SQLException("The fault plan refuses a " + step + ".", refused);
    }
  }

  private static void sleep(Duration wait) throws SQLException {
    try {
      Thread.sleep(wait.toMillis());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new SQLException("Interrupted while delayed.", "57014", interrupted);
    }
  }

  CommitFate fateOfCommit() {
    Supplier<CommitFate> asked;
    synchronized (this) {
      CommitFate announced = cuts.poll();
      if (announced != null) {
        return announced;
      }
      asked = decide;
    }
    return asked.get();
  }
}
