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

/** What a worker with nothing to do asks of the database: two queues, everything at its default. */
final class Idle implements Benchmark {

  private static final String TRANSACTIONS =
      "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = current_database()";

  @Override
  public String purpose() {
    return "statements per second of a worker that has nothing to do";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.SECONDS);
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    Quiet quiet = measure(database, options.seconds(60), notes);
    Costs costs = quiet.costs;
    Double server = costs.serverMicros();
    return new Report("idle", "statements/s")
        .finding(List.of(new Sample(quiet.rate, costs, Map.of())))
        .put("server_cpu_us_per_job", null) // there is none
        .put("client_cpu_us_per_job", null)
        .put("wal_bytes_per_job", null)
        .put("to_reach", 1.0)
        .put("reached", quiet.rate <= 1)
        .put("transactions_per_s", quiet.transactions)
        .put("server_cpu_us_per_s", server == null ? null : server / costs.seconds())
        .put("client_cpu_us_per_s", costs.clientMicros() / costs.seconds());
  }

  /**
   * What came of a while.
   *
   * @param rate statements a second
   * @param transactions of the whole database, a second
   * @param costs as if of one job
   */
  record Quiet(double rate, double transactions, Costs costs) {}

  /** Lets a worker be idle. Empties the tables. */
  static Quiet measure(BenchmarkDatabase database, double seconds, Consumer<String> notes)
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
      // The first statements tend partitions and look around; they are no idle state.
      sleep(Math.min(seconds, 5));
      long statements = counter.statements();
      long transactions = database.number(TRANSACTIONS);
      Meter meter = Meter.start(database);
      notes.accept("idle for %.0f s".formatted(seconds));
      sleep(seconds);
      Costs costs = meter.stop(1);
      return new Quiet(
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
