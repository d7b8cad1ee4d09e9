package dev.skipjack.benchmarks;

import dev.skipjack.api.Outcome;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.outbox.Event;
import dev.skipjack.outbox.Outbox;
import dev.skipjack.outbox.PublishResult;
import dev.skipjack.outbox.Publisher;
import dev.skipjack.outbox.Relay;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import dev.skipjack.worker.WorkerConfig;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Measures the outbox in three parts. The first compares a relay whose publisher does nothing with
 * a worker that runs as many no-op jobs, and with a simple relay that publishes while it holds its
 * rows locked. The second compares recording an event in a transaction, with and without wake-ups,
 * with a plain INSERT of the same row. The third compares the time from a commit to the publisher
 * with that from a commit to a handler.
 */
final class OutboxEvents implements Benchmark {

  private static final String RELAY = "relay";
  private static final String WORKER = "worker";
  private static final String HELD = "transaction held";
  private static final String RECORD = "record";
  private static final String RECORD_SILENTLY = "record, no wake-ups";
  private static final String INSERT = "INSERT";
  private static final String PUBLISH = "publish";
  private static final String PICKUP = "pickup";

  private static final int AGGREGATES = 1_000;
  private static final int HANDLERS = 8;
  private static final int THREADS = 2;
  private static final int BATCH = 500;
  private static final long RATE = 20;
  private static final double FIRST_GUESS = 10_000;
  private static final PublishResult SENT = PublishResult.sent();

  private static final String PRELOAD =
      "INSERT INTO @outbox_events (event_id, shard, aggregate_type, aggregate_id, event_type, payload)"
          + " SELECT gen_random_uuid(), get_byte(sha256(convert_to('order/' || each.id, 'UTF8')), 0) & 31, 'order', each.id,"
          + " 'order-placed', convert_to('{\"n\":' || n || ',\"text\":\"' || repeat('x', 80) || '\"}', 'UTF8')"
          + " FROM generate_series(1, %d) AS n, LATERAL (SELECT (n %% %d)::text AS id) AS each";

  private static final String PLAIN =
      "INSERT INTO @outbox_events (event_id, shard, aggregate_type, aggregate_id, event_type, content_type, headers, traceparent, payload)"
          + " VALUES (?, ?, ?, ?, ?, ?, ?::jsonb, ?, ?)";

  private static final String LOCK =
      "SELECT event_id FROM @outbox_events WHERE status = 'pending' LIMIT ? FOR UPDATE SKIP LOCKED";

  private static final String REMOVE =
      "WITH removed AS (DELETE FROM @outbox_events WHERE event_id = ANY (?) RETURNING *)"
          + " INSERT INTO @outbox_published (position, recorded_at, attempts, event_id, aggregate_type, aggregate_id, event_type,"
          + " content_type, headers, traceparent, payload) SELECT position, recorded_at, attempts, event_id, aggregate_type,"
          + " aggregate_id, event_type, content_type, headers, traceparent, payload FROM removed";

