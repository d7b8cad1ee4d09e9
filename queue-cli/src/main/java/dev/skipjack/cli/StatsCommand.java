package dev.skipjack.cli;

import dev.skipjack.store.jooq.JobQueue;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code skipjack stats}. */
@Command(
    name = "stats",
    description = {
      "Show each queue with its jobs, the age of its oldest due job, and its workers.",
      "Numbers above 10,000 are estimates.",
      "With --watch, the view fills the screen and is refreshed until q or Ctrl-C is pressed. IN/S and OUT/S are the jobs per second that enter a queue and that end in it. They are too low for a queue without an archive. If standard output is not a terminal, each refresh is one line."
    })
final class StatsCommand extends QueueAction {

  private static final long KEY_MILLIS = 50;

  /** The number of ticks between readings of the terminal's size. Each reading starts a process. */
  private static final int TICKS_PER_SIZE = 10;

  private static final Duration SHORTEST = Duration.ofSeconds(1);

  @Option(names = "--watch", description = "Refresh the view until it is interrupted.")
  private boolean watch;

  @Option(
      names = "--interval",
      paramLabel = "DURATION",
      defaultValue = "2s",
      description = "Time between two refreshes, at least 1s. Default: ${DEFAULT-VALUE}.")
  private Duration interval;

  @Option(
      names = "--times",
      paramLabel = "N",
      defaultValue = "2147483647",
      description = "Stop after this number of refreshes. Default: never.")
  private int times;

  @SuppressWarnings("NullAway.Init") // picocli sets an option that has a default
  StatsCommand() {
    super(Access.READ);
  }

  @Override
  void check() {
    if (interval.compareTo(SHORTEST) < 0) {
      throw CommandFailure.input(
          "--interval is %s, but must be at least 1s.".formatted(Cell.duration(interval)));
    }
    if (times < 1) {
      throw CommandFailure.input("--times is %d, but must be at least 1.".formatted(times));
    }
  }

  @Override
  int run(JobQueue queue, Output output) throws IOException, InterruptedException {
    if (!watch) {
      report(Overview.read(queue), output);
    } else if (output.isTerminal() && !output.isJson()) {
      fillScreen(queue, output);
    } else {
      for (int i = 0; i < times; i++) {
        if (i > 0) {
          Thread.sleep(interval.toMillis());
        }
        Overview overview = Overview.read(queue);
        if (output.isJson()) {
          report(overview, output);
        } else {
          output.line(Cell.of(Instant.now()) + " " + overview.summary());
        }
      }
    }
    return ExitCodes.DONE;
  }

  private static void report(Overview overview, Output output) {
    output.list("queues", QueueOverview.FIELDS, overview.queues(), overview.totals());
    if (!output.isJson()) {
      output.line("");
      output.line(overview.summary());
      overview.warnings().forEach(warning -> output.line("! " + warning));
    }
  }

  private void fillScreen(JobQueue queue, Output output) throws IOException, InterruptedException {
    StatsScreen screen = new StatsScreen(output.style());
    Rates rates = new Rates();
    try (Terminal terminal = output.openTerminal()) {
      for (int i = 0; i < times; i++) {
        Overview overview = Overview.read(queue);
        rates.read(queue, overview, System.nanoTime());
        Terminal.Size size = terminal.size();
        String title =
            "skipjack stats  %s  every %s, q quits"
                .formatted(Cell.of(Instant.now()), Cell.duration(interval));
        terminal.show(screen.draw(title, overview, rates, size));
        if (isQuitWithin(terminal, size)) {
          return;
        }
      }
    }
  }

  /** Waits for the next refresh. Returns whether the user quits; returns early after a resize. */
  private boolean isQuitWithin(Terminal terminal, Terminal.Size size)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + interval.toNanos();
    for (int tick = 1; System.nanoTime() < end; tick++) {
      int key = Terminal.key();
      if (key == 'q' || key == 'Q') {
        return true;
      }
      if (tick % TICKS_PER_SIZE == 0 && !terminal.size().equals(size)) {
        return false;
      }
      Thread.sleep(KEY_MILLIS);
    }
    return false;
  }
}
