package dev.skipjack.examples.spring;

import dev.skipjack.spring.Jobs;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Takes orders and enqueues their charges. */
// snippet: enqueue
@Service
class OrderService {
  private final Orders orders;
  private final Jobs jobs;

  OrderService(Orders orders, Jobs jobs) {
    this.orders = orders;
    this.jobs = jobs;
  }

  @Transactional
  public Order place(String customer, long cents) {
    Order order = orders.save(new Order(customer, cents));
    jobs.enqueue(Payments.CHARGE_ORDER, new ChargeOrder(order.id()));
    return order;
  }
}
// end of snippet
