package dev.skipjack.examples.order;

import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.LaneOrder;
import dev.skipjack.worker.Worker;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * While a newsletter goes to all customers, receipts are sent as well. Receipts have a separate
 * queue with four times the newsletter's weight, and urgent receipts come first.
 *
 * <p>What goes wrong: the newsletter has a wrong link. An operator pauses its queue; receipts are
 * still sent. The link is fixed, and the queue is resumed.
 */
public final class Lanes {

  static final JobType<String> RECEIPT = JobType.of("receipt", String.class).onQueue("receipts");

  static final JobType<String> NEWSLETTER =
      JobType.of("newsletter", String.class).onQueue("newsletters").priority(-10);

  private final JobQueue queue;
  private final List<String> sent = new ArrayList<>();

  private Lanes(DataSource dataSource) {
    this.queue = JobQueue.on(dataSource);
  }

  // snippet: order
  private Worker.Builder worker() {
    return Worker.on(queue)
        .handle(RECEIPT, (mail, context) -> send(mail))
        .handle(NEWSLETTER, (mail, context) -> send(mail))
        .queue("receipts", 8)
        .queue("newsletters", 2)
        .order(LaneOrder.fair().weighted(Map.of("receipts", 4)));
  }

  private void enqueue(int each) {
    queue.enqueueAll(NEWSLETTER, mails("newsletter", each));
    queue.enqueueAll(RECEIPT, mails("receipt", each));
    queue.enqueue(RECEIPT, "receipt of a tax inspector", job -> job.priority(50));
  }

  // end of snippet

  private static List<String> mails(String of, int number) {
    return IntStream.rangeClosed(1, number).mapToObj(reader -> of + " " + reader).toList();
  }

  private Outcome send(String mail) {
    sent.add(mail);
    return Outcome.completed();
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
    Lanes lanes = new Lanes(dataSource);
    lanes.enqueue(200);
    lanes.drain();
    out.println("first: " + lanes.sent.get(0));
    out.println("of the first 250: " + lanes.count("newsletter", 250) + " newsletters");
    out.println("in the end: " + lanes.sent.size());

    lanes.sent.clear();
    lanes.enqueue(20);
    lanes.queue.admin().pause("newsletters");
    lanes.drain();
    out.println("paused: " + lanes.count("newsletter", lanes.sent.size()) + " newsletters");
    out.println("receipts sent nevertheless: " + lanes.count("receipt", lanes.sent.size()));
    lanes.queue.admin().resume("newsletters");
    lanes.drain();
    out.println("resumed: " + lanes.count("newsletter", lanes.sent.size()) + " newsletters");
  }

  /** Runs jobs in the calling thread, with up to 50 jobs per claim. */
  private void drain() {
    try (Worker worker = worker().build()) {
      worker.runUntilIdle();
    }
  }

  private long count(String of, int first) {
    return sent.stream().limit(first).filter(mail -> mail.startsWith(of)).count();
  }
}
