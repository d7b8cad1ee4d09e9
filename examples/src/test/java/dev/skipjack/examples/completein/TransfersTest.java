package dev.skipjack.examples.completein;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.examples.Story;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import org.junit.jupiter.api.Test;

@QueueTest
class TransfersTest {

  @Test
  void twoAttemptsMoveTheMoneyOnce(QueueDatabase empty) {
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      Story story = new Story();
      Transfers.run(database.dataSource(), story.out);

      assertThat(story.lines())
          .containsExactly(
              "before: alice 10000, bob 0",
              "attempt 1: written, not committed",
              "attempt 2: written, not committed",
              "after: alice 7500, bob 2500",
              "attempt 1: failed",
              "attempt 2: succeeded");
    }
  }
}
