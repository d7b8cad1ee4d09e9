package dev.skipjack.demo;

import dev.skipjack.worker.WorkerEvent;
import dev.skipjack.worker.WorkerListener;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

/** Counts what the workers do and shows it. The report reads the database instead. */
final class Progress implements WorkerListener {

  private static final Duration ON_TERMINAL = Duration.ofMillis(200);
  private static final Duration IN_LOG = Duration.ofSeconds(2);

  private final DemoOutput output;
  private final LongAdder completed = new LongAdder();
  private final LongAdder retries = new LongAdder();
  private final LongAdder dead = new LongAdder();
  private long shown = System.nanoTime();

  Progress(DemoOutput output) {
    this.output = output;
  }

  @Override
  public void on(WorkerEvent event) {
    if (event instanceof WorkerEvent.Succeeded) {
      completed.increment();
    } else if (event instanceof WorkerEvent.Failed) {
      retries.increment();
    } else if (event instanceof WorkerEvent.Dead) {
      dead.increment();
    } else if (event instanceof WorkerEvent.LoopFailed failed) {
      output.note("A worker's %s failed and retries: %s".formatted(failed.loop(), failed.error()));
    }
  }

  /** Shows the progress if enough time has passed. Called by one thread. */
  void show(long stored) {
    Duration interval = output.terminal() ? ON_TERMINAL : IN_LOG;
    if (!output.json() && System.nanoTime() - shown >= interval.toNanos()) {
      shown = System.nanoTime();
      String line =
          String.format(
              Locale.ROOT,
              "stored %,d  completed %,d  retries %,d  dead %,d",
              stored,
              completed.sum(),
              retries.sum(),
              dead.sum());
      // On a terminal, the next line overwrites this one.
      output.err().print(output.terminal() ? line + "\u001b[K\r" : line + System.lineSeparator());
      output.err().flush();
    }
  }
}
