package dev.skipjack.benchmarks;

import dev.skipjack.api.Outcome;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;

/**
 * One producer that commits each job separately at a fixed rate, and one worker. Latencies count
 * from the scheduled time of the enqueue, so that a stall counts for every job that it delays. The
 * first second, in which producer and worker start, is reported separately.
 */
final class Steady implements Benchmark {

  /** The share of a run before it that does not count: code is compiled and caches fill. */
  private static final double WARM_UP = 0.2;

  @Override
  public String purpose() {
    return "a fixed rate, enqueued one by one: latencies and CPU";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.RATE, Setting.SECONDS, Setting.WORKERS, Setting.ARCHIVE);
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    long rate = options.number(Setting.RATE, 1_000);
    double seconds = options.seconds(60);
    boolean archive = options.number(Setting.ARCHIVE, 1) == 1;
    int warmUps = (int) Math.max(1, Math.round(rate * seconds * WARM_UP));
    int jobs = Math.toIntExact(Math.round(rate * seconds));
    database.archive(archive, Noop.TYPE.queue());
    database.empty();
    database.settle();
    JobQueue queue = database.queue(10);
    AtomicLongArray due = new AtomicLongArray(warmUps + jobs);
    AtomicLongArray returned = new AtomicLongArray(warmUps + jobs);
    AtomicLongArray started = new AtomicLongArray(warmUps + jobs);
    CompletionLatch warm = new CompletionLatch(warmUps);
    CompletionLatch all = new CompletionLatch(warmUps + jobs);
    Costs costs;
    Worker worker =
        Worker.on(queue)
            .name("bench")
            .handle(
                Noop.TYPE,
                (payload, context) -> {
                  started.compareAndSet((int) payload.n(), 0, System.nanoTime());
                  return Outcome.completed();
                })
            .queue(Noop.TYPE.queue(), options.count(Setting.WORKERS, 8))
            .listener(warm)
            .listener(all)
            .start();
    try {
      produce(queue, rate, 0, warmUps, due, returned);
      warm.await();
      notes.accept("warm-up done; measuring %d jobs/s for %.0f s".formatted(rate, seconds));
      Meter meter = Meter.start(database);
      produce(queue, rate, warmUps, warmUps + jobs, due, returned);
      all.await();
      costs = meter.stop(jobs);
    } finally {
      worker.close();
    }
    Latencies latencies = new Latencies();
    Latencies pickups = new Latencies();
    for (int n = warmUps; n < warmUps + jobs; n++) {
      latencies.addNanos(started.get(n) - due.get(n));
      pickups.addNanos(started.get(n) - returned.get(n));
    }
    Latencies start = new Latencies();
    for (int n = 0; n < Math.min(warmUps, rate); n++) {
      start.addNanos(started.get(n) - due.get(n));
    }
    return report(rate, seconds, archive, costs, latencies, pickups)
        .put("first_second_p99_ms", start.millis(99));
  }

  private static void produce(
      JobQueue queue, long rate, int from, int to, AtomicLongArray due, AtomicLongArray returned)
      throws InterruptedException {
    Schedule schedule = new Schedule(rate);
    for (int n = from; n < to; n++) {
      schedule.await(n - from);
      due.set(n, schedule.due(n - from));
      queue.enqueue(Noop.TYPE, Noop.number(n));
      returned.set(n, System.nanoTime());
    }
  }

  private static Report report(
      long rate,
      double seconds,
      boolean archive,
      Costs costs,
      Latencies latencies,
      Latencies pickups) {
    Report report =
        new Report("steady", "ms")
            .finding(List.of(new Sample(latencies.millis(50), costs, Map.of())))
            .put("rate", rate)
            .put("seconds", seconds)
            .put("archive", archive ? "keep" : "none")
            .put("reached_rate", rate * seconds / costs.seconds());
    latencies.figures("").forEach(report::put);
    pickups.figures("pickup_").forEach(report::put);
    Double server = costs.serverMicros();
    double micros = costs.clientMicros() + (server == null ? 0 : server);
    return report.put(
        "cores", server == null ? null : micros * rate * seconds / costs.seconds() / 1e6);
  }
}
