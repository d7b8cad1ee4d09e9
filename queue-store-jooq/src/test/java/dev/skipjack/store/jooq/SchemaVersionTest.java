package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.api.WorkerId;
import dev.skipjack.api.spi.WorkerRow;
import dev.skipjack.migrations.Migrations;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The version that the store requires, the version of the migrations and the version that the
 * database reports must be equal.
 */
@QueueTest
class SchemaVersionTest {

  @Test
  void storeRequiresTheVersionOfTheMigrations(QueueDatabase database) {
    JobQueue queue = new Fixture(database).queue;

    int told =
        queue
            .workers()
            .announce(
                new WorkerRow(WorkerId.boot("w"), null, 1, List.of("a"), List.of("work"), "{}"))
            .schemaVersion();

    assertThat(told).isEqualTo(Migrations.SCHEMA_VERSION);
    assertThat(queue.schemaVersion()).isEqualTo(Migrations.SCHEMA_VERSION);
  }
}
