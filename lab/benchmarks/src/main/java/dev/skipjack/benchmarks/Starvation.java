package dev.skipjack.benchmarks;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Handler;
import dev.skipjack.worker.Worker;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Measures the longest wait of low-priority jobs while nine times as many high-priority jobs are
 * waiting.
 *
 * <p>A producer keeps the backlog at nine to one. If jobs ran in order of arrival, each would wait
 * for as long as the worker takes to process the whole backlog. This wait is the fair share, which
 * is the unit of the result.
 */
final class Starvation implements Benchmark {

  private static final String QUEUE = "starvation";
  private static final JobType<Noop> LOW =
      JobType.of("low", Noop.class).onQueue(QUEUE).priority(-10);
  private static final JobType<Noop> HIGH =
      JobType.of("high", Noop.class).onQueue(QUEUE).priority(10);
  private static final int HIGH_TO_LOW = 9;
  private static final double MAX_SHARES = 20;

  /** The additional time, in seconds, for the first job of each priority on a busy machine. */
  private static final double EXTENSION = 60;

  @Override
  public String purpose() {
    return "longest wait of low-priority jobs behind nine times as many of high priority";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.JOBS, Setting.WORKERS, Setting.SECONDS);
  }

  /** The load of one priority: its backlog, the number of handled jobs, and their waits. */
  private static final class PriorityLoad {
    private final JobType<Noop> type;
    private final int backlog;
    private final AtomicLong waiting = new AtomicLong();
    private final AtomicLong handled = new AtomicLong();
    private final Latencies waits = new Latencies();

    PriorityLoad(JobType<Noop> type, int backlog) {
      this.type = type;
      this.backlog = backlog;
    }

    /** Refills the backlog if at least a tenth of it is missing. Returns whether it added jobs. */
    boolean fill(JobQueue queue) {
      int missing = (int) Math.min(backlog - waiting.get(), 1_000);
      if (missing < Math.max(1, backlog / 10)) {
        return false;
      }
      queue.enqueueAll(type, Collections.nCopies(missing, Noop.number(0)));
      waiting.addAndGet(missing);
      return true;
    }

    Handler<Noop> handler(Duration clockOffset) {
      return (payload, context) -> {
        waiting.decrementAndGet();
        handled.incrementAndGet();
        waits.add(
            ChronoUnit.MICROS.between(context.scheduledAt(), Instant.now().plus(clockOffset)));
        return Outcome.completed();
      };
    }
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    double seconds = options.seconds(120);
    int backlog = options.count(Setting.JOBS, 10_000);
    database.empty();
    database.archive(true, QUEUE);
    JobQueue queue = database.queue(10);
    PriorityLoad low = new PriorityLoad(LOW, Math.max(1, backlog / (HIGH_TO_LOW + 1)));
    PriorityLoad high = new PriorityLoad(HIGH, Math.max(1, backlog - low.backlog));
    Duration clockOffset = databaseClockOffset(database);
    while (fill(queue, low, high)) {
      Thread.onSpinWait();
    }
    Worker worker =
        Worker.on(queue)
            .name("bench")
            .handle(LOW, low.handler(clockOffset))
            .handle(HIGH, high.handler(clockOffset))
            .queue(QUEUE, options.count(Setting.WORKERS, 8))
            .start();
    Costs costs;
    try {
      Meter meter = Meter.start(database);
      while (meter.seconds() < seconds
          || (!hasHandled(low, high) && meter.seconds() < seconds + EXTENSION)) {
        if (!fill(queue, low, high)) {
          Thread.sleep(1);
        }
      }
      costs = meter.stop(low.handled.get() + high.handled.get());
    } finally {
      worker.close();
    }
    return report(low, high, costs);
  }

  /** Refills both backlogs. Returns whether it added jobs. */
  private static boolean fill(JobQueue queue, PriorityLoad low, PriorityLoad high) {
    boolean filled = low.fill(queue);
    return high.fill(queue) || filled;
  }

  /** Returns whether at least one job of each priority was handled. */
  private static boolean hasHandled(PriorityLoad low, PriorityLoad high) {
    return low.handled.get() > 0 && high.handled.get() > 0;
  }

  private static Report report(PriorityLoad low, PriorityLoad high, Costs costs) {
    long handled = low.handled.get() + high.handled.get();
    if (!hasHandled(low, high)) {
      throw new IllegalStateException(
          "%d jobs of high priority and %d of low priority were handled; neither may be 0."
              .formatted(high.handled.get(), low.handled.get()));
    }
    double rate = handled / costs.seconds();
    double fairMillis = (low.backlog + high.backlog) / rate * 1_000;
    double shares = low.waits.maxMillis() / fairMillis;
    return new Report("starvation", "fair shares")
        .finding(List.of(new Sample(shares, costs, Map.of())))
        .put("ratio", shares)
        .put("floor", "the wait in order of arrival")
        .put("to_reach", MAX_SHARES)
        .put("reached", shares <= MAX_SHARES)
        .put("fair_share_ms", fairMillis)
        .put("jobs_per_s", rate)
        .put("low_part", (double) low.handled.get() / handled)
        .row(row("low", low))
        .row(row("high", high));
  }

  private static Map<String, Object> row(String name, PriorityLoad load) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("priority", name);
    row.put("backlog", load.backlog);
    row.put("handled", load.handled.get());
    row.putAll(load.waits.figures("wait_"));
    return row;
  }

  /** Returns how far the database's clock is ahead of this machine's. */
  private static Duration databaseClockOffset(BenchmarkDatabase database) throws Exception {
    Instant before = Instant.now();
    long micros = database.number("SELECT (extract(epoch FROM clock_timestamp()) * 1e6)::bigint");
    Instant after = Instant.now();
    Instant middle = before.plus(Duration.between(before, after).dividedBy(2));
    return Duration.between(middle, Instant.EPOCH.plus(micros, ChronoUnit.MICROS));
  }
}
