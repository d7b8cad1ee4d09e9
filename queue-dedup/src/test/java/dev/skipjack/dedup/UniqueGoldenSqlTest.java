package dev.skipjack.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.dedup.ResolveConflictStatement.HolderAction;
import dev.skipjack.sql.StatementText;
import dev.skipjack.store.jooq.JobQueue;
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
 * Compares the SQL that each statement renders with the golden files. After an intended change, run
 * with {@code -Dgolden.write} and review the difference.
 */
class UniqueGoldenSqlTest {

  private static final Path FOLDER = Path.of("src/test/resources/sql");

  @TestFactory
  Stream<DynamicTest> statementsRenderTheirGoldenTexts() {
    return statements().entrySet().stream()
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

  static Map<String, StatementText> statements() {
    try (HikariDataSource never = new HikariDataSource()) {
      DSLContext dialect = JobQueue.on(never).extension().dialect().get();
      return new TreeMap<>(
          Map.of(
              "unique-insert", UniqueInsert.of(dialect).text(),
              "unique-insert-one", UniqueInsert.ofOne(dialect).text(),
              "twin-look", ResolveConflictStatement.of(dialect, HolderAction.NONE).text(),
              "twin-hold", ResolveConflictStatement.of(dialect, HolderAction.HOLD).text(),
              "twin-replace", ResolveConflictStatement.of(dialect, HolderAction.REPLACE).text(),
              "find-holder-by-job", FindHolderStatement.byJob(dialect).text(),
              "find-holder-by-period", FindHolderStatement.byPeriod(dialect).text()));
    }
  }
}
