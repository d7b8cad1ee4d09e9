package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.store.jooq.internal.sql.StatementDialect;
import dev.skipjack.store.jooq.internal.sql.StatementText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jooq.DSLContext;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The SQL that each statement of the reader renders, letter by letter. After an intended change,
 * run with {@code -Dgolden.write} and review the difference.
 */
class ReadGoldenSqlTest {

  private static final Path FOLDER = Path.of("src/test/resources/sql/read");

  @TestFactory
  Stream<DynamicTest> rendersTheGoldenText() {
    return statements("skipjack").entrySet().stream()
        .map(
            entry ->
                DynamicTest.dynamicTest(
                    entry.getKey(), () -> compare(entry.getKey(), entry.getValue())));
  }

  private static void compare(String name, StatementText statement) throws IOException {
    String text =
        "-- parameters: "
            + String.join(", ", statement.parameters())
            + "\n"
            + statement.sql()
            + "\n";
    Path file = FOLDER.resolve(name + ".sql");
    if (System.getProperty("golden.write") != null) {
      Files.createDirectories(FOLDER);
      Files.writeString(file, text);
    }
    assertThat(text).isEqualTo(Files.readString(file));
  }

  /** Those that read, in {@code schema}. */
  static Map<String, StatementText> statements(String schema) {
    DSLContext dialect = StatementDialect.forSchema(schema);
    return new TreeMap<>(
        Map.ofEntries(
            Map.entry("find", FindJobStatement.of(dialect).text()),
            Map.entry("executions", ExecutionsStatement.of(dialect).text()),
            Map.entry("list-live", ListLiveStatement.of(dialect).text()),
            Map.entry("list-running", ListFewStatement.running(dialect).text()),
            Map.entry("list-waiting", ListFewStatement.waiting(dialect).text()),
            Map.entry("list-dead", ListDeadStatement.of(dialect).text()),
            Map.entry("list-due", ListDueStatement.of(dialect).text()),
            Map.entry("list-archived", ListArchivedStatement.of(dialect).text()),
            Map.entry("counts", CountsStatement.of(dialect).text()),
            Map.entry("count-sample", CountSampleStatement.of(dialect).text()),
            Map.entry("oldest-pending", OldestPendingStatement.of(dialect).text()),
            Map.entry("dead-letters", GroupDeadJobsStatement.of(dialect).text()),
            Map.entry("queue-settings", QueueSettingsStatement.of(dialect).text()),
            Map.entry("workers", WorkersStatement.of(dialect).text())));
  }
}
