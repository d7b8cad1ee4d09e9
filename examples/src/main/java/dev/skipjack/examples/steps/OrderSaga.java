package dev.skipjack.examples.steps;

import static dev.skipjack.steps.StepOptions.undo;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobId;
import dev.skipjack.api.JobType;
import dev.skipjack.api.Outcome;
import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.handlers.JobHandlers;
import dev.skipjack.steps.Steps;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.worker.Worker;
import java.io.PrintStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/**
 * Reserves, charges and ships an order, in three systems without a common transaction. Each step is
 * stored with the job that undoes it.
 *
 * <p>What goes wrong: no carrier delivers to the city, after the card was charged. The charge is
 * refunded, and then the reservation is released.
 */
public final class OrderSaga {

  record Order(String number, String city, long cents) {}

  record Reservation(String number) {}

  record Charge(String key, long cents) {}

  static final JobType<Order> ORDER = JobType.of("order", Order.class);
  static final JobType<Reservation> RELEASE = JobType.of("release", Reservation.class);
  static final JobType<Charge> REFUND = JobType.of("refund", Charge.class);

  /** The other systems: what they were asked for last, by the key of the request. */
  private final Map<String, String> systems = new ConcurrentHashMap<>();

  private final PrintStream out;

  OrderSaga(PrintStream out) {
    this.out = out;
  }

  @JobHandler("order")
  Outcome order(Order order, Steps steps) throws Exception {
    steps.run(
        "reserve",
        Reservation.class,
        key -> reserve(order),
        undo(RELEASE, reservation -> reservation));
    steps.run(
        "charge",
        Charge.class,
        key -> charge(key, order.cents()),
        undo(REFUND, (Charge charge) -> charge).andRetry(3, Backoff.fixed(Duration.ofMillis(50))));
    if (!delivers(order.city())) {
      return steps.compensate("no carrier delivers to " + order.city());
    }
    steps.run("ship", () -> ship(order));
    return Outcome.completed();
  }

  @JobHandler("refund")
  void refund(Charge charge) {
    request(charge.key() + "/refund", "refunded " + charge.cents()); // once for each key
  }

  @JobHandler("release")
  void release(Reservation reservation) {
    request(reservation.number() + "/release", "released " + reservation.number());
  }

  private Reservation reserve(Order order) {
    request(order.number(), "reserved " + order.number());
    return new Reservation(order.number());
  }

  private Charge charge(String key, long cents) {
    request(key, "charged " + cents);
    return new Charge(key, cents);
  }

  private static boolean delivers(String city) {
    return !city.equals("Atlantis");
  }

  private void ship(Order order) {
    request(order.number() + "/ship", "shipped " + order.number());
  }

  /** Stands for a request, of which another system does what it asks for once for each key. */
  private void request(String key, String effect) {
    if (systems.put(key, effect) == null) {
      out.println(effect);
    }
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
    Worker.Builder builder = Worker.on(queue).queue("default", 2);
    JobHandlers.of(new OrderSaga(out)).addTo(builder);
    try (Worker worker = builder.build()) {
      List<JobId> jobs =
          queue.enqueueAll(
              ORDER, List.of(new Order("A-1", "Lisbon", 1_999), new Order("A-2", "Atlantis", 500)));
      worker.runUntilIdle();
      for (JobId job : jobs) {
        out.println(queue.reader().find(job).orElseThrow().summary().status());
      }
    }
  }
}
