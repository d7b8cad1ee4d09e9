package dev.skipjack.examples.order;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.examples.Story;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@QueueTest
class AccountsTest {

  @Test
  @Timeout(60)
  void aFailedBookingDelaysOnlyItsAccount(QueueDatabase empty) throws SQLException {
    Story story = new Story();
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      Accounts.run(database.dataSource(), story.out);
    }

    assertThat(story.lines())
        .containsExactly(
            "booked: {a=1, 2, 3}",
            "account-b is blocked, waiting: 2",
            "booked: {a=1, 2, 3, b=10, 20, 30}");
  }
}
