package dev.skipjack.benchmarks;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.steps.Batch;
import dev.skipjack.steps.Batches;
import dev.skipjack.steps.Signals;
import dev.skipjack.steps.Steps;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.LongStream;

/**
 * Measures what durable steps, signals and batches cost: memos against committed INSERTs of the
 * same columns, the pickup after a signal against that of a plain job, and a batch against the same
 * jobs without one.
 */
@SuppressWarnings("try") // workers run until their blocks end
final class DurableSteps implements Benchmark {

  private static final JobType<Noop> STEPS = JobType.of("bench-steps", Noop.class).onQueue("steps");
  private static final JobType<Noop> WAIT = JobType.of("bench-wait", Noop.class).onQueue("steps");
  private static final JobType<Noop> PLAIN = JobType.of("bench-plain", Noop.class).onQueue("steps");
  private static final JobType<Noop> CALLBACK =
      JobType.of("bench-callback", Noop.class).onQueue("callbacks");

  private static final int HANDLERS = 8;

  /** A job may have at most 1,000 memos. */
  private static final int MOST_MEMOS = 900;

  private static final int JOBS = 100_000;
  private static final int MOST_SIGNALS = 200;
  private static final int PER_CALL = 1_000;
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  @Override
  public String purpose() {
    return "memos against INSERTs, signals against pickup, batches against jobs without one";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.JOBS, Setting.RUNS);
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    int jobs = options.count(Setting.JOBS, JOBS);
    int memos = Math.min(MOST_MEMOS, jobs);
    JobQueue queue = database.queue(HANDLERS);
    database.inSchema(
        "DROP TABLE IF EXISTS @memo_floor",
        "CREATE TABLE @memo_floor (LIKE @job_steps INCLUDING ALL)");
    Latencies callbacks = new Latencies();
    Rounds.Results results =
        new Rounds(options.warmUps(), options.count(Setting.RUNS, 3), 0, notes)
            .variant("memo", seconds -> memos(database, queue, memos))
            .variant("INSERT", seconds -> inserts(database, memos))
            .variant("enqueue, batch", seconds -> enqueue(database, queue, jobs, true))
            .variant("enqueue, bulk", seconds -> enqueue(database, queue, jobs, false))
            .variant("drain, batch", seconds -> drain(database, queue, jobs, true, callbacks))
            .variant("drain, plain", seconds -> drain(database, queue, jobs, false, callbacks))
            .run();
    Latencies signals = new Latencies();
    Latencies pickups = new Latencies();
    pickUp(database, queue, Math.min(MOST_SIGNALS, jobs), signals, pickups);
    return new Report("steps", "memos/s")
        .finding(results, "memo", "INSERT")
        .variants(results)
        .put(
            "batch_enqueue_ratio",
            Statistics.median(results.ratios("enqueue, batch", "enqueue, bulk")))
        .put("batch_drain_ratio", Statistics.median(results.ratios("drain, batch", "drain, plain")))
        .put("signal_p50_ms", signals.millis(50))
        .put("signal_p99_ms", signals.millis(99))
        .put("pickup_p50_ms", pickups.millis(50))
        .put("callback_p50_ms", callbacks.millis(50))
        .put("callback_max_ms", callbacks.maxMillis());
  }

  private static void empty(BenchmarkDatabase database) throws Exception {
    database.empty();
    database.inSchema("TRUNCATE @job_batches, @job_steps, @job_waits, @job_signals, @memo_floor");
    database.settle();
  }

  private static Sample memos(BenchmarkDatabase database, JobQueue queue, int memos)
      throws Exception {
    empty(database);
    SynchronousQueue<Sample> measured = new SynchronousQueue<>();
    try (Worker unused =
        Worker.on(queue)
            .queue(STEPS.queue(), 1)
            .handle(
                STEPS,
                (payload, context) -> {
                  Sample sample = memos(database, Steps.of(context), memos);
                  measured.put(sample);
                  return Outcome.completed();
                })
            .start()) {
      Object job = queue.enqueue(STEPS, Noop.number(1));
      return taken(measured, "memos of job " + job);
    }
  }

  private static Sample memos(BenchmarkDatabase database, Steps steps, int memos) throws Exception {
    Meter meter = Meter.start(database);
    for (long n = 0; n < memos; n++) {
      Noop result = Noop.number(n);
      Noop unused = steps.run("step " + n, Noop.class, key -> result);
    }
    return Sample.rate(memos, meter.stop(memos));
  }

  private static Sample inserts(BenchmarkDatabase database, int memos) throws Exception {
    empty(database);
    try (Connection connection = database.bareConnection();
        PreparedStatement insert =
            connection.prepareStatement(
                BenchmarkDatabase.qualified(
                    BenchmarkDatabase.SCHEMA,
                    "INSERT INTO @memo_floor (job_id, name, execution_id, position, type, result)"
                        + " VALUES (1, ?, 1, ?, 'run', ?::jsonb)"))) {
      Meter meter = Meter.start(database);
      for (int n = 0; n < memos; n++) {
        insert.setString(1, "step " + n);
        insert.setInt(2, n + 1);
        insert.setString(3, Noop.json(n));
        insert.executeUpdate();
      }
      return Sample.rate(memos, meter.stop(memos));
    }
  }

  private static Sample enqueue(
      BenchmarkDatabase database, JobQueue queue, int jobs, boolean inBatch) throws Exception {
    empty(database);
    Meter meter = Meter.start(database);
    enqueue(queue, jobs, inBatch);
    return Sample.rate(jobs, meter.stop(jobs));
  }

  private static void enqueue(JobQueue queue, int jobs, boolean inBatch) {
    Batch batch = inBatch ? Batches.on(queue).open("bench") : null;
    for (int first = 0; first < jobs; first += PER_CALL) {
      List<Noop> payloads =
          LongStream.range(first, Math.min(jobs, first + PER_CALL)).mapToObj(Noop::number).toList();
      Object unused =
          batch == null ? queue.enqueueAll(PLAIN, payloads) : batch.add(PLAIN, payloads);
    }
    if (batch != null) {
      Object unused = batch.onFinish(CALLBACK, id -> Noop.number(id.value())).seal();
    }
  }

  private static Sample drain(
      BenchmarkDatabase database, JobQueue queue, int jobs, boolean inBatch, Latencies callbacks)
      throws Exception {
    empty(database);
    enqueue(queue, jobs, inBatch);
    database.settle();
    CompletionLatch latch = new CompletionLatch(jobs);
    SynchronousQueue<Long> called = new SynchronousQueue<>();
    AtomicLong ended = new AtomicLong();
    Meter meter = Meter.start(database);
    try (Worker unused =
        Worker.on(queue)
            .queue(PLAIN.queue(), HANDLERS)
            .queue(CALLBACK.queue(), 1)
            .listener(
                event -> {
                  if (latch.remaining() > 0) {
                    ended.set(System.nanoTime());
                    latch.on(event);
                  }
                })
            .handle(PLAIN, (payload, context) -> Outcome.completed())
            .handle(CALLBACK, (payload, context) -> put(called, System.nanoTime()))
            .start()) {
      latch.await();
      Sample sample = Sample.rate(jobs, meter.stop(jobs));
      if (inBatch) {
        callbacks.addNanos(taken(called, "callback of the batch") - ended.get());
      }
      return sample;
    }
  }

  private static void pickUp(
      BenchmarkDatabase database, JobQueue queue, int jobs, Latencies signals, Latencies pickups)
      throws Exception {
    empty(database);
    SynchronousQueue<Long> started = new SynchronousQueue<>();
    Signals sender = Signals.on(queue);
    try (Worker unused =
        Worker.on(queue)
            .queue(PLAIN.queue(), HANDLERS)
            .handle(PLAIN, (payload, context) -> put(started, System.nanoTime()))
            .handle(WAIT, (payload, context) -> await(payload, context, started))
            .start()) {
      for (int n = 0; n < jobs; n++) {
        long before = System.nanoTime();
        Object plain = queue.enqueue(PLAIN, Noop.number(n));
        pickups.addNanos(taken(started, "start of job " + plain) - before);
        Object waiting = queue.enqueue(WAIT, Noop.number(n));
        while (database.number(
                "SELECT count(*) FROM @jobs WHERE status = 'pending' AND awaits = 'go'")
            == 0) {
          Thread.sleep(1);
        }
        before = System.nanoTime();
        Object result = sender.sendToKey("bench " + n, "go", Noop.number(n));
        signals.addNanos(taken(started, result + " signal to job " + waiting) - before);
      }
    }
  }

  private static Outcome await(Noop payload, JobContext context, SynchronousQueue<Long> started)
      throws InterruptedException {
    long now = System.nanoTime();
    Object unused =
        Steps.of(context).awaitKey("bench " + payload.n(), "go", Noop.class, Duration.ofHours(1));
    return put(started, now);
  }

  private static Outcome put(SynchronousQueue<Long> to, long nanos) throws InterruptedException {
    to.put(nanos);
    return Outcome.completed();
  }

  private static <T> T taken(SynchronousQueue<T> from, String what) throws InterruptedException {
    T taken = from.poll(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    if (taken == null) {
      throw new IllegalStateException("Waited two minutes for the " + what + ".");
    }
    return taken;
  }
}
