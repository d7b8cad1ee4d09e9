package dev.skipjack.examples.upgrades;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.examples.Story;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@QueueTest
class VersionsTest {

  @Test
  @Timeout(60)
  void anInvoiceOfALaterVersionIsLeftToTheNewWorker(QueueDatabase empty) {
    Story story = new Story();
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      Versions.run(database.dataSource(), story.out);
    }

    assertThat(story.lines())
        .containsExactly(
            "old worker: 100",
            "of the new version: PENDING, claimed 1 times, 0 attempts used",
            "of a new kind: PENDING, claimed 0 times, 0 attempts used",
            "new worker: refund",
            "new worker: 200 EUR",
            "new worker: 900 SEK",
            "in the end: COMPLETED, claimed 2 times, 1 attempts used",
            "in the end: COMPLETED, claimed 1 times, 1 attempts used");
  }
}
