package dev.skipjack.examples.steps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.examples.Story;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import org.junit.jupiter.api.Test;

@QueueTest
class OrderSagaTest {

  @Test
  void chargeOfAnOrderThatCannotBeShippedIsRefunded(QueueDatabase empty) {
    Story story = new Story();
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      OrderSaga.run(database.dataSource(), story.out);
    }

    assertThat(story.lines())
        .containsSubsequence("reserved A-1", "charged 1999", "shipped A-1", "COMPLETED", "DEAD")
        .containsSubsequence("reserved A-2", "charged 500", "refunded 500", "released A-2", "DEAD")
        .hasSize(9);
  }
}
