package dev.skipjack.examples.operations;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.examples.Story;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SupervisedTest {

  @Test
  @Timeout(60)
  void aHandlerThatHangsIsReportedAndTheQueueGoesOn() throws InterruptedException {
    Story story = new Story();
    try (ExampleDatabase database = ExampleDatabase.open()) {
      Supervised.run(database.dataSource(), story.out);
    }

    assertThat(story.lines())
        .contains("stuck now: 1", "ready: true []", "completed: 5")
        .anyMatch(line -> line.matches("alarm: job \\d+ is stuck"));
  }
}
