package dev.skipjack.rivals;

import dev.skipjack.benchmarks.BenchmarkDatabase;
import dev.skipjack.benchmarks.CommitClock;
import dev.skipjack.benchmarks.Costs;
import dev.skipjack.benchmarks.Latencies;
import dev.skipjack.benchmarks.LatencyProcess;
import dev.skipjack.benchmarks.LatencyProcess.Produced;
import dev.skipjack.benchmarks.LatencyProducer;
import dev.skipjack.benchmarks.LatencyProducer.Target;
import dev.skipjack.benchmarks.Load;
import dev.skipjack.benchmarks.Meter;
import dev.skipjack.benchmarks.Options;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.benchmarks.Parallel;
import dev.skipjack.benchmarks.Rounds;
import dev.skipjack.benchmarks.Sample;
import dev.skipjack.benchmarks.Schedule;
import dev.skipjack.rivals.Contender.Session;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Runs the phases. In each phase the contenders take turns. */
final class Comparison {

  private static final int CLIENTS = 8;

  /**
   * The number of jobs enqueued per second in the pickup phase, low enough that each finds an idle
   * worker.
   */
  private static final long PICKUP_RATE = 10;

  private static final long MIN_PICKUPS = 5;

  private final BenchmarkDatabase database;
  private final List<Contender> contenders;
  private final LatencyProcess producer;
  private final Options options;
  private final Consumer<String> notes;
  private final Map<Contender, DataSource> pools = new LinkedHashMap<>();
  private final Map<Contender, Load> loads = new LinkedHashMap<>();
  private final Map<Contender, Load> bulkLoads = new LinkedHashMap<>();

  Comparison(
      BenchmarkDatabase database,
      List<Contender> contenders,
      LatencyProcess producer,
      Options options,
      Consumer<String> notes) {
    this.database = database;
    this.contenders = contenders;
    this.producer = producer;
    this.options = options;
    this.notes = notes;
  }

  /** Runs all phases and returns their results, named after the contenders. */
  Map<Phase, Rounds.Results> run() throws Exception {
    for (Contender contender : contenders) {
      contender.create();
      pools.put(contender, contender.pool());
      loads.put(contender, new Load(options, contender.pace()));
      bulkLoads.put(contender, new Load(options, contender.pace()));
    }
    Map<Phase, Rounds.Results> results = new EnumMap<>(Phase.class);
    for (Phase phase : Phase.values()) {
      notes.accept(phase.title());
      Rounds rounds =
          new Rounds(options.warmUps(), options.count(Setting.RUNS, 3), options.seconds(8), notes);
      for (Contender contender : contenders) {
        if (contender.takesPart(phase)) {
          rounds.variant(contender.name(), seconds -> measure(phase, contender, seconds));
        }
      }
      results.put(phase, rounds.run());
    }
    return results;
  }

  private Sample measure(Phase phase, Contender contender, double seconds) throws Exception {
    contender.empty();
    DataSource pool = Objects.requireNonNull(pools.get(contender));
    return switch (phase) {
      case ENQUEUE_1 -> enqueue(contender, pool, 1, seconds);
      case ENQUEUE_8 -> enqueue(contender, pool, CLIENTS, seconds);
      case PICKUP -> pickup(contender, pool, seconds);
      case STEADY -> steady(contender, pool, seconds);
      case BULK -> bulk(contender, pool, seconds);
      case DRAIN -> drain(contender, pool, seconds);
    };
  }

  private Sample enqueue(Contender contender, DataSource pool, int clients, double seconds)
      throws Exception {
    AtomicLong numbers = new AtomicLong();
    Costs costs;
    try (Session session = contender.open(pool, null)) {
      Meter meter = Meter.start(database);
      Parallel.run(
          clients,
          client -> {
            while (meter.seconds() < seconds) {
              session.enqueue(numbers.incrementAndGet());
            }
          });
      costs = meter.stop(numbers.get());
    }
    requireAll(contender, numbers.get());
    return Sample.rate(numbers.get(), costs);
  }

  private static void requireAll(Contender contender, long enqueued) throws Exception {
    long unfinished = contender.unfinished();
    if (unfinished != enqueued) {
      throw new IllegalStateException(
          "%s enqueued %d jobs, but %d exist.".formatted(contender.name(), enqueued, unfinished));
    }
  }

