package dev.skipjack.program;

import dev.skipjack.torture.FaultKind;
import dev.skipjack.torture.Load;
import dev.skipjack.torture.Torture;
import dev.skipjack.torture.TortureOptions;
import dev.skipjack.torture.TortureReport;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code skipjack torture}. */
@Command(
    name = "torture",
    description =
        "Kill, freeze and disconnect processes, crash the server, and check the"
            + " outcome of every job and event.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Without --url, the command starts an embedded PostgreSQL 18, durable as in production, and"
          + " stops it at the end.",
      "In the database that --url names, the schema skipjack_torture is dropped and created again;"
          + " the fault postmaster is left out.",
      "docs/reliability.md explains the counters.",
      "Exit codes: 0 no violation, 1 a violation or failure, 2 wrong usage, 3 database unreachable."
    })
final class TortureCommand implements Callable<Integer> {

  private static final double DEFAULT_MINUTES = 1;
  private static final int SMALL_SEEDS = 1_000_000;

  private final Run run;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      description =
          "How long to inject faults, in minutes, before the jobs are drained. Default: 1.")
  private double minutes = DEFAULT_MINUTES;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      description =
          "Number of jobs to enqueue, or of transactions that record events, spread over the"
              + " minutes. Default: 3000 per minute.")
  private @Nullable Integer jobs;

  @Option(
      names = "--workload",
      paramLabel = "NAME",
      description =
          "What to run: jobs; limited, which is jobs under a limit; steps, which is jobs with durable steps; outbox, which records and"
              + " publishes events; schedules, among odd ones; or all, which is jobs and events."
              + " Default: all.")
  private String workload = Load.ALL.label();

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Seed of the random jobs and faults. Default: a random seed, which is printed.")
  private @Nullable Long seed;

  @Option(
      names = "--faults",
      paramLabel = "LIST",
      description =
          "Faults to inject: any of kill,stop,backend,postmaster,proxy,commit-cut,pool,clock, or"
              + " 'none'. Default: all.")
  private @Nullable String faults;

  @Mixin private CommonOptions common = new CommonOptions();

  TortureCommand() {
    this(Torture::run);
  }

  TortureCommand(Run run) {
    this.run = run;
  }

  @FunctionalInterface
  interface Run {
    TortureReport judge(TortureOptions options, Consumer<String> notes)
        throws SQLException, InterruptedException;
  }

  @Override
  public Integer call() throws Exception {
    TortureOptions options;
    try {
      options = options();
    } catch (IllegalArgumentException e) {
      throw common.refused(e);
    }
    common.note(
        options.url().isPresent()
            ? "Dropping and recreating the schema skipjack_torture of the database that --url names"
                + " ..."
            : "Starting an embedded PostgreSQL ...");
    TortureReport report = run.judge(options, common::note);
    if (common.json()) {
      report.stories().forEach(common::note);
      common.out().println(report.json());
      common.out().flush();
    } else {
      report.print(common.out());
    }
    return report.isClean() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
  }

  private TortureOptions options() {
    return new TortureOptions(
        minutes,
        jobs == null
            ? (int) Math.max(10, Math.round(minutes * TortureOptions.JOBS_PER_MINUTE))
            : jobs,
        seed == null ? ThreadLocalRandom.current().nextInt(SMALL_SEEDS) : seed,
        common.namedDatabase(),
        faults == null ? Set.of(FaultKind.values()) : FaultKind.parse(faults),
        Load.parse(workload));
  }
}
