package dev.skipjack.benchmarks;

import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.store.jooq.JobQueue;
import java.io.IOException;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.postgresql.PGConnection;

/**
 * Measures bulk enqueues, with many jobs per call and transaction. The floor is COPY of the same
 * columns.
 */
final class Bulk implements Benchmark {

  private static final int BATCH = 1_000;

  private static final String COPY =
      "COPY @jobs (queue, kind, payload, payload_version, priority, max_attempts, scheduled_at,"
          + " tags, unique_key, unique_label, unique_until) FROM STDIN";

  @Override
  public String purpose() {
    return "enqueue 1,000 jobs per call, against COPY";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.WORKERS, Setting.BATCH, Setting.SECONDS, Setting.RUNS);
  }

  /** Enqueues one batch of jobs, numbered from {@code first}. */
  @FunctionalInterface
  private interface Call {
    void run(int producer, long first) throws SQLException, IOException;
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    int producers = options.count(Setting.WORKERS, 1);
    int batch = options.count(Setting.BATCH, BATCH);
    JobQueue queue = database.queue(producers);
    List<Connection> connections = new ArrayList<>();
    try {
      for (int i = 0; i < producers; i++) {
        connections.add(database.bareConnection());
      }
      Rounds.Results results =
          new Rounds(options.warmUps(), options.count(Setting.RUNS, 3), options.seconds(8), notes)
              .variant(
                  "queue",
                  seconds ->
                      enqueue(
                          database,
                          producers,
                          batch,
                          seconds,
                          (producer, first) -> queue.enqueueAll(Noop.TYPE, payloads(first, batch))))
              .variant(
                  "COPY",
                  seconds ->
                      enqueue(
                          database,
                          producers,
                          batch,
                          seconds,
                          (producer, first) -> copy(connections.get(producer), first, batch)))
              .run();
      return new Report("bulk", "jobs/s")
          .finding(results, "queue", "COPY")
          .variants(results)
          .put("batch", batch)
          .put("producers", producers);
    } finally {
      for (Connection connection : connections) {
        connection.close();
      }
    }
  }

  private static Sample enqueue(
      BenchmarkDatabase database, int producers, int batch, double seconds, Call call)
      throws Exception {
    database.empty();
    database.settle();
    AtomicLong calls = new AtomicLong();
    Meter meter = Meter.start(database);
    Parallel.run(
        producers,
        producer -> {
          do {
            call.run(producer, calls.getAndIncrement() * batch);
          } while (meter.seconds() < seconds);
        });
    long jobs = calls.get() * batch;
    Sample sample = Sample.rate(jobs, meter.stop(jobs));
    long pending = database.number("SELECT count(*) FROM @jobs WHERE status = 'pending'");
    if (pending != jobs) {
      throw new IllegalStateException(
          "Enqueued %d jobs, but the table contains %d.".formatted(jobs, pending));
    }
    return sample;
  }

  private static List<Noop> payloads(long first, int count) {
    return LongStream.range(first, first + count).mapToObj(Noop::number).toList();
  }

  private static void copy(Connection connection, long first, int count)
      throws SQLException, IOException {
    String now = Instant.now().toString();
    StringBuilder rows = new StringBuilder(count * 200);
    for (long n = first; n < first + count; n++) {
      rows.append(Noop.TYPE.queue())
          .append('\t')
          .append(Noop.TYPE.kind())
          .append('\t')
          .append(Noop.json(n))
          .append("\t1\t0\t25\t")
          .append(now)
          .append("\t\\N\t\\N\t\\N\t\\N\n");
    }
    connection
        .unwrap(PGConnection.class)
        .getCopyAPI()
        .copyIn(
            BenchmarkDatabase.qualified(BenchmarkDatabase.SCHEMA, COPY),
            new StringReader(rows.toString()));
  }
}
