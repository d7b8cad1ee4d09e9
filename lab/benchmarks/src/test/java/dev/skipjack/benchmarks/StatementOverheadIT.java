package dev.skipjack.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** Checks the work and the comparison, not the speed. */
class StatementOverheadIT {

  @Test
  void everyStepIsMeasuredAndRepeatedByBareJdbc() throws Exception {
    try (QueueDatabase server = QueueDatabase.create();
        BenchmarkDatabase database = BenchmarkDatabase.open(Optional.of(server.jdbcUrl()), 2)) {
      List<String> notes = new ArrayList<>();

      Map<String, Object> line = new StatementOverhead(database, 3, notes::add).measure(0, 2);

      assertThat(notes).containsExactly("round 1 of 2", "round 2 of 2");
      assertThat(line)
          .containsKeys("enqueue-1", "claim-100", "heartbeat-100", "complete-34", "server");
      assertThat(line.get("claim-100"))
          .asInstanceOf(InstanceOfAssertFactories.map(String.class, Double.class))
          .hasEntrySatisfying("ratio", ratio -> assertThat(ratio).isPositive());
      assertThat(database.rows())
          .isEqualTo(
              "archive completed 105, audit failed 99, audit snoozed 99, audit succeeded 105,"
                  + " jobs pending 198");
    }
  }
}
