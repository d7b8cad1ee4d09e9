package dev.skipjack.rivals;

import dev.skipjack.benchmarks.BenchmarkDatabase;
import dev.skipjack.benchmarks.CommitClock;
import dev.skipjack.benchmarks.Costs;
import dev.skipjack.benchmarks.Latencies;
import dev.skipjack.benchmarks.LatencyProcess;
import dev.skipjack.benchmarks.LatencyProcess.Produced;
import dev.skipjack.benchmarks.LatencyProducer;
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
    if (contender.unfinished() != numbers.get()) {
      throw new IllegalStateException(
          "%s enqueued %d jobs, but %d exist."
              .formatted(contender.name(), numbers.get(), contender.unfinished()));
    }
    return Sample.rate(numbers.get(), costs);
  }

  private Sample pickup(Contender contender, DataSource pool, double seconds) throws Exception {
    long jobs = Math.max(MIN_PICKUPS, Math.round(PICKUP_RATE * seconds));
    long warmUp = LatencyProducer.warmUp(jobs);
    HandledJobs handled = new HandledJobs(1 - warmUp, jobs);
    // db-scheduler checks on one connection that the job is new, then inserts it on another.
    CommitClock clock = CommitClock.ofLastConnection();
    Map<Long, Instant> called = new LinkedHashMap<>();
    Produced produced;
    Costs costs;
    boolean elsewhere = contender.enqueuesElsewhere();
    try (Session worker = contender.open(elsewhere ? pool : clock.watch(pool), handled)) {
      produced =
          elsewhere
              ? producer.produce(LatencyProducer.Target.SKIPJACK, jobs, PICKUP_RATE)
              : produce(worker, clock, jobs, called);
      handled.await(contender.name(), contender::unfinished, jobs + warmUp);
      costs = produced.meter().stop(jobs);
    }
    Latencies latencies = new Latencies();
    produced
        .committed()
        .forEach(
            (n, committed) -> {
              if (n > 0) {
                latencies.add(handled.epochMicros(n) - HandledJobs.epochMicros(committed));
              }
            });
    Map<String, Double> figures = new HashMap<>();
    figures.put(Measure.P99, latencies.millis(99));
    if (!elsewhere) {
      Latencies fromCall = new Latencies();
      called.forEach(
          (n, at) -> {
            if (n > 0) {
              fromCall.add(handled.epochMicros(n) - HandledJobs.epochMicros(at));
            }
          });
      figures.put(Measure.CALL, fromCall.millis(50));
    }
    return new Sample(latencies.millis(50), costs, figures);
  }

  /**
   * @param called receives when the enqueue of each job was called
   */
  private Produced produce(Session worker, CommitClock clock, long jobs, Map<Long, Instant> called)
      throws Exception {
    Map<Long, Instant> committed = new LinkedHashMap<>();
    AtomicReference<@Nullable Meter> meter = new AtomicReference<>();
    LatencyProducer.produce(
        jobs,
        PICKUP_RATE,
        n -> {
          called.put(n, Instant.now());
          return clock.time(() -> worker.enqueue(n));
        },
        (n, at) -> {
          committed.put(n, at);
          if (n == 0) {
            meter.set(Meter.start(database));
          }
        });
    return new Produced(committed, Objects.requireNonNull(meter.get(), "no warm-up"));
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
      schedule = new Schedule(rate);
      while (n < most && meter.seconds() < seconds) {
        schedule.await(n);
        worker.enqueue(n);
        n++;
      }
      handled.await(contender.name(), contender::unfinished, n);
      costs = meter.stop(n);
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
      handled.await(contender.name(), contender::unfinished, jobs);
      double drained = (System.nanoTime() - handled.firstNanos()) / 1e9;
      return load.adjust(new Sample(jobs / drained, meter.stop(jobs), Map.of()));
    } finally {
      worker.close();
    }
  }
}
