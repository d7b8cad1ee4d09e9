package dev.skipjack.program;

import dev.skipjack.demo.Demo;
import dev.skipjack.demo.DemoOptions;
import dev.skipjack.demo.DemoOutput;
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
    description = "Receive webhooks, give each exactly one effect, and check that in the database.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Without --url, PGHOST and PGDATABASE, the command starts an embedded PostgreSQL and keeps its data.",
      "Nothing is dropped in the database that --url names.",
      "Exit codes: 0 verified, 1 not verified or failed, 2 wrong usage or bad input, 3 database unreachable."
    })
final class DemoCommand implements Callable<Integer> {

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
      names = "--resume",
      description = "Send nothing; finish and verify the jobs that an earlier run left.")
  private boolean resume;

  @Mixin private CommonOptions common = new CommonOptions();

  DemoCommand() {
    this(Demo::run);
  }

  DemoCommand(Run run) {
    this.run = run;
  }

  @FunctionalInterface
  interface Run {
    boolean run(DemoOptions options, DemoOutput output) throws SQLException, InterruptedException;
  }

  @Override
  public Integer call() throws SQLException, InterruptedException {
    try {
      DemoOptions options = new DemoOptions(input, jobs, resume, database());
      boolean verified =
          run.run(options, new DemoOutput(common.out(), common.err(), common.json()));
      return verified ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    } catch (RefusedException e) {
      throw common.refused(e);
    }
  }

  private DemoOptions.@Nullable Database database() {
    try {
      return common
          .database()
          .map(named -> new DemoOptions.Database(named.jdbcUrl(), named.toString()))
          .orElse(null);
    } catch (IllegalArgumentException e) {
      throw common.refused(e);
    }
  }
}
