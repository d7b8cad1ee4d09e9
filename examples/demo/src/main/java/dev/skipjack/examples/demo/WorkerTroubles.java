package dev.skipjack.examples.demo;

import dev.skipjack.worker.WorkerEvent;
import dev.skipjack.worker.WorkerListener;
import java.io.PrintWriter;

/**
 * Tells when a worker cannot do its work, the database being away for instance, and when it can
 * again.
 */
final class WorkerTroubles implements WorkerListener {

  private final PrintWriter err;

  WorkerTroubles(PrintWriter err) {
    this.err = err;
  }

  @Override
  public void on(WorkerEvent event) {
    if (event instanceof WorkerEvent.LoopFailed failed) {
      tell("A worker's %s fails and tries again: %s".formatted(failed.loop(), failed.error()));
    } else if (event instanceof WorkerEvent.LoopRecovered recovered) {
      tell("That worker's %s works again.".formatted(recovered.loop()));
    }
  }

  private void tell(String sentence) {
    err.println(sentence);
    err.flush();
  }
}
