package dev.skipjack.examples.upgrades;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import java.io.PrintStream;

/** The old version of the application, some of whose processes are still running. */
final class OldVersion {

  /**
   * An invoice of the old version, without a currency. Both versions use the same kind for
   * invoices.
   */
  record Bill(long cents) {}

  static final JobType<Bill> INVOICE = JobType.of("invoice", Bill.class);

  private OldVersion() {}

  static Worker.Builder worker(JobQueue queue, PrintStream out) {
    return Worker.on(queue)
        .queue("default", 2)
        .handle(
            INVOICE,
            (bill, context) -> {
              out.println("old worker: " + bill.cents());
              return Outcome.completed();
            });
  }
}
