package dev.skipjack.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/**
 * Compares the SQL that statements render with files, character by character. After an intended
 * change, run with {@code -Dgolden.write} and review the difference.
 */
public final class GoldenSql {

  private GoldenSql() {}

  /**
   * Returns one test for each statement.
   *
   * @param folder the folder with one file per statement, which has the statement's name
   */
  public static Stream<DynamicTest> tests(Path folder, Map<String, StatementText> statements) {
    return statements.entrySet().stream()
        .map(
            entry ->
                DynamicTest.dynamicTest(
                    entry.getKey(),
                    () -> compare(folder.resolve(entry.getKey() + ".sql"), entry.getValue())));
  }

  private static void compare(Path file, StatementText statement) throws IOException {
    String text =
        "-- parameters: "
            + String.join(", ", statement.parameters())
            + "\n"
            + statement.sql()
            + "\n";
    if (System.getProperty("golden.write") != null) {
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    }
    assertThat(text).isEqualTo(Files.readString(file));
  }
}
