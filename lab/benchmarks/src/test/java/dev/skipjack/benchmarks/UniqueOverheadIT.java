package dev.skipjack.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.testkit.QueueDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Checks the work and the comparison, not the speed. */
class UniqueOverheadIT {

  private static QueueDatabase server;
  private static BenchmarkDatabase database;

  @BeforeAll
  static void open() throws Exception {
    server = QueueDatabase.create();
    database = BenchmarkDatabase.open(Optional.of(server.jdbcUrl()), 2);
  }

  @AfterAll
  static void close() {
    database.close();
    server.close();
  }

  @Test
  void everyVariantIsMeasured() throws Exception {
    List<String> notes = new ArrayList<>();

    Map<String, Object> line = new UniqueOverhead(database, 2, notes::add).measure(1, 1);

    assertThat(notes).containsExactly("round 1 of 2", "round 2 of 2");
    assertThat(line)
        .containsKeys("no-key-1", "no-key-100", "fresh-key-1", "fresh-key-100", "server");
    assertThat(line.get("duplicate-100"))
        .asInstanceOf(InstanceOfAssertFactories.map(String.class, Double.class))
        .hasEntrySatisfying("ratio", ratio -> assertThat(ratio).isPositive());
    assertThat(database.rows()).isEqualTo("jobs pending 2100");
  }

  @Test
  void schemaWithoutTheIndexReceivesTheSameStatements() throws Exception {
    Recording with = new Recording();
    Recording without = new Recording();

    database.queue(with::wrap).enqueue(Noop.TYPE, Noop.number(1));
    database.queueWithoutUniqueIndex(without::wrap).enqueue(Noop.TYPE, Noop.number(1));

    assertThat(without.sent())
        .extracting(sent -> sent.sql().replace("skipjack_bench_without_keys", "skipjack_bench"))
        .isNotEmpty()
        .isEqualTo(with.sent().stream().map(Recording.Sent::sql).toList());
  }
}
