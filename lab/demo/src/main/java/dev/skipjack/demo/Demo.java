package dev.skipjack.demo;

import java.sql.SQLException;
import java.util.Optional;
import java.util.UUID;

/** Runs the demo and prints its output. */
public final class Demo {

  private final DemoOptions options;
  private final DemoOutput output;

  private Demo(DemoOptions options, DemoOutput output) {
    this.options = options;
    this.output = output;
  }

  /**
   * Runs the demo once. If the JVM shuts down, for example after Ctrl-C, it waits until the workers
   * have stopped.
   *
   * @throws RefusedException if the run cannot begin, in which case nothing was sent
   * @throws SQLException if the database failed
   */
  public static DemoResult run(DemoOptions options, DemoOutput output)
      throws SQLException, InterruptedException {
    return new Demo(options, output).run();
  }

  private DemoResult run() throws SQLException, InterruptedException {
    WarmUp.begin();
    UUID run = UUID.randomUUID();
    try (StopRequest stop = StopRequest.listen();
        Lookahead deliveries = input(run)) {
      return options.database().isPresent()
          ? run(options.database().get(), run, deliveries, stop)
          : runOnOwnServer(run, deliveries, stop);
    }
  }

  private Lookahead input(UUID run) {
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

  private DemoResult runOnOwnServer(UUID run, Lookahead deliveries, StopRequest stop)
      throws SQLException, InterruptedException {
    output.note("Starting an embedded PostgreSQL ...");
    try (DemoServer own =
        options.resume()
            ? DemoServer.startToResume(options.server())
            : DemoServer.start(options.server())) {
      output.note(own.description());
      String jdbcUrl = options.resume() ? own.keptDatabase() : freshDatabase(own);
      return run(new DemoTarget(jdbcUrl, own.folder(), ""), run, deliveries, stop);
    }
  }

  private String freshDatabase(DemoServer own) throws SQLException {
    long unfinished = own.unfinished();
    if (unfinished > 0) {
      output.note(
          "An earlier run left %,d jobs unfinished there; they are dropped, because this is not --resume."
              .formatted(unfinished));
    }
    return own.freshDatabase();
  }

  @SuppressWarnings("try") // the lock works without being called
  private DemoResult run(DemoTarget target, UUID run, Lookahead deliveries, StopRequest stop)
      throws SQLException, InterruptedException {
    try (DemoDatabase database = DemoDatabase.connect(target.jdbcUrl(), options.workers());
        DemoLock lock = DemoLock.take(database.service())) {
      DemoRun demo = new DemoRun(database, options, stop);
      demo.prepare(target.name());
      DemoRun.Ending ending = demo.run(run, deliveries, output.err(), output.style());
      if (options.resume() && ending.found() == 0) {
        output.note("There was nothing left to do in %s.".formatted(target));
      }
      return report(ending, target);
    }
  }

  private DemoResult report(DemoRun.Ending ending, DemoTarget target) {
    ending
        .badInput()
        .ifPresent(
            bad ->
                output.note(
                    "%s%nReading stopped there: %,d deliveries were stored, each with its job."
                        .formatted(bad.getMessage(), ending.stored())));
    if (ending.summary().isEmpty()) {
      output.note(
          "Stopped. %,d jobs are pending and %,d running; none is lost. `skipjack demo --resume`%s finishes them."
              .formatted(ending.left().pending(), ending.left().running(), target.resumeHint()));
      return DemoResult.NOT_VERIFIED;
    }
    Summary summary = ending.summary().get();
    if (output.json()) {
      output.out().println(JsonReport.of(summary, ending.badInput().map(Throwable::getMessage)));
      output.out().flush();
    } else {
      TextReport.print(summary, output.out());
    }
    if (!summary.verified()) {
      return DemoResult.NOT_VERIFIED;
    }
    return ending.badInput().isPresent() ? DemoResult.BAD_INPUT : DemoResult.VERIFIED;
  }
}
