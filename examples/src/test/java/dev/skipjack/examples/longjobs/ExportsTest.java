package dev.skipjack.examples.longjobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.examples.Story;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@QueueTest
class ExportsTest {

  @Test
  @Timeout(60)
  void anExportReportsProgressAndEndsWhenCancelled(QueueDatabase empty)
      throws InterruptedException {
    Story story = new Story();
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      Exports.run(database.dataSource(), story.out);
    }

    assertThat(story.lines())
        .contains("converted: 11", "export: CANCELLED")
        .anyMatch(line -> line.startsWith("export: {") && line.contains("\"message\": \"page "))
        .anyMatch(line -> line.equals("cancel: [REQUESTED]"));
  }
}
