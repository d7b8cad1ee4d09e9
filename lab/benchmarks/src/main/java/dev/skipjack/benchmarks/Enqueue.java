package dev.skipjack.benchmarks;

import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.store.jooq.JobQueue;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Measures single enqueues, each committed, by one producer and by several, while a listener
 * receives the wake-ups. The floor is a prepared INSERT of the same columns in auto-commit mode,
 * without a wake-up and into a table without CHECKs and domains.
 */
final class Enqueue implements Benchmark {

  @Override
  public String purpose() {
    return "enqueue one by one, wake-ups on, against an INSERT into a table without rules";
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

  /** Counts the jobs in a table. */
  @FunctionalInterface
  private interface Rows {
    long count() throws SQLException;
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    int maxProducers = options.count(Setting.WORKERS, 8);
    List<Integer> producers = maxProducers == 1 ? List.of(1) : List.of(1, maxProducers);
    JobQueue queue = database.queue(maxProducers);
    PlainJobs plain = PlainJobs.create(database);
    List<Connection> connections = new ArrayList<>();
    try (WakeUpListener listener = new WakeUpListener(database.queue(2))) {
      for (int i = 0; i < maxProducers; i++) {
        connections.add(database.bareConnection());
      }
      Rounds rounds =
          new Rounds(options.warmUps(), options.count(Setting.RUNS, 3), options.seconds(8), notes);
      for (int count : producers) {
        rounds
            .variant("queue, " + count, seconds -> intoQueue(database, queue, count, seconds))
            .variant(
                "INSERT, " + count,
                seconds -> intoPlainTable(database, plain, connections, count, seconds));
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

  private static Sample intoQueue(
      BenchmarkDatabase database, JobQueue queue, int producers, double seconds) throws Exception {
    database.empty();
    database.settle();
    return enqueue(
        database,
        producers,
        seconds,
        (producer, n) -> queue.enqueue(Noop.TYPE, Noop.number(n)),
        () -> database.number("SELECT count(*) FROM @jobs WHERE status = 'pending'"));
  }

  private static Sample intoPlainTable(
      BenchmarkDatabase database,
      PlainJobs plain,
      List<Connection> connections,
      int producers,
      double seconds)
      throws Exception {
    plain.empty();
    return enqueue(
        database,
        producers,
        seconds,
        (producer, n) -> PlainJobs.insert(connections.get(producer), n),
        plain::count);
  }

  private static Sample enqueue(
      BenchmarkDatabase database, int producers, double seconds, Call call, Rows rows)
      throws Exception {
    AtomicLong numbers = new AtomicLong();
    Meter meter = Meter.start(database);
    Parallel.run(
        producers,
        producer -> {
          do {
            call.run(producer, numbers.incrementAndGet());
          } while (meter.seconds() < seconds);
        });
    Sample sample = Sample.rate(numbers.get(), meter.stop(numbers.get()));
    if (rows.count() != numbers.get()) {
      throw new IllegalStateException(
          "Enqueued %d jobs, but the table contains %d.".formatted(numbers.get(), rows.count()));
    }
    return sample;
  }
}
