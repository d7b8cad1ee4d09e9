package dev.skipjack.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.spring.test.AutoConfigureSkipjack;
import dev.skipjack.testkit.JobRuns;
import dev.skipjack.testkit.TestQueue;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.transaction.AfterTransaction;
import org.springframework.transaction.annotation.Transactional;

/** Runs the jobs of an order in the transaction of the test, which JPA and the queue share. */
@SpringBootTest(
    webEnvironment = WebEnvironment.NONE,
    properties = "spring.datasource.url=skipjack:embedded")
@AutoConfigureSkipjack
@Transactional
class CheckoutTest {

  @Autowired private OrderService checkout;
  @Autowired private Orders orders;
  @Autowired private Charges charges;
  @Autowired private JdbcClient sql;
  @Autowired private TestQueue queue;
  @Autowired private JobRuns runs;

  @Test
  void anOrderIsChargedAndConfirmed() {
    Order order = checkout.place("ada", 1_999);
    assertThat(queue)
        .hasEnqueued(Payments.CHARGE_ORDER)
        .withPayload(new ChargeOrder(order.id()))
        .times(1);

    assertThat(runs.toTheEnd()).isEqualTo(2);

    assertThat(orders.findById(order.id()).orElseThrow().status()).isEqualTo(Order.Status.PAID);
    assertThat(charges.count()).isEqualTo(1);
    assertThat(count("confirmations")).isEqualTo(1);
  }

  @AfterTransaction
  void everythingIsRolledBack() {
    assertThat(count("orders")).isZero();
    assertThat(count("charges")).isZero();
    assertThat(count("skipjack.jobs")).isZero();
    assertThat(count("skipjack.jobs_archive")).isZero();
  }

  private long count(String table) {
    return sql.sql("SELECT count(*) FROM " + table).query(Long.class).single();
  }
}
