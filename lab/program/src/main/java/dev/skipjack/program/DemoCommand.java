package dev.skipjack.program;

import dev.skipjack.cli.DatabaseAddress;
import dev.skipjack.demo.Demo;
import dev.skipjack.demo.DemoOptions;
import dev.skipjack.demo.DemoOutput;
import dev.skipjack.demo.DemoResult;
import dev.skipjack.demo.DemoTarget;
import dev.skipjack.demo.RefusedException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code skipjack demo}. */
@Command(
    name = "demo",
    description = "Receive webhooks, handle each exactly once, and prove it from the database.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Without --url, PGHOST and PGDATABASE, the command starts an embedded PostgreSQL and keeps its data.",
      "Nothing is dropped in the database that --url names.",
      "Exit codes: 0 verified, 1 not verified or failed, 2 wrong usage or bad input, 3 database unreachable."
    })
final class DemoCommand implements Callable<Integer> {

  /** Set by the launcher if standard error is a terminal, which Java cannot detect. */
  private static final String TERMINAL = "skipjack.terminal";

  private final Run run;

  @Option(
      names = "--input",
      paramLabel = "FILE.jsonl",
      description = "Deliveries to send, one JSON object per line. Default: 1,000 generated ones.")
  private @Nullable Path input;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      description =
          "Number of distinct deliveries to send. The input is repeated or truncated, with fresh ids.")
  private @Nullable Long jobs;

  @Option(
      names = "--workers",
      paramLabel = "N",
      defaultValue = "2",
      description = "Number of workers with 8 handlers each. Default: ${DEFAULT-VALUE}.")
  private int workers;

  @Option(
      names = "--resume",
      description = "Send nothing; finish and verify the jobs that an earlier run left.")
  private boolean resume;

  @Mixin private CommonOptions common = new CommonOptions();

  /** Used by picocli, which sets the fields. */
  DemoCommand() {
    this(Demo::run);
  }

  DemoCommand(Run run) {
    this.run = run;
  }

  /** Runs the demo with the parsed options. */
  @FunctionalInterface
  interface Run {
    DemoResult run(DemoOptions options, DemoOutput output)
        throws SQLException, InterruptedException;
  }

  @Override
  public Integer call() throws SQLException, InterruptedException {
    DemoOptions options;
    try {
      options = options();
    } catch (IllegalArgumentException e) {
      throw common.refused(e);
    }
    DemoOutput output =
        new DemoOutput(common.out(), common.err(), common.json(), Boolean.getBoolean(TERMINAL));
    try {
      return switch (run.run(options, output)) {
        case VERIFIED -> CommandLine.ExitCode.OK;
        case NOT_VERIFIED -> CommandLine.ExitCode.SOFTWARE;
      };
    } catch (RefusedException e) {
      throw common.refused(e);
    }
  }

  private DemoOptions options() {
    DemoOptions.Builder options = DemoOptions.builder().workers(workers);
    if (input != null) {
      options.input(input);
    }
    if (jobs != null) {
      options.jobs(jobs);
    }
    if (resume) {
      options.resume();
    }
    common.database().map(this::target).ifPresent(options::database);
    return options.build();
  }

  private DemoTarget target(DatabaseAddress address) {
    return new DemoTarget(
        address.jdbcUrl(), address.toString(), common.hasUrl() ? " with the same --url" : "");
  }
}
