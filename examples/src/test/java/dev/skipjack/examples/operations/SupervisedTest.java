package dev.skipjack.examples.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.examples.Story;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@QueueTest
class SupervisedTest {

  @Test
  @Timeout(60)
  void aHandlerThatHangsIsReportedAndTheQueueIsStillServed(QueueDatabase empty)
      throws InterruptedException {
    Story story = new Story();
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      Supervised.run(database.dataSource(), story.out);
    }

    assertThat(story.lines())
        .contains("stuck now: 1", "ready: true []", "completed: 5")
        .anyMatch(line -> line.matches("alarm: job \\d+ is stuck"));
  }
}
