package dev.skipjack.examples.enqueueing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.examples.Story;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@QueueTest
class ImportsTest {

  @Test
  @Timeout(60)
  void repeatedCallsCreateOneJobAndRefusedCallsCreateNone(QueueDatabase empty)
      throws InterruptedException {
    Story story = new Story();
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      Imports.run(database.dataSource(), story.out);
    }

    assertThat(story.lines())
        .containsExactly(
            "repeated: the same job",
            "tags [partner], trace 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "too long: Payload of kind 'import' has 6,027 bytes; 4,096 are allowed."
                + " Store the document elsewhere and enqueue its id.",
            "closed: closed for an inventory",
            "imported by polling alone: 101");
  }
}
