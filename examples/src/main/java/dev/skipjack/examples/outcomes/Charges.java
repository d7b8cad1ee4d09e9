package dev.skipjack.examples.outcomes;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.JobContext;
import dev.skipjack.worker.Worker;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/**
 * Charges orders. The bank's response decides how the attempt ends: completed with a receipt,
 * retried, dead at once, snoozed, or cancelled.
 *
 * <p>What goes wrong: a card is declined. No further attempt can help, so the job is dead at once;
 * an operator fixes the card and redrives it.
 */
public final class Charges {

  private final DataSource dataSource;
  private final JobQueue queue;
  private final Instant monday = Instant.now().plus(Duration.ofDays(2));
  private final Set<String> declined = ConcurrentHashMap.newKeySet();

  Charges(DataSource dataSource) {
    this.dataSource = dataSource;
    this.queue = JobQueue.on(dataSource);
  }

  record Charge(String order, long cents) {}

  record Receipt(String order, String number) {}

  static final JobType<Receipt> SEND_RECEIPT =
      JobType.of("send-receipt", Receipt.class).onQueue("emails");

  /** Thrown if the bank declines the card permanently. */
  static final class CardDeclined extends Exception {
    private static final long serialVersionUID = 1L;

    CardDeclined(String order) {
      super("card of order " + order + " was declined");
    }
  }

  /** Thrown if the bank limits the rate of requests. */
  static final class RateLimited extends Exception {
    private static final long serialVersionUID = 1L;
  }

  // snippet: rules
  static final JobType<Charge> CHARGE =
      JobType.of("charge", Charge.class)
          .onQueue("payments")
          .maxAttempts(10)
          .retry(Backoff.exponential(Duration.ofSeconds(10)).jitter(0.3))
          .retryOn(RateLimited.class, Backoff.fixed(Duration.ofSeconds(1)))
          .deadOn(CardDeclined.class);

  // end of snippet

  // snippet: outcomes
  Outcome charge(Charge charge, JobContext context) throws CardDeclined, SQLException {
    if (charge.order().equals("withdrawn")) {
      return Outcome.cancelled("order was withdrawn");
    }
    if (charge.order().equals("not-before-monday") && Instant.now().isBefore(monday)) {
      return Outcome.snooze(monday); // uses no attempt
    }
    if (charge.order().equals("by-night") && context.attempt() == 1) {
      return Outcome.retry(Duration.ofHours(6), "bank is closed"); // uses one; replaces the backoff
    }
    Receipt receipt = new Receipt(charge.order(), bankCharges(charge));
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      context.enqueueIn(connection).enqueue(SEND_RECEIPT, receipt);
      context.completeIn(connection, receipt); // the receipt is kept with the job
      connection.commit(); // commits the job's completion and its follow-up together
    }
    return Outcome.completed();
  }

  // end of snippet

  private String bankCharges(Charge charge) throws CardDeclined {
    if (declined.contains(charge.order())) {
      throw new CardDeclined(charge.order());
    }
    return "R-" + charge.order() + "-" + charge.cents();
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

  static List<JobId> run(DataSource dataSource, PrintStream out) {
    Charges charges = new Charges(dataSource);
    charges.declined.add("no-money");
    List<JobId> jobs =
        charges.queue.enqueueAll(
            CHARGE,
            List.of(
                new Charge("paid", 1_999),
                new Charge("withdrawn", 500),
                new Charge("not-before-monday", 700),
                new Charge("no-money", 99_000),
                new Charge("by-night", 1_200)));
    try (Worker worker =
        Worker.on(charges.queue)
            .handle(CHARGE, charges::charge)
            .handle(SEND_RECEIPT, (receipt, context) -> sent(receipt, out))
            .queue("payments", 4)
            .queue("emails", 2)
            .build()) {
      worker.runUntilIdle();
      show(charges.queue, jobs, out);
      charges.declined.clear();
      out.println("redrive: " + charges.queue.admin().redrive(List.of(jobs.get(3))));
      worker.runUntilIdle();
      show(charges.queue, jobs.subList(3, 4), out);
    }
    return jobs;
  }

  private static Outcome sent(Receipt receipt, PrintStream out) {
    out.println("receipt " + receipt.number() + " sent");
    return Outcome.completed();
  }

  private static void show(JobQueue queue, List<JobId> jobs, PrintStream out) {
    for (JobId id : jobs) {
      queue
          .reader()
          .find(id)
          .ifPresent(
              job ->
                  out.printf(
                      "%s %s: %s%n",
                      job.summary().status(),
                      job.payload(),
                      job.result() == null ? job.summary().lastError() : job.result()));
    }
  }
}
