package dev.skipjack.cli;

import dev.skipjack.torture.FaultKind;
import dev.skipjack.torture.Torture;
import dev.skipjack.torture.TortureOptions;
import dev.skipjack.torture.TortureReport;
import java.io.PrintWriter;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code skipjack torture}. */
@Command(
    name = "torture",
    description =
        "Kill, freeze and cut off producers, workers and the server, and judge what became of every job.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Without --url an embedded PostgreSQL 18 is started, durable as in production, and stopped at the end.",
      "docs/reliability.md tells what the counters mean.",
      "Exit codes: 0 clean, 1 something is wrong, 2 wrong usage."
    })
public final class TortureCommand implements Callable<Integer> {

  private static final double DEFAULT_MINUTES = 1;
  private static final int SMALL_SEEDS = 1_000_000;

  private final Run run;

  @Spec private CommandSpec spec;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      description = "How long faults strike; 1 by default. Draining comes on top.")
  private double minutes = DEFAULT_MINUTES;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      description = "Jobs to enqueue, spread over the minutes; 3000 a minute by default.")
  private @Nullable Integer jobs;

  @Option(
      names = "--seed",
      paramLabel = "S",
      description = "Of jobs and faults; drawn and told unless given.")
  private @Nullable Long seed;

  @Option(
      names = "--url",
      paramLabel = "JDBC_URL",
      description =
          "Use this database: the schema skipjack_torture in it is dropped and made anew. Its server is left alone. Its password may come from PGPASSWORD, which no list of processes shows.")
  private @Nullable String url;

  @Option(
      names = "--faults",
      paramLabel = "LIST",
      description =
          "Which of kill,stop,backend,postmaster,proxy,commit-cut,pool,clock; all by default, none for none.")
  private @Nullable String faults;

  @Option(
      names = "--json",
      description = "Report as one line of JSON, the last on standard output.")
  private boolean json;

  /** For picocli, which sets the fields. */
  public TortureCommand() {
    this(Torture::run);
  }

  @SuppressWarnings("NullAway.Init") // picocli injects the spec before anything runs
  TortureCommand(Run run) {
    this.run = run;
  }

  /** What is between the options and the verdict. */
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
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
    }
    tell(
        options.url().isPresent()
            ? "Dropping and making anew the schema skipjack_torture of the database that --url names ..."
            : "Starting an embedded PostgreSQL ...");
    TortureReport report = run.judge(options, this::tell);
    if (json) {
      report.stories().forEach(this::tell);
      out().println(report.json());
      out().flush();
    } else {
      report.print(out());
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
        database(),
        faults == null ? Set.of(FaultKind.values()) : FaultKind.parse(faults));
  }

  /**
   * The environment's database is somebody's: only a URL that was given here may be written to. Its
   * password may come from the environment.
   */
  private Optional<String> database() {
    return url == null
        ? Optional.empty()
        : DatabaseAddress.of(url, System.getenv()).map(DatabaseAddress::jdbcUrl);
  }

  private void tell(String sentence) {
    PrintWriter err = spec.commandLine().getErr();
    err.println(sentence);
    err.flush();
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
