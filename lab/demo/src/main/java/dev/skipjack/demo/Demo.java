package dev.skipjack.demo;

import java.sql.Connection;
import java.sql.SQLException;

/** Runs the demo and prints its output. */
public final class Demo {

  private final DemoOptions options;
  private final DemoOutput output;
  private final StopRequest stop;

  private Demo(DemoOptions options, DemoOutput output, StopRequest stop) {
    this.options = options;
    this.output = output;
    this.stop = stop;
  }

  /**
   * Runs the demo once. If the JVM shuts down, for example after Ctrl-C, it waits until the workers
   * have stopped.
   *
   * @throws RefusedException if the run cannot begin, or the queue refuses a delivery
   * @throws SQLException if the database failed
   */
  public static DemoResult run(DemoOptions options, DemoOutput output)
      throws SQLException, InterruptedException {
    Deliveries input = options.deliveries();
    try (StopRequest stop = new StopRequest()) {
      return new Demo(options, output, stop).run(input);
    }
  }

  private DemoResult run(Deliveries input) throws SQLException, InterruptedException {
    if (options.database().isPresent()) {
      return run(options.database().get(), input);
    }
    output.note("Starting an embedded PostgreSQL ...");
    try (DemoServer own = new DemoServer(options.server())) {
      output.note(own.description());
      return run(own.database(options.resume()), input);
    }
  }

  @SuppressWarnings("try") // the lock works without being called
  private DemoResult run(DemoTarget target, Deliveries input)
      throws SQLException, InterruptedException {
    try (DemoDatabase database = DemoDatabase.connect(target.jdbcUrl(), options.workers());
        Connection lock = database.lock()) {
      if (options.resume() && !database.holdsDeliveries()) {
        throw new RefusedException(
            "There is nothing to resume: no demo has run in %s.".formatted(target));
      }
      database.createTables();
      return report(new DemoRun(database.pool(), options, output, stop).run(input), target);
    }
  }

  private DemoResult report(DemoRun.Ending ending, DemoTarget target) {
    if (ending.summary().isEmpty()) {
      output.note(
          "Stopped. %,d jobs are pending and %,d running; none is lost. `skipjack demo --resume`%s finishes them."
              .formatted(ending.left().pending(), ending.left().running(), target.resumeHint()));
      return DemoResult.NOT_VERIFIED;
    }
    Summary summary = ending.summary().get();
    if (options.resume() && summary.number("ended") == 0) {
      output.note("There was nothing left to do in %s.".formatted(target));
    }
    if (output.json()) {
      output.out().println(summary.json());
      output.out().flush();
    } else {
      summary.print(output.out());
    }
    return summary.verified() ? DemoResult.VERIFIED : DemoResult.NOT_VERIFIED;
  }
}
