package dev.skipjack.examples.limits;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.examples.Story;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@QueueTest
class TenantsTest {

  @Test
  @Timeout(60)
  void tenantsTakeTurnsAndAPausedTenantDelaysNothing(QueueDatabase empty) {
    Story story = new Story();
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      Tenants.run(database.dataSource(), story.out);
    }

    assertThat(story.lines())
        .containsExactly(
            "exported: 204",
            "the other tenants waited for at most 10 exports: true",
            "exported while tenant 1 is paused: [Export[tenant=2, number=0]]",
            "held: 20",
            "exported in the end: 21");
  }
}
