package dev.skipjack.examples.schedules;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.examples.Story;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@QueueTest
class ReportsTest {

  private static final String COUNTED = "after the outage: stock counted for ";

  @Test
  @Timeout(240)
  void missedFiresAreMadeUpForAndChangesOfOperatorsSurviveADeployment(QueueDatabase empty)
      throws InterruptedException {
    Story story = new Story();
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      Reports.run(database.dataSource(), story.out);
    }

    List<String> lines = story.lines();
    assertThat(lines)
        .contains(
            "morning-report: 0 9 * * MON-FRI (Europe/Berlin), except [2026-12-25, 2027-01-01], paused false, changed at run time false",
            "morning-report: 0 10 * * MON-FRI (Europe/Berlin), except [2026-12-25, 2027-01-01], paused false, changed at run time true",
            "stock-count: every PT1H (UTC), paused true, changed at run time true");
    assertThat(lines)
        .filteredOn(line -> line.startsWith("after the outage: report of sales for "))
        .hasSize(1);
    assertThat(lines)
        .filteredOn(line -> line.startsWith("on request: report of sales for "))
        .hasSize(1);
    List<Instant> hours =
        lines.stream()
            .filter(line -> line.startsWith(COUNTED))
            .map(line -> Instant.parse(line.substring(COUNTED.length())))
            .toList();
    assertThat(hours).hasSize(3);
    assertThat(hours.get(1)).isEqualTo(hours.get(0).plus(Duration.ofHours(1)));
    assertThat(hours.get(2)).isEqualTo(hours.get(1).plus(Duration.ofHours(1)));
  }
}
