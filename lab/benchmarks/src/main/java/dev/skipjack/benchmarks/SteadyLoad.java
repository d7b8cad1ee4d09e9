package dev.skipjack.benchmarks;

import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntToLongFunction;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * One run of {@link Steady}: producers that commit each job separately, together at a fixed rate,
 * and the times of each job. Most figures cover the second half; the rate covers the whole run. The
 * worker starts in the first second, which has a figure of its own. A comparison of the server's
 * CPU time per job in the first and the last quarter shows whether it grows during a run.
 */
final class SteadyLoad {

  /** The minimum share of the offered rate at which this rate counts as reached. */
  private static final double REACHED = 0.99;

  /**
   * The number of producers. A single one that waits for each commit falls behind while the machine
   * is slow.
   */
  static final int PRODUCERS = 4;

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

  /** Enqueues and commits job {@code n}; called by one thread for each producer. */
  @FunctionalInterface
  interface Enqueue {
    void run(int producer, long n) throws Exception;
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
    Part first = part(database);
    AtomicReference<@Nullable Double> firstQuarter = new AtomicReference<>();
    AtomicReference<@Nullable Part> secondHalf = new AtomicReference<>();
    AtomicReference<@Nullable Part> lastQuarter = new AtomicReference<>();
    Parallel.run(
        PRODUCERS + 1,
        number -> {
          if (number < PRODUCERS) {
            produce(number, schedule, enqueue);
          } else {
            schedule.await(jobs / 4);
            firstQuarter.set(costs(first).serverMicros());
            schedule.await(half);
            secondHalf.set(part(database));
            schedule.await(jobs - jobs / 4);
            lastQuarter.set(part(database));
          }
        });
    completed.await();
    double seconds = (System.nanoTime() - schedule.due(0)) / 1e9;
    Costs costs = costs(Objects.requireNonNull(secondHalf.get()));
    Double last = costs(Objects.requireNonNull(lastQuarter.get())).serverMicros();
    Latencies all = latencies(schedule::due, half, jobs);
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.putAll(all.figures(""));
    figures.putAll(latencies(returned::get, half, jobs).figures("pickup_"));
    figures.put(
        "first_second_p99_ms", latencies(schedule::due, 0, (int) Math.min(rate, jobs)).millis(99));
    figures.put("reached_rate", jobs / seconds);
    Double early = firstQuarter.get();
    if (early != null && last != null) {
      figures.put("first_quarter_server_cpu_us", early);
      figures.put("last_quarter_server_cpu_us", last);
    }
    return new Sample(all.millis(50), costs, figures);
  }

  /** A part of the run that is being measured, and how many jobs were completed before it. */
  private record Part(Meter meter, long completed) {}

  private Part part(BenchmarkDatabase database) throws SQLException {
    return new Part(Meter.start(database), jobs - completed.remaining());
  }

  private Costs costs(Part part) throws SQLException {
    return part.meter.stop(jobs - completed.remaining() - part.completed);
  }

  private void produce(int producer, Schedule schedule, Enqueue enqueue) throws Exception {
    for (int n = producer; n < jobs; n += PRODUCERS) {
      schedule.await(n);
      enqueue.run(producer, n);
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
