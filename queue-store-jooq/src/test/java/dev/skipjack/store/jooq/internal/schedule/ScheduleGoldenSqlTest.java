package dev.skipjack.store.jooq.internal.schedule;

import dev.skipjack.sql.GoldenSql;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Tests the SQL that each statement of schedules renders. */
class ScheduleGoldenSqlTest {

  @TestFactory
  Stream<DynamicTest> statementsRenderTheirGoldenTexts() {
    return GoldenSql.tests(
        Path.of("src/test/resources/sql/schedule"), ScheduleStatements.texts("skipjack"));
  }
}
