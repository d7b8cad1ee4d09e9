package dev.skipjack.examples.upgrades;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.api.operations.JobEdit;
import dev.skipjack.api.operations.JobReader;
import dev.skipjack.api.operations.JobSummary;
import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/**
 * A new version is rolled out: invoices get a currency, and refunds are added. Workers of both
 * versions share the queue.
 *
 * <p>What goes wrong: the old worker gets an invoice of the new version. It cannot read the
 * payload, so it leaves the job to a newer worker, and no attempt is used. It does not claim
 * refunds at all.
 */
public final class Versions {

  private Versions() {}

  // snippet: versions
  record Invoice(long cents, String currency) {}

  record Refund(long invoice) {}

  /** Invoices of version 1 were all in euros. */
  static final JobType<Invoice> INVOICE =
      JobType.of("invoice", Invoice.class)
          .payloadVersion(2)
          .upcast(
              (json, version) ->
                  json.substring(0, json.lastIndexOf('}')) + ", \"currency\": \"EUR\"}");

  static final JobType<Refund> REFUND = JobType.of("refund", Refund.class);

  // end of snippet

  private static Worker.Builder worker(JobQueue queue, PrintStream out) {
    return Worker.on(queue)
        .queue("default", 2)
        .handle(
            INVOICE,
            (invoice, context) -> {
              out.println("new worker: " + invoice.cents() + " " + invoice.currency());
              return Outcome.completed();
            })
        .handle(
            REFUND,
            (refund, context) -> {
              out.println("new worker: refund");
              return Outcome.completed();
            });
  }

  /**
   * Runs the example.
   *
   * @param args a JDBC URL; without one an embedded PostgreSQL is started
   */
  public static void main(String[] args) {
    try (ExampleDatabase database = ExampleDatabase.open(args)) {
      run(database.dataSource(), System.out);
    }
  }

  static void run(DataSource dataSource, PrintStream out) {
    JobQueue queue = JobQueue.on(dataSource);
    JobId later = queue.enqueue(INVOICE, new Invoice(900, "SEK"));
    JobId refund = queue.enqueue(REFUND, new Refund(1));
    queue.enqueue(OldVersion.INVOICE, new OldVersion.Bill(100));
    drain(OldVersion.worker(queue, out));
    out.println("of the new version: " + describe(queue.reader(), later));
    out.println("of a new kind: " + describe(queue.reader(), refund));

    queue.enqueue(OldVersion.INVOICE, new OldVersion.Bill(200));
    // The old worker delayed it by some seconds, for which an example need not wait.
    queue.admin().edit(later, JobEdit.nothing().delay(Duration.ZERO));
    drain(worker(queue, out));
    for (JobId job : List.of(later, refund)) {
      out.println("in the end: " + describe(queue.reader(), job));
    }
  }

  private static void drain(Worker.Builder described) {
    try (Worker worker = described.build()) {
      worker.runUntilIdle();
    }
  }

  private static String describe(JobReader reader, JobId id) {
    JobSummary job = reader.find(id).orElseThrow().summary();
    return "%s, claimed %d times, %d attempts used"
        .formatted(job.status(), job.attempts(), job.usedAttempts());
  }
}
