package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.store.jooq.internal.sql.StatementText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
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
    ReadStatements statements = new ReadStatements(schema);
    return new TreeMap<>(
        Map.ofEntries(
            Map.entry("find", statements.find),
            Map.entry("executions", statements.executions),
            Map.entry("list-live", statements.listLive),
            Map.entry("list-running", statements.listRunning),
            Map.entry("list-waiting", statements.listWaiting),
            Map.entry("list-dead", statements.listDead),
            Map.entry("list-due", statements.listDue),
            Map.entry("list-archived", statements.listArchived),
            Map.entry("counts", statements.counts),
            Map.entry("count-sample", statements.countSample),
            Map.entry("oldest-pending", statements.oldestPending),
            Map.entry("dead-letters", statements.deadLetters),
            Map.entry("queue-settings", statements.queueSettings),
            Map.entry("workers", statements.workers)));
  }
}
