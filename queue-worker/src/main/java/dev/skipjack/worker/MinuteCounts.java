package dev.skipjack.worker;

import dev.skipjack.api.operations.DurationHistogram;
import dev.skipjack.api.spi.JobMinute;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Counts in memory what the worker does with jobs of each queue and kind. A count takes two lookups
 * and an increment. Thread-safe.
 */
final class MinuteCounts {

  /** The result of an attempt. */
  enum Result {
    COMPLETED,
    FAILED,
    DEAD,
    CANCELLED,
    SNOOZED,
    LOST
  }

  private static final int WAITS = Result.values().length;
  private static final int RUNS = WAITS + DurationHistogram.RANGES;
  private static final int NUMBERS = RUNS + DurationHistogram.RANGES;

  /** The numbers by queue and kind. There are never more kinds than the worker has handlers for. */
  private final Map<String, Map<String, AtomicIntegerArray>> queues = new ConcurrentHashMap<>();

  void ended(AttemptInfo attempt, Result result) {
    of(attempt).incrementAndGet(result.ordinal());
  }

  void waited(AttemptInfo attempt, Duration wait) {
    of(attempt).incrementAndGet(WAITS + DurationHistogram.rangeOf(wait.toNanos()));
  }

  void ran(AttemptInfo attempt, long nanos) {
    of(attempt).incrementAndGet(RUNS + DurationHistogram.rangeOf(nanos));
  }

  private AtomicIntegerArray of(AttemptInfo attempt) {
    return queues
        .computeIfAbsent(attempt.queue(), queue -> new ConcurrentHashMap<>())
        .computeIfAbsent(attempt.kind(), kind -> new AtomicIntegerArray(NUMBERS));
  }

  /** Returns the numbers that are not all zero, and starts again from zero. */
  List<JobMinute> take() {
    List<JobMinute> minutes = new ArrayList<>();
    queues.forEach(
        (queue, kinds) ->
            kinds.forEach(
                (kind, numbers) -> {
                  int[] taken = take(numbers);
                  if (taken.length > 0) {
                    minutes.add(minute(queue, kind, taken));
                  }
                }));
    return minutes;
  }

  /** Returns the numbers, or an empty array if all of them are zero. */
  private static int[] take(AtomicIntegerArray numbers) {
    int[] taken = new int[NUMBERS];
    boolean any = false;
    for (int i = 0; i < NUMBERS; i++) {
      taken[i] = numbers.getAndSet(i, 0);
      any |= taken[i] != 0;
    }
    return any ? taken : new int[0];
  }

  private static JobMinute minute(String queue, String kind, int[] numbers) {
    return new JobMinute(
        queue,
        kind,
        numbers[Result.COMPLETED.ordinal()],
        numbers[Result.FAILED.ordinal()],
        numbers[Result.DEAD.ordinal()],
        numbers[Result.CANCELLED.ordinal()],
        numbers[Result.SNOOZED.ordinal()],
        numbers[Result.LOST.ordinal()],
        histogram(numbers, WAITS),
        histogram(numbers, RUNS));
  }

  private static DurationHistogram histogram(int[] numbers, int first) {
    long[] counts = new long[DurationHistogram.RANGES];
    for (int i = 0; i < counts.length; i++) {
      counts[i] = numbers[first + i];
    }
    return DurationHistogram.of(counts);
  }
}
