package dev.skipjack.examples.anytable;

import static dev.skipjack.examples.anytable.Tables.VOUCHER;
import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.examples.Story;
import dev.skipjack.examples.anytable.Vouchers.SoldOutException;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;

@QueueTest
class VouchersTest {

  private static final int NUMBER = 500;

  @Test
  void aRefusedOrderTakesNoVoucher(QueueDatabase empty) {
    Story story = new Story();
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      Vouchers.run(database.dataSource(), story.out);
    }

    assertThat(story.lines())
        .containsExactly(
            "Ann: [V1, V2]", "Bob: card declined", "Cyd: only 3 left", "Dee: [V3, V4, V5]");
  }

  /**
   * Counts every voucher, to check that each is sold exactly once although some orders roll back.
   */
  @Test
  void aCrowdBuysEachVoucherOnce(QueueDatabase empty) throws Exception {
    Queue<String> sold = new ConcurrentLinkedQueue<>();
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      Vouchers vouchers = new Vouchers(database.dataSource());
      vouchers.create(NUMBER);
      var db = DSL.using(database.dataSource(), SQLDialect.POSTGRES);
      Crowd.run(
          customer -> {
            for (int order = 0; db.fetchExists(VOUCHER, VOUCHER.CUSTOMER.isNull()); order++) {
              boolean declined = order % 4 == 0;
              try {
                sold.addAll(
                    vouchers.order(
                        "customer " + customer,
                        1 + order % 3,
                        () -> {
                          if (declined) {
                            throw new IllegalStateException("card declined");
                          }
                        }));
              } catch (SoldOutException | IllegalStateException refused) {
                assertThat(refused.getMessage()).containsAnyOf("left", "declined");
              }
            }
          });

      assertThat(sold).hasSize(NUMBER).doesNotHaveDuplicates();
      assertThat(db.fetchCount(VOUCHER, VOUCHER.CODE.in(sold), VOUCHER.CUSTOMER.isNotNull()))
          .isEqualTo(NUMBER);
    }
  }
}
