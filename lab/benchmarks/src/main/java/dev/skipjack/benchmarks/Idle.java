package dev.skipjack.benchmarks;

import dev.skipjack.api.Outcome;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.worker.Worker;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Measures the statements per second of a worker with two empty queues and default settings. */
final class Idle implements Benchmark {

  private static final String TRANSACTIONS =
      "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()";

  @Override
  public String purpose() {
    return "statements per second of an idle worker";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.SECONDS);
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    IdleLoad load = measure(database, options.seconds(60), notes);
    Costs costs = load.costs;
    Double server = costs.serverMicros();
    return new Report("idle", "statements/s")
        .finding(List.of(new Sample(load.rate, costs, Map.of())))
        .put("server_cpu_us_per_job", null) // the worker ran no jobs
        .put("client_cpu_us_per_job", null)
        .put("wal_bytes_per_job", null)
        .put("to_reach", 1.0)
        .put("reached", load.rate <= 1)
        .put("transactions_per_s", load.transactions)
        .put("server_cpu_us_per_s", server == null ? null : server / costs.seconds())
        .put("client_cpu_us_per_s", costs.clientMicros() / costs.seconds());
  }

  /**
   * The load that an idle worker puts on the database.
   *
   * @param rate statements per second of the worker
   * @param transactions transactions per second of the whole database
   * @param costs the costs of the whole measurement, counted as one job
   */
  record IdleLoad(double rate, double transactions, Costs costs) {}

  /** Empties the tables and measures an idle worker. */
  static IdleLoad measure(BenchmarkDatabase database, double seconds, Consumer<String> notes)
      throws Exception {
    database.empty();
    StatementCounter counter = new StatementCounter();
    Worker worker =
        Worker.on(database.queue(counter.counting(database.pool(8)), BenchmarkDatabase.SCHEMA))
            .name("bench")
            .handle(Noop.TYPE, (payload, context) -> Outcome.completed())
            .queue(Noop.TYPE.queue(), 8)
            .queue("emails", 8)
            .start();
    try {
      // A starting worker runs statements of its own, for example to create partitions.
      sleep(Math.min(seconds, 5));
      long statements = counter.statements();
      long transactions = database.number(TRANSACTIONS);
      Meter meter = Meter.start(database);
      notes.accept("measuring an idle worker for %.0f s".formatted(seconds));
      sleep(seconds);
      Costs costs = meter.stop(1);
      return new IdleLoad(
          (counter.statements() - statements) / costs.seconds(),
          (database.number(TRANSACTIONS) - transactions) / costs.seconds(),
          costs);
    } finally {
      worker.close();
    }
  }

  private static void sleep(double seconds) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(Math.round(seconds * 1e9));
  }
}
