package dev.skipjack.store.jooq.internal.schedule;

import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.sql.StatementText;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jooq.DSLContext;

/** The statements of this package, for tests about all statements of the store. */
public final class ScheduleStatements {

  private ScheduleStatements() {}

  /** Runs the statement for a row that cannot be read, which the constraints do not permit. */
  public static void runThatOfAnUnreadableRow(OwnTransactions transactions, String schema) {
    transactions.run(
        WriteSchedulesStatement.pause(StatementDialect.forSchema(schema)), List.of("none"));
  }

  /** Returns the statements' texts in {@code schema}, by the names of their golden files. */
  public static Map<String, StatementText> texts(String schema) {
    DSLContext dialect = StatementDialect.forSchema(schema);
    return new TreeMap<>(
        Map.ofEntries(
            Map.entry("due-schedules", DueSchedulesStatement.of(dialect).text()),
            Map.entry("next-fire", NextFireStatement.of(dialect).text()),
            Map.entry("fire-schedules", FireSchedulesStatement.of(dialect).text()),
            Map.entry("postpone-schedules", PostponeSchedulesStatement.of(dialect).text()),
            Map.entry("lock-schedules", LockSchedulesStatement.of(dialect).text()),
            Map.entry("insert-schedules", WriteSchedulesStatement.insert(dialect).text()),
            Map.entry("replace-schedules", WriteSchedulesStatement.replace(dialect).text()),
            Map.entry("touch-schedules", WriteSchedulesStatement.touch(dialect).text()),
            Map.entry("pause-schedules", WriteSchedulesStatement.pause(dialect).text()),
            Map.entry("delete-schedules", WriteSchedulesStatement.delete(dialect).text()),
            Map.entry("list-schedules", ListSchedulesStatement.page(dialect).text()),
            Map.entry("find-schedule", ListSchedulesStatement.one(dialect).text()),
            Map.entry(
                "list-schedules-without-payloads",
                ListSchedulesStatement.pageWithoutPayloads(dialect).text()),
            Map.entry(
                "find-schedule-without-payload",
                ListSchedulesStatement.oneWithoutPayload(dialect).text()),
            Map.entry("outdated-schedules", OutdatedSchedulesStatement.of(dialect).text()),
            Map.entry("undeclared-schedules", UndeclaredSchedulesStatement.of(dialect).text())));
  }
}
