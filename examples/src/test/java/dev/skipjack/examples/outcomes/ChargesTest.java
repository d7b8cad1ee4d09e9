package dev.skipjack.examples.outcomes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.examples.Story;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import org.junit.jupiter.api.Test;

@QueueTest
class ChargesTest {

  @Test
  void eachChargeEndsAsTheBankResponds(QueueDatabase empty) {
    Story story = new Story();
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      Charges.run(database.dataSource(), story.out);
    }

    assertThat(story.lines())
        .anyMatch(line -> line.startsWith("COMPLETED") && line.contains("\"R-paid-1999\""))
        .anyMatch(line -> line.startsWith("CANCELLED") && line.endsWith("order was withdrawn"))
        .anyMatch(line -> line.startsWith("PENDING") && line.contains("not-before-monday"))
        .anyMatch(line -> line.startsWith("PENDING") && line.endsWith(": bank is closed"))
        .anyMatch(line -> line.startsWith("DEAD") && line.endsWith("was declined"))
        .contains("receipt R-paid-1999 sent", "receipt R-no-money-99000 sent");
    assertThat(story.lines().get(story.lines().size() - 1))
        .startsWith("COMPLETED")
        .contains("R-no-money-99000");
  }
}
