package dev.skipjack.operations.read;

import dev.skipjack.sql.GoldenSql;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Tests the SQL that each statement of the reader renders. */
class ReadGoldenSqlTest {

  @TestFactory
  Stream<DynamicTest> statementsRenderTheirGoldenTexts() {
    return GoldenSql.tests(
        Path.of("src/test/resources/sql/read"), ReadStatements.texts("skipjack"));
  }
}
