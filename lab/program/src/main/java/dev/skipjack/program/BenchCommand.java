package dev.skipjack.program;

import dev.skipjack.benchmarks.Benchmarks;
import dev.skipjack.benchmarks.Options;
import dev.skipjack.benchmarks.Options.Setting;
import dev.skipjack.benchmarks.Report;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code skipjack bench}. */
@Command(
    name = "bench",
    description = "Measure the queue, and compare it with a baseline on the same server.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Without NAME, the command lists all benchmarks; docs/benchmarks.md describes what each compares.",
      "Without --url, the command starts an embedded PostgreSQL 18, durable as in production, and stops it at the end.",
      "In the database that --url names, the schemas skipjack_bench and skipjack_bench_* are dropped and created again.",
      "In a clone of the repository, './skipjack bench rivals' also measures other job queues, whose libraries are not part of this program.",
      "Nothing else should run at the same time.",
      "Exit codes: 0 measured, 1 failed, 2 wrong usage, 3 database unreachable."
    })
final class BenchCommand implements Callable<Integer> {

  private static final String KEEP = "keep";
  private static final String NONE = "none";

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "NAME", arity = "0..1", description = "The benchmark to run.")
  private @Nullable String name;

  @Option(names = "--jobs", paramLabel = "N", description = "Number of jobs in a run.")
  private @Nullable Long jobs;

  @Option(
      names = "--workers",
      paramLabel = "N",
      description = "Number of handler threads, or of producers in benchmarks that measure them.")
  private @Nullable Long workers;

  @Option(names = "--batch", paramLabel = "N", description = "Number of jobs in one statement.")
  private @Nullable Long batch;

  @Option(names = "--seconds", paramLabel = "N", description = "Duration of a run in seconds.")
  private @Nullable Long seconds;

  @Option(names = "--rate", paramLabel = "N", description = "Number of jobs offered per second.")
  private @Nullable Long rate;

  @Option(
      names = "--runs",
      paramLabel = "N",
      description = "Number of measured runs; one more run before them is discarded.")
  private @Nullable Long runs;

  @Option(
      names = "--archive",
      paramLabel = "keep|none",
      description = "Whether ended jobs are kept in the archive.")
  private @Nullable String archive;

  @Option(
      names = "--with",
      paramLabel = "NAME",
      split = ",",
      description = "Systems to compare with, separated by commas. Default: all.")
  private List<String> with = List.of();

  @Option(names = "--out", paramLabel = "FOLDER", description = "Folder for tables and plots.")
  private @Nullable Path out;

  @Mixin private CommonOptions common = new CommonOptions();

  @SuppressWarnings("NullAway.Init") // picocli injects the spec before the command runs
  BenchCommand() {}

  @Override
  public Integer call() throws Exception {
    if (name == null) {
      requireNoOption();
      Benchmarks.names()
          .forEach(one -> common.out().printf("%-12s %s%n", one, Benchmarks.purpose(one)));
      common.out().flush();
      return CommandLine.ExitCode.OK;
    }
    Options options;
    Optional<String> database;
    try {
      options = options();
      Benchmarks.check(name, options);
      database = common.namedDatabase();
    } catch (IllegalArgumentException e) {
      throw common.refused(e);
    }
    common.note(
        database.isPresent()
            ? "Dropping and recreating the schemas skipjack_bench and skipjack_bench_* of the database that --url names ..."
            : "Starting an embedded PostgreSQL ...");
    Report report = Benchmarks.run(name, options, database, common::note);
    if (common.json()) {
      common.out().println(report.json());
      common.out().flush();
    } else {
      report.print(common.out());
    }
    return CommandLine.ExitCode.OK;
  }

  private void requireNoOption() {
    if (!spec.commandLine().getParseResult().matchedOptions().isEmpty()) {
      throw new ParameterException(
          spec.commandLine(),
          "Which benchmark? Options need a NAME: %s."
              .formatted(String.join(", ", Benchmarks.names())));
    }
  }

  private Options options() {
    Options options = Options.none();
    options = with(options, Setting.JOBS, jobs);
    options = with(options, Setting.WORKERS, workers);
    options = with(options, Setting.BATCH, batch);
    options = with(options, Setting.SECONDS, seconds);
    options = with(options, Setting.RATE, rate);
    options = with(options, Setting.RUNS, runs);
    if (archive != null) {
      if (!archive.equals(KEEP) && !archive.equals(NONE)) {
        throw new IllegalArgumentException(
            "--archive is '%s', but must be keep or none.".formatted(archive));
      }
      options = options.archive(archive.equals(KEEP));
    }
    options = options.with(with);
    return out == null ? options : options.out(out);
  }

  private static Options with(Options options, Setting setting, @Nullable Long value) {
    return value == null ? options : options.with(setting, value);
  }
}
