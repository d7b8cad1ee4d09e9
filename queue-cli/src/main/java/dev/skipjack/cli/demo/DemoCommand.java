package dev.skipjack.cli.demo;

import dev.skipjack.cli.DatabaseAddress;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code skipjack demo}. */
@Command(
    name = "demo",
    description = "Take in webhooks, handle each exactly once, and prove it from the database.",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Without --url and PGHOST or PGDATABASE an embedded PostgreSQL is started and kept.",
      "Exit codes: 0 verified, 1 not verified or failed, 2 wrong usage or bad input."
    })
public final class DemoCommand implements Callable<Integer> {

  private static final int MOST_WORKERS = 32;

  /** Set by the launcher when standard error is a terminal, which Java cannot find out. */
  private static final String TERMINAL = "skipjack.terminal";

  @Spec private CommandSpec spec;

  @Option(
      names = "--input",
      paramLabel = "FILE.jsonl",
      description = "Deliveries to send, one JSON object a line. Default: 1,000 generated ones.")
  private @Nullable Path input;

  @Option(
      names = "--jobs",
      paramLabel = "N",
      description = "Send N distinct deliveries; the input is repeated or cut, with fresh ids.")
  private @Nullable Long jobs;

  @Option(
      names = "--workers",
      paramLabel = "N",
      defaultValue = "2",
      description = "Workers with 8 handlers each. Default: ${DEFAULT-VALUE}.")
  private int workers;

  @Option(
      names = "--url",
      paramLabel = "JDBC_URL",
      description =
          "Use this database and drop nothing in it. Its password may come from PGPASSWORD, which no list of processes shows.")
  private @Nullable String url;

  @Option(
      names = "--resume",
      description = "Send nothing: finish and verify what an earlier run left.")
  private boolean resume;

  @Option(
      names = "--json",
      description = "Report as one line of JSON, the last on standard output.")
  private boolean json;

  @Option(
      names = "--server",
      hidden = true,
      defaultValue = "demo",
      description = "Purpose of the embedded server: tests keep away from people's data.")
  private String server;

  /** For picocli, which sets the fields. */
  @SuppressWarnings("NullAway.Init") // picocli injects spec and defaults before anything runs
  public DemoCommand() {}

  @Override
  public Integer call() throws SQLException, InterruptedException {
    DemoOptions options = options();
    WarmUp.begin();
    UUID run = UUID.randomUUID();
    try (StopRequest stop = StopRequest.listen();
        Lookahead deliveries = input(options, run)) {
      if (options.address().isEmpty()) {
        return runOnOwnServer(run, options, deliveries, stop);
      }
      DatabaseAddress address = options.address().get();
      return run(new Place(address.jdbcUrl(), address.toString()), run, options, deliveries, stop);
    } catch (BadInputException | RefusedException e) {
      throw refused(String.valueOf(e.getMessage()));
    }
  }

  private DemoOptions options() {
    if (jobs != null && jobs < 1) {
      throw refused("--jobs is %d, but at least 1 delivery is needed.".formatted(jobs));
    }
    if (workers < 1 || workers > MOST_WORKERS) {
      throw refused("--workers is %d, but must be 1 to %d.".formatted(workers, MOST_WORKERS));
    }
    if (resume && (jobs != null || input != null)) {
      throw refused("--resume sends nothing: leave out --jobs and --input.");
    }
    try {
      return new DemoOptions(
          Optional.ofNullable(input),
          jobs == null ? OptionalLong.empty() : OptionalLong.of(jobs),
          workers,
          DatabaseAddress.of(url, System.getenv()),
          resume);
    } catch (IllegalArgumentException e) {
      throw refused(String.valueOf(e.getMessage()));
    }
  }

  private static Lookahead input(DemoOptions options, UUID run) {
    if (options.resume()) {
      return new Lookahead(Optional::empty, 0);
    }
    Lookahead input = new Lookahead(options.open(run), Fate.REPRESENTATIVE);
    if (input.isEmpty()) {
      throw new BadInputException(
          String.valueOf(options.input().orElseThrow()), "holds no delivery");
    }
    return input;
  }

  private int runOnOwnServer(UUID run, DemoOptions options, Lookahead deliveries, StopRequest stop)
      throws SQLException, InterruptedException {
    tell("Starting an embedded PostgreSQL ...");
    try (DemoServer own =
        options.resume() ? DemoServer.startToResume(server) : DemoServer.start(server)) {
      tell(own.description());
      String jdbcUrl = options.resume() ? own.keptDatabase() : freshDatabase(own);
      return run(new Place(jdbcUrl, own.folder()), run, options, deliveries, stop);
    }
  }

  private String freshDatabase(DemoServer own) throws SQLException {
    long unfinished = own.unfinished();
    if (unfinished > 0) {
      tell(
          "An earlier run left %,d jobs unfinished there; they are dropped, because this is not --resume."
              .formatted(unfinished));
    }
    return own.freshDatabase();
  }

  /**
   * Where the demo runs.
   *
   * @param jdbcUrl may hold a password
   * @param name as people call it
   */
  private record Place(String jdbcUrl, String name) {
    /** Without the password. */
    @Override
    public String toString() {
      return name;
    }
  }

  @SuppressWarnings("try") // the lock does its part without being called
  private int run(
      Place place, UUID run, DemoOptions options, Lookahead deliveries, StopRequest stop)
      throws SQLException, InterruptedException {
    try (DemoDatabase database = DemoDatabase.connect(place.jdbcUrl(), options.workers());
        DemoLock lock = DemoLock.take(database.service())) {
      DemoRun demo = new DemoRun(database, options, stop);
      demo.prepare(place.name());
      DemoRun.Ending ending = demo.run(run, deliveries, err(), style());
      if (options.resume() && ending.found() == 0) {
        tell("Nothing was left to do in %s.".formatted(place));
      }
      return report(ending);
    }
  }

  private int report(DemoRun.Ending ending) {
    ending.badInput().ifPresent(bad -> explain(bad, ending.stored()));
    if (ending.summary().isEmpty()) {
      tell(
          "Stopped. %,d jobs are pending and %,d running; none is lost. `skipjack demo --resume`%s finishes them."
              .formatted(
                  ending.left().pending(),
                  ending.left().running(),
                  url == null ? "" : " with the same --url"));
      return CommandLine.ExitCode.SOFTWARE;
    }
    Summary summary = ending.summary().get();
    if (json) {
      out().println(JsonReport.of(summary, ending.badInput().map(Throwable::getMessage)));
      out().flush();
    } else {
      TextReport.print(summary, out());
    }
    if (!summary.verified()) {
      return CommandLine.ExitCode.SOFTWARE;
    }
    return ending.badInput().isPresent() ? CommandLine.ExitCode.USAGE : CommandLine.ExitCode.OK;
  }

  private void explain(BadInputException bad, long stored) {
    tell(
        "%s%nThe input ends there: %,d deliveries were stored, whole and with their jobs."
            .formatted(bad.getMessage(), stored));
  }

  private LiveLine.Style style() {
    if (json) {
      return LiveLine.Style.NONE;
    }
    return Boolean.getBoolean(TERMINAL) ? LiveLine.Style.TERMINAL : LiveLine.Style.PLAIN;
  }

  private ParameterException refused(String sentence) {
    return new ParameterException(spec.commandLine(), sentence);
  }

  private void tell(String sentence) {
    err().println(sentence);
    err().flush();
  }

  private PrintWriter err() {
    return spec.commandLine().getErr();
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
