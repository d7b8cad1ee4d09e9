package dev.skipjack.examples.steps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.examples.Story;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@QueueTest
class CatalogImportTest {

  @Test
  @Timeout(60)
  void importIsReportedOnceWithItsDeadRows(QueueDatabase empty) throws InterruptedException {
    Story story = new Story();
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      CatalogImport.run(database.dataSource(), 2_000, story.out);
    }

    assertThat(story.lines())
        .containsOnlyOnce("2000 rows, 2 of them dead")
        .endsWith("1998 products");
  }
}
