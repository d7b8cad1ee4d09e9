package dev.skipjack.examples.spring;

import dev.skipjack.api.JobType;
import dev.skipjack.handlers.JobHandler;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Sends confirmations, here into a table. If an attempt is killed after sending and before its
 * completion, the next one sends a second confirmation, as with a real mail.
 */
@Component
class Confirmations {
  static final JobType<ConfirmOrder> CONFIRM_ORDER =
      JobType.of("confirm-order", ConfirmOrder.class).onQueue("mails");

  private final JdbcClient database;

  Confirmations(JdbcClient database) {
    this.database = database;
  }

  @JobHandler("confirm-order")
  void confirm(ConfirmOrder job) {
    database
        .sql("INSERT INTO confirmations (order_id) VALUES (:order)")
        .param("order", job.orderId())
        .update();
  }
}
