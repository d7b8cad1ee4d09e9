package dev.skipjack.benchmarks;

import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Jobs enqueued one by one, each committed, by one producer and by several, while a listener
 * receives the wake-ups. The floor is a prepared INSERT of the same columns in auto-commit mode.
 */
final class Enqueue implements Benchmark {

  private static final String INSERT =
      "INSERT INTO @jobs (queue, kind, payload, payload_version, priority, max_attempts,"
          + " scheduled_at, tags, unique_key, unique_label, unique_until)"
          + " VALUES (?, ?, ?::jsonb, ?, ?, ?, clock_timestamp(), ?, ?, ?, ?)";

  @Override
  public String purpose() {
    return "enqueue one by one, wake-ups on, against a plain prepared INSERT";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.WORKERS, Setting.SECONDS, Setting.RUNS);
  }

  /** Enqueues one job. */
  @FunctionalInterface
  private interface Call {
    void run(int producer, long n) throws SQLException;
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    int maxProducers = options.count(Setting.WORKERS, 8);
    List<Integer> producers = maxProducers == 1 ? List.of(1) : List.of(1, maxProducers);
    JobQueue queue = database.queue(maxProducers);
    List<Connection> connections = new ArrayList<>();
    try (WakeUpListener listener = new WakeUpListener(database.queue(2))) {
      for (int i = 0; i < maxProducers; i++) {
        connections.add(database.bareConnection());
      }
      Rounds rounds =
          new Rounds(options.warmUps(), options.count(Setting.RUNS, 3), options.seconds(8), notes);
      for (int count : producers) {
        rounds
            .variant(
                "queue, " + count,
                seconds ->
                    enqueue(
                        database,
                        count,
                        seconds,
                        (producer, n) -> queue.enqueue(Noop.TYPE, Noop.number(n))))
            .variant(
                "INSERT, " + count,
                seconds ->
                    enqueue(
                        database,
                        count,
                        seconds,
                        (producer, n) -> insert(connections.get(producer), n)));
      }
      Rounds.Results results = rounds.run();
      Report report =
          new Report("enqueue", "jobs/s")
              .finding(results, "queue, 1", "INSERT, 1")
              .variants(results);
      report.put("producers", producers.toString());
      report.put("wake_ups_heard", listener.received());
      if (maxProducers > 1) {
        report.put(
            "ratio_of_" + maxProducers,
            Statistics.median(results.ratios("queue, " + maxProducers, "INSERT, " + maxProducers)));
      }
      return report;
    } finally {
      for (Connection connection : connections) {
        connection.close();
      }
    }
  }

  private static Sample enqueue(
      BenchmarkDatabase database, int producers, double seconds, Call call) throws Exception {
    database.empty();
    database.settle();
    AtomicLong numbers = new AtomicLong();
    Meter meter = Meter.start(database);
    Parallel.run(
        producers,
        producer -> {
          while (meter.seconds() < seconds) {
            call.run(producer, numbers.incrementAndGet());
          }
        });
    Sample sample = Sample.rate(numbers.get(), meter.stop(numbers.get()));
    long pending = database.number("SELECT count(*) FROM @jobs WHERE status = 'pending'");
    if (pending != numbers.get()) {
      throw new IllegalStateException(
          "Enqueued %d jobs, but the table contains %d.".formatted(numbers.get(), pending));
    }
    return sample;
  }

  private static void insert(Connection connection, long n) throws SQLException {
    String sql = BenchmarkDatabase.qualified(BenchmarkDatabase.SCHEMA, INSERT);
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setString(1, Noop.TYPE.queue());
      statement.setString(2, Noop.TYPE.kind());
      statement.setString(3, Noop.json(n));
      statement.setInt(4, 1);
      statement.setInt(5, 0);
      statement.setInt(6, 25);
      statement.setNull(7, Types.ARRAY);
      statement.setNull(8, Types.VARCHAR);
      statement.setNull(9, Types.VARCHAR);
      statement.setNull(10, Types.VARCHAR);
      statement.executeUpdate();
    }
  }
}
