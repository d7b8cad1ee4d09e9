package dev.skipjack.examples.anytable;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.examples.ExampleDatabase;
import dev.skipjack.examples.Story;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.concurrent.ThreadLocalRandom;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.Test;

@QueueTest
class ImportBatchesTest {

  private static final int LINES = 1_000;

  @Test
  void theBatchOfACrashedProcessIsImportedByAnother(QueueDatabase empty) {
    Story story = new Story();
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      ImportBatches.run(database.dataSource(), story.out);
    }

    assertThat(story.lines())
        .containsExactly(
            "first batch: 10",
            "second batch: the process died at line 15",
            "imported so far: 9",
            "imported: 23, rejected: 2");
  }

  /**
   * Counts every line, to check that it is imported once or rejected although some processes crash.
   */
  @Test
  void eachLineIsImportedOnce(QueueDatabase empty) throws Exception {
    try (ExampleDatabase database = ExampleDatabase.open(empty.jdbcUrl())) {
      ImportBatches imports = new ImportBatches(database.dataSource());
      imports.create(LINES);
      Crowd.run(
          process -> {
            while (imports.count("new") > 0) {
              try {
                imports.importBatch(20, ImportBatchesTest::parseOrDie);
              } catch (IllegalStateException died) {
                assertThat(died).hasMessage("died");
              }
            }
          });

      assertThat(imports.count("done")).isEqualTo(LINES * 9 / 10);
      assertThat(imports.count("rejected")).isEqualTo(LINES / 10);
      assertThat(
              DSL.using(database.dataSource(), SQLDialect.POSTGRES)
                  .fetchValue("SELECT count(*) = 900 AND count(DISTINCT cents) = 900 FROM price"))
          .isEqualTo(true);
    }
  }

  private static int parseOrDie(String text) {
    if (ThreadLocalRandom.current().nextInt(100) == 0) {
      throw new IllegalStateException("died");
    }
    return Integer.parseInt(text);
  }
}
