package dev.skipjack.benchmarks;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntToLongFunction;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One run of {@link Steady}: a producer that commits each job separately at a fixed rate, and the
 * times of each job. Figures are those of the second half, except for the rate and the first
 * second, in which the worker starts.
 */
final class SteadyLoad {

  /** The minimum share of the offered rate at which this rate counts as reached. */
  private static final double REACHED = 0.99;

  private final long rate;
  private final int jobs;
  private final AtomicLongArray returned;
  private final AtomicLongArray started;
  private final CompletionLatch completed;

  /**
   * @param rate jobs per second
   */
  SteadyLoad(long rate, double seconds) {
    this.rate = rate;
    this.jobs = Math.toIntExact(Math.max(2, Math.round(rate * seconds)));
    this.returned = new AtomicLongArray(jobs);
    this.started = new AtomicLongArray(jobs);
    this.completed = new CompletionLatch(jobs);
  }

  /** Enqueues and commits job {@code n}. */
  @FunctionalInterface
  interface Enqueue {
    void run(long n) throws Exception;
  }

  /** Returns a handler that receives the number of each job that starts. */
  LongConsumer handler() {
    return n -> started.compareAndSet((int) n, 0, System.nanoTime());
  }

  /** Returns the latch that counts the jobs whose completion is committed. */
  CompletionLatch completed() {
    return completed;
  }

  /** Returns whether a rate counts as reaching the offered one. */
  static boolean isReached(double rate, long offered) {
    return rate >= REACHED * offered;
  }

  /**
   * Enqueues all jobs and waits for their completion. The value of the sample is the p50 in
   * milliseconds.
   */
  Sample run(BenchmarkDatabase database, Enqueue enqueue) throws Exception {
    int half = jobs / 2;
    Schedule schedule = new Schedule(rate);
    AtomicReference<@Nullable Middle> middle = new AtomicReference<>();
    Parallel.run(
        2,
        number -> {
          if (number == 0) {
            produce(schedule, enqueue);
          } else {
            schedule.await(half);
            middle.set(new Middle(Meter.start(database), jobs - completed.remaining()));
          }
        });
    completed.await();
    double seconds = (System.nanoTime() - schedule.due(0)) / 1e9;
    Middle measured = Objects.requireNonNull(middle.get());
    Costs costs = measured.meter.stop(jobs - measured.completed);
    Latencies all = latencies(schedule::due, half, jobs);
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.putAll(all.figures(""));
    figures.putAll(latencies(returned::get, half, jobs).figures("pickup_"));
    figures.put(
        "first_second_p99_ms", latencies(schedule::due, 0, (int) Math.min(rate, jobs)).millis(99));
    figures.put("reached_rate", jobs / seconds);
    return new Sample(all.millis(50), costs, figures);
  }

  /** The state at the time at which the second half was scheduled to begin. */
  private record Middle(Meter meter, long completed) {}

  private void produce(Schedule schedule, Enqueue enqueue) throws Exception {
    for (int n = 0; n < jobs; n++) {
      schedule.await(n);
      enqueue.run(n);
      returned.set(n, System.nanoTime());
    }
  }

  private Latencies latencies(IntToLongFunction since, int from, int to) {
    Latencies latencies = new Latencies();
    for (int n = from; n < to; n++) {
      latencies.addNanos(started.get(n) - since.applyAsLong(n));
    }
    return latencies;
  }
}