  private Sample pickup(Contender contender, DataSource pool, double seconds) throws Exception {
    long jobs = Math.max(MIN_PICKUPS, Math.round(PICKUP_RATE * seconds));
    long warmUp = LatencyProducer.warmUp(jobs);
    HandledJobs handled = new HandledJobs(1 - warmUp, jobs);
    // db-scheduler checks on one connection that the job is new, then inserts it on another.
    CommitClock clock = CommitClock.ofLastConnection();
    Produced produced;
    Costs costs;
    Target target = contender.producer();
    try (Session worker = contender.open(target == null ? clock.watch(pool) : pool, handled)) {
      produced =
          target == null
              ? produce(worker, clock, jobs)
              : producer.produce(target, jobs, PICKUP_RATE);
      handled.await(contender.name(), contender::unfinished, jobs + warmUp);
      costs = produced.meter().stop(jobs);
    }
    Latencies latencies = latencies(handled, produced.committed());
    Map<String, Double> figures = new HashMap<>();
    figures.put(Measure.P99, latencies.millis(99));
    figures.put(
        contender.enqueuesElsewhere() ? Measure.ELSEWHERE : Measure.CALL,
        latencies(handled, produced.called()).millis(50));
    return new Sample(latencies.millis(50), costs, figures);
  }

  /** Returns the times from the given instants to the starts of the jobs, without warm-up jobs. */
  private static Latencies latencies(HandledJobs handled, Map<Long, Instant> from) {
    Latencies latencies = new Latencies();
    from.forEach(
        (n, at) -> {
          if (n > 0) {
            latencies.add(handled.epochMicros(n) - HandledJobs.epochMicros(at));
          }
        });
    return latencies;
  }

  private Produced produce(Session worker, CommitClock clock, long jobs) throws Exception {
    Map<Long, Instant> called = new LinkedHashMap<>();
    Map<Long, Instant> committed = new LinkedHashMap<>();
    AtomicReference<@Nullable Meter> meter = new AtomicReference<>();
    LatencyProducer.produce(
        jobs,
        PICKUP_RATE,
        n -> clock.time(() -> worker.enqueue(n)),
        (n, calledAt, committedAt) -> {
          called.put(n, calledAt);
          committed.put(n, committedAt);
          if (n == 0) {
            meter.set(Meter.start(database));
          }
        });
    return new Produced(called, committed, Objects.requireNonNull(meter.get(), "no warm-up"));
  }

  /**
   * Enqueues jobs at a fixed rate, or fewer in the given time if the contender is too slow. The
   * latency of a job is measured from the time at which it was scheduled to be enqueued.
   */
  private Sample steady(Contender contender, DataSource pool, double seconds) throws Exception {
    long rate = options.number(Setting.RATE, 1_000);
    long most = Math.round(rate * seconds);
    HandledJobs handled = new HandledJobs(0, most);
    Schedule schedule;
    Costs costs;
    long n = 0;
    try (Session worker = contender.open(pool, handled)) {
      Meter meter = Meter.start(database);
      long childNanos = worker.childCpuNanos();
      schedule = new Schedule(rate);
      while (n < most && meter.seconds() < seconds) {
        schedule.await(n);
        worker.enqueue(n);
        n++;
      }
      handled.await(contender.name(), contender::unfinished, n);
      costs = meter.stop(n).plusClientNanos(worker.childCpuNanos() - childNanos, n);
    }
    Latencies latencies = new Latencies();
    for (long i = 0; i < n; i++) {
      latencies.addNanos(handled.nanos(i) - schedule.due(i));
    }
    return new Sample(
        latencies.millis(50),
        costs,
        Map.of(Measure.P99, latencies.millis(99), Measure.RATE, n / costs.seconds()));
  }

  private Sample bulk(Contender contender, DataSource pool, double seconds) throws Exception {
    Load load = Objects.requireNonNull(bulkLoads.get(contender));
    long jobs = load.jobs(seconds);
    Costs costs;
    try (Session producer = contender.open(pool, null)) {
      Meter meter = Meter.start(database);
      producer.enqueueAll(jobs);
      costs = meter.stop(jobs);
    }
    requireAll(contender, jobs);
    return load.adjust(Sample.rate(jobs, costs));
  }

  /**
   * Measures the rate from the start of the first handler, because some libraries wait before they
   * begin.
   */
  private Sample drain(Contender contender, DataSource pool, double seconds) throws Exception {
    Load load = Objects.requireNonNull(loads.get(contender));
    long jobs = load.jobs(seconds);
    try (Session producer = contender.open(pool, null)) {
      producer.enqueueAll(jobs);
    }
    contender.settle();
    HandledJobs handled = new HandledJobs(1, jobs);
    Meter meter = Meter.start(database);
    Session worker = contender.open(pool, handled);
    try {
      long childNanos = worker.childCpuNanos();
      handled.await(contender.name(), contender::unfinished, jobs);
      double drained = (System.nanoTime() - handled.firstNanos()) / 1e9;
      Costs costs = meter.stop(jobs).plusClientNanos(worker.childCpuNanos() - childNanos, jobs);
      return load.adjust(new Sample(jobs / drained, costs, Map.of()));
    } finally {
      worker.close();
    }
  }
}
