package dev.skipjack.steps;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.sql.StatementText;
import dev.skipjack.store.jooq.JobQueue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Compares the SQL that each statement renders with the golden files. After an intended change, run
 * with {@code -Dgolden.write} and review the difference.
 */
class StepsGoldenSqlTest {

  private static final Path FOLDER = Path.of("src/test/resources/sql");

  @TestFactory
  Stream<DynamicTest> statementsRenderTheirGoldenTexts() {
    try (HikariDataSource never = new HikariDataSource()) {
      return StepTexts.all(JobQueue.on(never).extension().dialect().get()).entrySet().stream()
          .map(
              text ->
                  DynamicTest.dynamicTest(
                      text.getKey(), () -> compare(text.getKey(), text.getValue())));
    }
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
