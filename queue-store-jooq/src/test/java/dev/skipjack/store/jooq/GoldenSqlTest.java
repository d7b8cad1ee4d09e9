package dev.skipjack.store.jooq;

import dev.skipjack.store.jooq.internal.history.AuditWeeks;
import dev.skipjack.store.jooq.internal.sql.GoldenSql;
import dev.skipjack.store.jooq.internal.sql.StatementDialect;
import dev.skipjack.store.jooq.internal.sql.StatementText;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jooq.DSLContext;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** The SQL that each statement of the core renders. */
class GoldenSqlTest {

  private static final Path FOLDER = Path.of("src/test/resources/sql");

  private static final AuditWeeks WEEK =
      new AuditWeeks(Instant.parse("2024-03-04T00:00:00Z"), Instant.parse("2024-03-11T00:00:00Z"));

  @TestFactory
  Stream<DynamicTest> rendersTheGoldenText() {
    return GoldenSql.tests(FOLDER, statements("skipjack", WEEK));
  }

  /** All but those that read and those of partitions, in {@code schema}. */
  static Map<String, StatementText> statements(String schema, AuditWeeks weeks) {
    DSLContext dialect = StatementDialect.forSchema(schema);
    Statements statements = new Statements(schema);
    AdminStatements admin = new AdminStatements(schema);
    return new TreeMap<>(
        Map.ofEntries(
            Map.entry("enqueue", EnqueueStatement.of(dialect).text()),
            Map.entry("cancel", admin.cancel),
            Map.entry("redrive", admin.redrive),
            Map.entry("edit", admin.edit),
            Map.entry("prune", admin.prune),
            Map.entry("dead-jobs", admin.deadJobsOfQueueAndKind),
            Map.entry("enqueue-one", EnqueueStatement.ofOne(dialect).text()),
            Map.entry("enqueue-once", EnqueueOnceStatement.of(dialect).text()),
            Map.entry("due-lanes", statements.dueLanes),
            Map.entry("claim", statements.claim),
            Map.entry("claim-without-payload", statements.claimWithoutPayload),
            Map.entry("heartbeat", statements.heartbeat),
            Map.entry("progress", statements.progress),
            Map.entry("cancel-requested", statements.cancelRequested),
            Map.entry("complete", statements.complete.in(weeks)),
            Map.entry("complete-in", statements.completeIn.in(weeks)),
            Map.entry("complete-in-with-result", statements.completeInWithResult.in(weeks)),
            Map.entry("conclude", statements.conclude.in(weeks)),
            Map.entry("fail", statements.fail.in(weeks)),
            Map.entry("give-back", statements.giveBack.in(weeks)),
            Map.entry("attempt-status", statements.attemptStatus.in(weeks)),
            Map.entry("rescue", statements.rescue),
            Map.entry("first-expired", statements.firstExpired),
            Map.entry("oldest-running", statements.oldestRunning),
            Map.entry("announce", statements.announce),
            Map.entry("remove-worker", statements.removeWorker),
            Map.entry("remove-silent-workers", statements.removeSilentWorkers)));
  }
}
