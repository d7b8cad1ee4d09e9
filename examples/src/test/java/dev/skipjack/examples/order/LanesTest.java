package dev.skipjack.examples.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.examples.Story;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@QueueTest
class LanesTest {

  @Test
  @Timeout(60)
  void receiptsComeFirstAndAPausedNewsletterDelaysNothing(QueueDatabase empty) {
    Story story = new Story();
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      Lanes.run(database.dataSource(), story.out);
    }

    assertThat(story.lines())
        .contains(
            "first: receipt of a tax inspector",
            "in the end: 401",
            "paused: 0 newsletters",
            "receipts sent nevertheless: 21",
            "resumed: 20 newsletters");
    assertThat(newslettersOfTheFirst250(story)).isBetween(25, 75);
  }

  /**
   * Returns the number of newsletters among the first 250 jobs. With the weights, it is a fifth,
   * plus or minus a claim of 50 jobs; without them, it would be at least two fifths.
   */
  private static int newslettersOfTheFirst250(Story story) {
    String line =
        story.lines().stream()
            .filter(told -> told.startsWith("of the first 250: "))
            .findFirst()
            .orElseThrow();
    return Integer.parseInt(line.replaceAll("^.*: |\\D+$", ""));
  }
}
