package dev.skipjack.dedup;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.store.jooq.JobQueue;
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
 * The SQL that each statement renders, letter by letter. After an intended change, run with {@code
 * -Dgolden.write} and review the difference.
 */
class UniqueGoldenSqlTest {

  private static final Path FOLDER = Path.of("src/test/resources/sql");

  @TestFactory
  Stream<DynamicTest> rendersTheGoldenText() {
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
      UniqueStatements statements = new UniqueStatements(JobQueue.on(never).extension().dialect());
      return new TreeMap<>(
          Map.of(
              "unique-insert", statements.insert,
              "unique-insert-one", statements.insertOne,
              "twin-look", statements.look,
              "twin-hold", statements.hold,
              "twin-replace", statements.replace,
              "find-holder-by-job", statements.findByJob,
              "find-holder-by-period", statements.findByPeriod));
    }
  }
}
