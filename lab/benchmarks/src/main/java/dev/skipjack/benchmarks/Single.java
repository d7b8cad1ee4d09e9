package dev.skipjack.benchmarks;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.ClaimRequest;
import dev.skipjack.api.spi.ClaimedJob;
import dev.skipjack.api.spi.JobStore;
import dev.skipjack.api.spi.Lane;
import dev.skipjack.api.spi.LaneShare;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.WorkerConfig;
import java.sql.Connection;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Claims, runs and completes one job at a time, and commits each step before the next. Compares a
 * worker with one handler and no prefetch, the store without a worker, and bare JDBC.
 */
final class Single implements Benchmark {

  private static final double FIRST_GUESS = 300;

  @Override
  public String purpose() {
    return "claim and complete one job at a time, each committed, against a bare JDBC loop";
  }

  @Override
  public Set<Setting> settings() {
    return EnumSet.of(Setting.JOBS, Setting.SECONDS, Setting.RUNS, Setting.ARCHIVE);
  }

  /** Claims and completes all jobs. */
  @FunctionalInterface
  private interface Work {
    Sample run(long jobs) throws Exception;
  }

  @Override
  public Report run(BenchmarkDatabase database, Options options, Consumer<String> notes)
      throws Exception {
    boolean archive = options.number(Setting.ARCHIVE, 0) == 1;
    database.archive(archive, Noop.TYPE.queue());
    database.empty();
    JobQueue queue = database.queue(8);
    BareStatements statements = BareStatements.capture(database, 1);
    WorkerConfig config = WorkerConfig.builder().prefetch(0).build();
    try (Connection connection = database.bareConnection()) {
      connection.setAutoCommit(false);
      Rounds.Results results =
          new Rounds(options.warmUps(), options.count(Setting.RUNS, 3), options.seconds(10), notes)
              .variant(
                  "worker",
                  variant(database, options, jobs -> Drain.drain(database, queue, jobs, 1, config)))
              .variant(
                  "store", variant(database, options, jobs -> store(database, queue.store(), jobs)))
              .variant(
                  "bare JDBC",
                  variant(database, options, jobs -> bare(database, connection, statements, jobs)))
              .run();
      return new Report("single", "jobs/s")
          .finding(results, "worker", "bare JDBC")
          .variants(results)
          .put("store_ratio", Statistics.median(results.ratios("store", "bare JDBC")))
          .put("archive", archive ? "keep" : "none");
    }
  }

  private static Rounds.Variant variant(BenchmarkDatabase database, Options options, Work work) {
    double[] rate = {FIRST_GUESS};
    long requested = options.number(Setting.JOBS, 0);
    return seconds -> {
      long jobs = requested > 0 ? requested : Math.max(10, Math.round(rate[0] * seconds));
      Drain.prepare(database, jobs);
      Sample sample = work.run(jobs);
      rate[0] = sample.value();
      Drain.check(database, jobs);
      return sample;
    };
  }

  private static Sample store(BenchmarkDatabase database, JobStore store, long jobs)
      throws Exception {
    ClaimRequest request =
        new ClaimRequest(
            WorkerId.boot("bench"),
            List.of(new LaneShare(new Lane(Noop.TYPE.queue(), 0), 1, null)),
            List.of(Noop.TYPE.kind()),
            1,
            Duration.ofSeconds(30));
    Meter meter = Meter.start(database);
    for (long left = jobs; left > 0; left--) {
      List<ClaimedJob> claimed = store.claim(request);
      store.complete(List.of(claimed.get(0).execution()));
    }
    return Sample.rate(jobs, meter.stop(jobs));
  }

  private static Sample bare(
      BenchmarkDatabase database, Connection connection, BareStatements statements, long jobs)
      throws Exception {
    Meter meter = Meter.start(database);
    for (long left = jobs; left > 0; ) {
      left -= statements.claimAndComplete(connection);
    }
    return Sample.rate(jobs, meter.stop(jobs));
  }
}
