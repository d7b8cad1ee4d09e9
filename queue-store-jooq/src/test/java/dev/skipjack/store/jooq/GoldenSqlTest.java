package dev.skipjack.store.jooq;

import dev.skipjack.sql.GoldenSql;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.sql.StatementText;
import dev.skipjack.store.jooq.internal.JobInsert.Accepted;
import dev.skipjack.store.jooq.internal.history.AuditWeeks;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jooq.DSLContext;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Tests the SQL that each core statement renders. */
class GoldenSqlTest {

  private static final Path FOLDER = Path.of("src/test/resources/sql");

  private static final AuditWeeks WEEK =
      new AuditWeeks(Instant.parse("2024-03-04T00:00:00Z"), Instant.parse("2024-03-11T00:00:00Z"));

  @TestFactory
  Stream<DynamicTest> statementsRenderTheirGoldenTexts() {
    return GoldenSql.tests(FOLDER, statements("skipjack", WEEK));
  }

  /** Returns all statements except those of packages that have their own test. */
  static Map<String, StatementText> statements(String schema, AuditWeeks weeks) {
    DSLContext dialect = StatementDialect.forSchema(schema);
    return new TreeMap<>(
        Map.ofEntries(
            Map.entry("enqueue", EnqueueStatement.of(dialect, Accepted.UNORDERED).text()),
            Map.entry("enqueue-uniform", EnqueueStatement.of(dialect, Accepted.UNIFORM).text()),
            Map.entry("enqueue-ordered", EnqueueStatement.of(dialect, Accepted.ALL).text()),
            Map.entry("cancel", CancelStatement.of(dialect).text()),
            Map.entry("redrive", RedriveStatement.of(dialect).text()),
            Map.entry("edit", EditStatement.of(dialect).text()),
            Map.entry("patch-payload", PatchPayloadStatement.of(dialect).text()),
            Map.entry("prune", PruneStatement.of(dialect).text()),
            Map.entry("dead-jobs", WalkDeadJobsStatement.of(dialect, true, true).text()),
            Map.entry("direct-start", DirectStartStatement.of(dialect).text()),
            Map.entry(
                "direct-start-in-transaction", DirectStartStatement.inTransaction(dialect).text()),
            Map.entry("confirm-start", ConfirmStartStatement.of(dialect).text()),
            Map.entry("enqueue-one", EnqueueStatement.ofOne(dialect, Accepted.UNORDERED).text()),
            Map.entry("enqueue-one-ordered", EnqueueStatement.ofOne(dialect, Accepted.ALL).text()),
            Map.entry("enqueue-one-owned", EnqueueStatement.ofOne(dialect, Accepted.OWNED).text()),
            Map.entry("enqueue-owned", EnqueueStatement.of(dialect, Accepted.OWNED).text()),
            Map.entry(
                "enqueue-uniform-owned",
                EnqueueStatement.of(dialect, Accepted.UNIFORM_OWNED).text()),
            Map.entry("enqueue-once", EnqueueOnceStatement.of(dialect).text()),
            Map.entry("due-lanes", DueLanesStatement.of(dialect).text()),
            Map.entry("claim", ClaimStatement.of(dialect).text()),
            Map.entry("claim-without-payload", ClaimStatement.withoutPayload(dialect).text()),
            Map.entry("due-groups", DueGroupsStatement.of(dialect).text()),
            Map.entry("lock-limit", LockLimitStatement.of(dialect).text()),
            Map.entry("share-limit", LockLimitStatement.ofShared(dialect).text()),
            Map.entry("lock-groups", LockGroupsStatement.of(dialect).text()),
            Map.entry("claim-fair", ClaimGroupsStatement.ofFair(dialect).text()),
            Map.entry("claim-limited", ClaimGroupsStatement.ofLimited(dialect).text()),
            Map.entry("limit-of-job", ThrottleStatement.ofLimit(dialect).text()),
            Map.entry("throttle-limit", ThrottleStatement.lockLimit(dialect).text()),
            Map.entry("throttle-group", ThrottleStatement.lockGroup(dialect).text()),
            Map.entry("throttle", ThrottleStatement.of(dialect).text()),
            Map.entry("held", HeldStatement.of(dialect).text()),
            Map.entry("heartbeat", HeartbeatStatement.of(dialect).text()),
            Map.entry("progress", ProgressStatement.of(dialect).text()),
            Map.entry("cancel-requested", CancelRequestedStatement.of(dialect).text()),
            Map.entry("complete", CompleteStatement.of(dialect, EndParts.NONE).in(weeks).text()),
            Map.entry(
                "complete-single",
                CompleteStatement.ofSingle(dialect, EndParts.NONE).in(weeks).text()),
            Map.entry(
                "complete-in", CompleteStatement.ofOne(dialect, EndParts.NONE).in(weeks).text()),
            Map.entry(
                "complete-in-with-result",
                EndWithDataStatement.ofOne(dialect, EndParts.NONE).in(weeks).text()),
            Map.entry(
                "end-with-data", EndWithDataStatement.of(dialect, EndParts.NONE).in(weeks).text()),
            Map.entry(
                "complete-ordered",
                CompleteStatement.of(dialect, EndParts.ORDERED).in(weeks).text()),
            Map.entry(
                "complete-in-ordered",
                CompleteStatement.ofOne(dialect, EndParts.ORDERED).in(weeks).text()),
            Map.entry(
                "complete-in-ordered-with-result",
                EndWithDataStatement.ofOne(dialect, EndParts.ORDERED).in(weeks).text()),
            Map.entry(
                "end-ordered-with-data",
                EndWithDataStatement.of(dialect, EndParts.ORDERED).in(weeks).text()),
            Map.entry(
                "complete-owned", CompleteStatement.of(dialect, EndParts.OWNED).in(weeks).text()),
            Map.entry(
                "complete-single-owned",
                CompleteStatement.ofSingle(dialect, EndParts.OWNED).in(weeks).text()),
            Map.entry(
                "complete-in-owned",
                CompleteStatement.ofOne(dialect, EndParts.OWNED).in(weeks).text()),
            Map.entry(
                "complete-in-owned-with-result",
                EndWithDataStatement.ofOne(dialect, EndParts.OWNED).in(weeks).text()),
            Map.entry(
                "end-owned-with-data",
                EndWithDataStatement.of(dialect, EndParts.OWNED).in(weeks).text()),
            Map.entry("fail-owned", FailStatement.of(dialect, EndParts.OWNED).in(weeks).text()),
            Map.entry(
                "requeue-owned", RequeueStatement.of(dialect, EndParts.OWNED).in(weeks).text()),
            Map.entry(
                "end-with-steps", EndWithDataStatement.of(dialect, EndParts.ALL).in(weeks).text()),
            Map.entry(
                "complete-in-with-steps",
                EndWithDataStatement.ofOne(dialect, EndParts.ALL).in(weeks).text()),
            Map.entry("fail-with-steps", FailStatement.of(dialect, EndParts.ALL).in(weeks).text()),
            Map.entry(
                "requeue-with-steps", RequeueStatement.of(dialect, EndParts.ALL).in(weeks).text()),
            Map.entry("hand-over", HandOverStatement.of(dialect).in(weeks).text()),
            Map.entry("fail", FailStatement.of(dialect, EndParts.NONE).in(weeks).text()),
            Map.entry("requeue", RequeueStatement.of(dialect, EndParts.NONE).in(weeks).text()),
            Map.entry("attempt-status", AttemptStatusStatement.of(dialect).in(weeks).text()),
            Map.entry("rescue", RescueStatement.of(dialect).text()),
            Map.entry("first-expired", RescueStatement.firstExpired(dialect).text()),
            Map.entry("oldest-running", RescueStatement.oldestRunning(dialect).text()),
            Map.entry("announce", AnnounceStatement.of(dialect).text()),
            Map.entry("add-minute", AddMinuteStatement.of(dialect).text()),
            Map.entry("add-depths", AddDepthsStatement.of(dialect).text()),
            Map.entry("remove-worker", RemoveWorkersStatement.ofOne(dialect).text()),
            Map.entry("remove-silent-workers", RemoveWorkersStatement.ofSilent(dialect).text())));
  }
}
