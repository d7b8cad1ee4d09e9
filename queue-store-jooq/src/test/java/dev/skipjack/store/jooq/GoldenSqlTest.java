package dev.skipjack.store.jooq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.skipjack.store.jooq.internal.sql.StatementDialect;
import dev.skipjack.store.jooq.internal.sql.StatementText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jooq.DSLContext;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The SQL that each statement renders, letter by letter. After an intended change, run with {@code
 * -Dgolden.write} and review the difference.
 */
class GoldenSqlTest {

  private static final Path FOLDER = Path.of("src/test/resources/sql");

  private static final AuditWeeks WEEK =
      new AuditWeeks(Instant.parse("2024-03-04T00:00:00Z"), Instant.parse("2024-03-11T00:00:00Z"));

  @TestFactory
  Stream<DynamicTest> rendersTheGoldenText() {
    return statements("skipjack", WEEK).entrySet().stream()
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

  /** All but those that read, in {@code schema}. */
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
            Map.entry("read-clock", ReadClockStatement.of(dialect).text()),
            Map.entry("create-partition", CreatePartitionStatement.of(dialect).text()),
            Map.entry("find-partitions", FindPartitionsStatement.of(dialect, schema).text()),
            Map.entry("find-running", FindRunningStatement.of(dialect).text()),
            Map.entry("read-cutoffs", ReadCutoffsStatement.ofArchive(dialect).text()),
            Map.entry("read-dead-cutoffs", ReadCutoffsStatement.ofDeadJobs(dialect).text()),
            Map.entry("prune-keys", PruneKeysStatement.of(dialect).text()),
            Map.entry("sweep-archive", SweepArchiveStatement.of(dialect).text()),
            Map.entry("announce", statements.announce),
            Map.entry("remove-worker", statements.removeWorker),
            Map.entry("remove-silent-workers", statements.removeSilentWorkers)));
  }
}
