package dev.skipjack.examples.plainjdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.examples.Story;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@QueueTest
class ReceiptsTest {

  @Test
  @Timeout(60)
  void anOrderThatIsRefusedHasNoReceipt(QueueDatabase empty) throws SQLException {
    Story story = new Story();
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      Receipts.run(database.dataSource(), story.out);
    }

    assertThat(story.lines())
        .contains("order refused, SQLSTATE 23514", "receipt for order 1", "jobs run: 1");
  }
}
