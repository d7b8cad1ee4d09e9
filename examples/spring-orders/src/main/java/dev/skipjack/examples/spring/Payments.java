package dev.skipjack.examples.spring;

import dev.skipjack.api.Backoff;
import dev.skipjack.api.JobType;
import dev.skipjack.handlers.JobHandler;
import dev.skipjack.spring.Jobs;
import java.time.Duration;
import org.springframework.stereotype.Component;

/** Charges orders, each exactly once. */
// snippet: handler
@Component
class Payments {
  static final JobType<ChargeOrder> CHARGE_ORDER =
      JobType.of("charge-order", ChargeOrder.class)
          .onQueue("payments")
          .retry(Backoff.exponential(Duration.ofSeconds(1)).jitter(0.3));

  private final Orders orders;
  private final Charges charges;
  private final Jobs jobs;

  Payments(Orders orders, Charges charges, Jobs jobs) {
    this.orders = orders;
    this.charges = charges;
    this.jobs = jobs;
  }

  @JobHandler(value = "charge-order", transactional = true)
  void charge(ChargeOrder job) {
    Order order = orders.findById(job.orderId()).orElseThrow();
    charges.save(new Charge(order));
    order.markPaid();
    jobs.enqueue(Confirmations.CONFIRM_ORDER, new ConfirmOrder(order.id()));
  }
}
// end of snippet
