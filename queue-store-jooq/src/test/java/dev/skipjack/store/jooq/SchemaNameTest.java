package dev.skipjack.store.jooq;

import static dev.skipjack.testkit.QueueAssertions.assertThatJobs;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.skipjack.migrations.Migrations;
import dev.skipjack.testkit.QueueDatabase;
import dev.skipjack.testkit.QueueTest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that names that would silently refer to another schema are rejected everywhere. */
@QueueTest
class SchemaNameTest {

  @ParameterizedTest(name = "[{index}]") // a report could not hold a NUL
  @ValueSource(
      strings = {
        "",
        " ",
        "\t",
        "\n \r",
        "a\0b",
        "a234567890123456789012345678901234567890123456789012345678901234",
        "\u20ac\u20ac234567890123456789012345678901234567890123456789012345678901"
      })
  void invalidSchemaNameIsRefused(String name, QueueDatabase database) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> JobQueue.builder(database.dataSource()).schema(name))
        .withMessageContaining("Schema name");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Migrations.migrate(database.dataSource(), name))
        .withMessageContaining("Schema name");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> assertThatJobs(database.dataSource(), name).hasNoJobs())
        .withMessageContaining("Schema name");
  }
}