  @Override
  public String purpose() {
    return "publish events of the outbox, against jobs through one worker";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.JOBS, Setting.RATE, Setting.SECONDS, Setting.RUNS);
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    database.archive(true, Noop.TYPE.queue());
    JobQueue queue = database.queue(8);
    Outbox outbox = Outbox.on(queue);
    Rounds.Results rates = rates(database, queue, outbox, options, notes);
    Rounds.Results records = records(database, outbox, options, notes);
    Rounds.Results latencies = latencies(database, queue, outbox, options, notes);
    Report report = new Report("outbox", "events/s");
    report.finding(rates, RELAY, WORKER).variants(rates).variants(records);
    report.put("held_ratio", Statistics.median(rates.ratios(RELAY, HELD)));
    report.put("record_ratio", Statistics.median(records.ratios(INSERT, RECORD)));
    report.put("record_silently_ratio", Statistics.median(records.ratios(INSERT, RECORD_SILENTLY)));
    for (String way : List.of(PUBLISH, PICKUP)) {
      for (String figure : List.of("p50_ms", "p99_ms")) {
        report.put(
            way + "_" + figure,
            Statistics.median(
                latencies.of(way).stream()
                    .map(sample -> sample.figures().getOrDefault(figure, 0.0))
                    .toList()));
      }
    }
    return report;
  }

  private static Rounds.Results rates(
      BenchmarkDatabase database,
      JobQueue queue,
      Outbox outbox,
      Options options,
      Consumer<String> notes)
      throws Exception {
    Load events = new Load(options, FIRST_GUESS);
    Load held = new Load(options, FIRST_GUESS);
    Load jobs = new Load(options, FIRST_GUESS);
    return new Rounds(options.warmUps(), options.count(Setting.RUNS, 3), options.seconds(8), notes)
        .variant(RELAY, run -> events.adjust(relay(database, outbox, events.jobs(run))))
        .variant(HELD, run -> held.adjust(held(database, held.jobs(run))))
        .variant(WORKER, run -> jobs.adjust(worker(database, queue, jobs.jobs(run))))
        .run();
  }

  private static Sample relay(BenchmarkDatabase database, Outbox outbox, long events)
      throws Exception {
    preload(database, events);
    Relay relay =
        outbox
            .relay(batch -> batch.events().stream().map(event -> SENT).toList())
            .threads(THREADS)
            .batchSize(BATCH)
            .build();
    Meter meter = Meter.start(database);
    Sample sample;
    relay.start();
    try {
      while (relay.stats().published() < events) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      sample = Sample.rate(events, meter.stop(events));
    } finally {
      relay.close();
    }
    check(database, events);
    return sample;
  }

  private static void preload(BenchmarkDatabase database, long events) throws SQLException {
    empty(database);
    database.inSchema(PRELOAD.formatted(events, AGGREGATES), "VACUUM (ANALYZE) @outbox_events");
    database.checkpoint();
  }

  /** Takes events in transactions that lock them, without an order and without a destination. */
  private static Sample held(BenchmarkDatabase database, long events) throws Exception {
    preload(database, events);
    AtomicLong left = new AtomicLong(events);
    Meter meter = Meter.start(database);
    Parallel.run(
        THREADS,
        number -> {
          try (Connection connection = database.bareConnection();
              PreparedStatement lock =
                  connection.prepareStatement(
                      BenchmarkDatabase.qualified(BenchmarkDatabase.SCHEMA, LOCK));
              PreparedStatement remove =
                  connection.prepareStatement(
                      BenchmarkDatabase.qualified(BenchmarkDatabase.SCHEMA, REMOVE))) {
            connection.setAutoCommit(false);
            while (left.get() > 0) {
              left.addAndGet(-publishLocked(connection, lock, remove));
              connection.commit();
            }
          }
        });
    Sample sample = Sample.rate(events, meter.stop(events));
    check(database, events);
    return sample;
  }

  private static int publishLocked(
      Connection connection, PreparedStatement lock, PreparedStatement remove) throws SQLException {
    List<Object> ids = new ArrayList<>();
    lock.setInt(1, BATCH);
    try (ResultSet row = lock.executeQuery()) {
      while (row.next()) {
        ids.add(row.getObject(1));
      }
    }
    if (!ids.isEmpty()) {
      remove.setArray(1, connection.createArrayOf("uuid", ids.toArray()));
      remove.executeUpdate();
    }
    return ids.size();
  }

  private static void check(BenchmarkDatabase database, long events) throws SQLException {
    long left = database.number("SELECT count(*) FROM @outbox_events");
    long published = database.number("SELECT count(*) FROM @outbox_published");
    if (left != 0 || published != events) {
      throw new IllegalStateException(
          "Of %d events, %d are left and %d were published.".formatted(events, left, published));
    }
  }

  private static Sample worker(BenchmarkDatabase database, JobQueue queue, long jobs)
      throws Exception {
    Drain.prepare(database, jobs);
    Sample sample = Drain.drain(database, queue, jobs, HANDLERS, WorkerConfig.defaults());
    Drain.check(database, jobs);
    return sample;
  }

  private static Rounds.Results records(
      BenchmarkDatabase database, Outbox outbox, Options options, Consumer<String> notes)
      throws Exception {
    Outbox silent =
        Outbox.on(
            JobQueue.builder(database.pool(2))
                .schema(BenchmarkDatabase.SCHEMA)
                .wakeUps(false)
                .build());
    try (WakeUpListener listener = new WakeUpListener(database.queue(2));
        Connection connection = database.bareConnection();
        PreparedStatement insert =
            connection.prepareStatement(
                BenchmarkDatabase.qualified(BenchmarkDatabase.SCHEMA, PLAIN))) {
      connection.setAutoCommit(false);
      Rounds.Results results =
          new Rounds(options.warmUps(), options.count(Setting.RUNS, 3), options.seconds(4), notes)
              .variant(
                  RECORD,
                  seconds ->
                      transactions(
                          database,
                          connection,
                          seconds,
                          n -> outbox.in(connection).record(event(n))))
              .variant(
                  RECORD_SILENTLY,
                  seconds ->
                      transactions(
                          database,
                          connection,
                          seconds,
                          n -> silent.in(connection).record(event(n))))
              .variant(
                  INSERT,
                  seconds -> transactions(database, connection, seconds, n -> insert(insert, n)))
              .run();
      if (listener.received() == 0) {
        throw new IllegalStateException("No event has sent a wake-up.");
      }
      return results;
    }
  }

  private static Event event(long n) {
    return Event.of("order", String.valueOf(n % AGGREGATES), "order-placed")
        .payload(Noop.number(n));
  }

  private static void insert(PreparedStatement insert, long n) {
    try {
      insert.setObject(1, UUID.randomUUID());
      insert.setShort(2, (short) (n % 32));
      insert.setString(3, "order");
      insert.setString(4, String.valueOf(n % AGGREGATES));
      insert.setString(5, "order-placed");
      insert.setString(6, "application/json");
      insert.setString(7, "{}");
      insert.setString(8, null);
      insert.setBytes(9, Noop.json(n).getBytes(StandardCharsets.UTF_8));
      insert.executeUpdate();
    } catch (SQLException failure) {
      throw new IllegalStateException("The event cannot be inserted.", failure);
    }
  }

  /** Runs transactions with one event each until the time has passed. */
  private static Sample transactions(
      BenchmarkDatabase database, Connection connection, double seconds, LongConsumer work)
      throws SQLException {
    empty(database);
    database.checkpoint();
    Meter meter = Meter.start(database);
    long count = 0;
    do {
      work.accept(count++);
      connection.commit();
    } while (meter.seconds() < seconds);
    Sample sample = Sample.rate(count, meter.stop(count));
    long rows = database.number("SELECT count(*) FROM @outbox_events");
    if (rows != count) {
      throw new IllegalStateException(
          "%d transactions have recorded %d events.".formatted(count, rows));
    }
    return sample;
  }

  private static void empty(BenchmarkDatabase database) throws SQLException {
    database.inSchema("TRUNCATE @outbox_events, @outbox_published");
  }

  private static Rounds.Results latencies(
      BenchmarkDatabase database,
      JobQueue queue,
      Outbox outbox,
      Options options,
      Consumer<String> notes)
      throws Exception {
    double rate = options.number(Setting.RATE, RATE);
    return new Rounds(options.warmUps(), options.count(Setting.RUNS, 3), options.seconds(8), notes)
        .variant(PUBLISH, seconds -> publish(database, outbox, rate, seconds))
        .variant(PICKUP, seconds -> pickup(database, queue, rate, seconds))
        .run();
  }

  private static Sample publish(
      BenchmarkDatabase database, Outbox outbox, double rate, double seconds) throws Exception {
    empty(database);
    Arrivals arrivals = new Arrivals();
    Relay relay =
        outbox
            .relay(
                Publisher.each(
                    event -> {
                      arrivals.arrived(Long.parseLong(event.aggregate().id()));
                      return SENT;
                    }))
            .build();
    relay.start();
    try {
      return arrivals.measure(
          database,
          rate,
          seconds,
          (connection, n) ->
              outbox
                  .in(connection)
                  .record(
                      Event.of("order", String.valueOf(n), "order-placed")
                          .payload(Noop.number(n))));
    } finally {
      relay.close();
    }
  }

  private static Sample pickup(
      BenchmarkDatabase database, JobQueue queue, double rate, double seconds) throws Exception {
    database.empty();
    Arrivals arrivals = new Arrivals();
    Worker worker =
        Worker.on(queue)
            .name("bench")
            .handle(
                Noop.TYPE,
                (payload, context) -> {
                  arrivals.arrived(payload.n());
                  return Outcome.completed();
                })
            .queue(Noop.TYPE.queue(), HANDLERS)
            .start();
    try {
      return arrivals.measure(
          database,
          rate,
          seconds,
          (connection, n) -> queue.in(connection).enqueue(Noop.TYPE, Noop.number(n)));
    } finally {
      worker.close();
    }
  }

  /** Measures the time from the call of a commit until the committed event arrives. */
  private static final class Arrivals {

    /** Writes number {@code n} in an open transaction. */
    private interface Write {
      void run(Connection transaction, long n);
    }

    private final Map<Long, Long> committedAt = new ConcurrentHashMap<>();
    private final Latencies latencies = new Latencies();
    private final AtomicLong arrived = new AtomicLong();

    void arrived(long n) {
      Long from = committedAt.remove(n);
      if (from == null) {
        throw new IllegalStateException("Number %d has arrived twice.".formatted(n));
      }
      latencies.addNanos(System.nanoTime() - from);
      arrived.incrementAndGet();
    }

    Sample measure(BenchmarkDatabase database, double rate, double seconds, Write write)
        throws Exception {
      Meter meter = Meter.start(database);
      long count = 0;
      try (Connection connection = database.bareConnection()) {
        connection.setAutoCommit(false);
        Schedule schedule = new Schedule(rate);
        do {
          schedule.await(count);
          write.run(connection, count);
          committedAt.put(count, System.nanoTime());
          connection.commit();
          count++;
        } while (meter.seconds() < seconds);
      }
      while (arrived.get() < count) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
      return new Sample(latencies.millis(50), meter.stop(count), latencies.figures(""));
    }
  }
}
