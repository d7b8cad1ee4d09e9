package dev.skipjack.examples.orders;

import static dev.skipjack.testkit.QueueAssertions.assertThat;

import dev.skipjack.examples.orders.Orders.OrderNumber;
import dev.skipjack.store.jooq.JobQueue;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import org.junit.jupiter.api.Test;

/** The smallest test in the guide. */
// snippet: first
@QueueTest
class FirstTest {

  @Test
  void aReminderIsEnqueued(QueueDatabase database) {
    JobQueue queue = JobQueue.on(database.dataSource());
    queue.enqueue(Orders.REMIND, new OrderNumber("A-1"));
    assertThat(database).hasEnqueued(Orders.REMIND).withPayload(new OrderNumber("A-1")).times(1);
  }
}
// end of snippet
