package dev.skipjack.demo;

import dev.skipjack.worker.WorkerEvent;
import dev.skipjack.worker.WorkerListener;
import java.io.PrintWriter;

/**
 * Reports when a worker cannot work, for example because the database is unavailable, and when it
 * can work again.
 */
final class WorkerTroubles implements WorkerListener {

  private final PrintWriter err;

  WorkerTroubles(PrintWriter err) {
    this.err = err;
  }

  @Override
  public void on(WorkerEvent event) {
    if (event instanceof WorkerEvent.LoopFailed failed) {
      note("A worker's %s failed and retries: %s".formatted(failed.loop(), failed.error()));
    } else if (event instanceof WorkerEvent.LoopRecovered recovered) {
      note("The worker's %s works again.".formatted(recovered.loop()));
    }
  }

  private void note(String sentence) {
    err.println(sentence);
    err.flush();
  }
}
