package dev.skipjack.steps;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.sql.StatementText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Compares the SQL that each statement on batches renders with the golden files. After an intended
 * change, run with {@code -Dgolden.write} and review the difference.
 */
class BatchGoldenSqlTest {

  private static final Path FOLDER = Path.of("src/test/resources/sql/batches");

  @TestFactory
  Stream<DynamicTest> statementsRenderTheirGoldenTexts() {
    return BatchStatements.all().entrySet().stream()
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
}
