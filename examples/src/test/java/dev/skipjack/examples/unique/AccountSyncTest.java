package dev.skipjack.examples.unique;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.examples.Story;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import org.junit.jupiter.api.Test;

@QueueTest
class AccountSyncTest {

  @Test
  void sixChangesMakeOneJobAndTheLastIsNotLost(QueueDatabase empty) {
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      Story story = new Story();
      assertThat(AccountSync.run(database.dataSource(), story.out)).isEqualTo(2);

      assertThat(story.lines())
          .containsExactly(
              "change 1: job 1 enqueued",
              "change 2: job 1 is queued already",
              "change 3: job 1 is queued already",
              "change 4: job 1 is queued already",
              "change 5: job 1 is queued already",
              "push account 1 version 5",
              "change while it runs: job 1 is queued already",
              "push account 1 version 6",
              "6 changes, 2 runs");
    }
  }
}
