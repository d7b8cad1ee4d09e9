package dev.skipjack.examples.unique;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.examples.Story;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@QueueTest
class SearchIndexTest {

  @Test
  @Timeout(60)
  void aDocumentIsIndexedAfterAPauseOrTheMaximumAgeAndMailedOnceADay(QueueDatabase empty)
      throws InterruptedException {
    Story story = new Story();
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      SearchIndex.run(database.dataSource(), story.out);
    }

    assertThat(story.lines())
        .containsExactly(
            "mail: a new job",
            "mails sent: 1",
            "mail on the same day: none, ENDED",
            "change 1: a new job",
            "change 2: the waiting job is changed",
            "change 3: the waiting job is changed",
            "indexed revision 3",
            "indexed, although the author continued");
  }
}
