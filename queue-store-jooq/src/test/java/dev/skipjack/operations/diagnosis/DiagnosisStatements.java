package dev.skipjack.operations.diagnosis;

import dev.skipjack.api.JobId;
import dev.skipjack.api.JobStatus;
import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.sql.StatementText;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jooq.DSLContext;

/** The statements of this package, for tests about all statements of the store. */
public final class DiagnosisStatements {

  private DiagnosisStatements() {}

  /** Returns the statements' texts in {@code schema}, by the names of their golden files. */
  public static Map<String, StatementText> texts(String schema) {
    DSLContext dialect = StatementDialect.forSchema(schema);
    return new TreeMap<>(
        Map.ofEntries(
            Map.entry("schema-version", SchemaVersionStatement.of(dialect).text()),
            Map.entry("server", ServerFactsStatement.of(dialect).text()),
            Map.entry("settings", SettingsFactsStatement.of(dialect).text()),
            Map.entry("connections", ConnectionFactsStatement.of(dialect).text()),
            Map.entry("notify-queue", NotifyQueueStatement.of(dialect).text()),
            Map.entry("horizon", HorizonStatement.of(dialect).text()),
            Map.entry("tables", TableFactsStatement.of(dialect, schema).text()),
            Map.entry("partitions", PartitionFactsStatement.of(dialect, schema, List.of()).text()),
            Map.entry("leases", LeaseFactsStatement.of(dialect).text()),
            Map.entry("living-workers", LivingWorkersStatement.of(dialect).text()),
            Map.entry("due-kinds", DueKindsStatement.of(dialect).text()),
            Map.entry("waiting-kinds", WaitingKindsStatement.of(dialect).text()),
            Map.entry("dead-job-facts", DeadJobFactsStatement.of(dialect).text()),
            Map.entry("paused-queues", PausedQueuesStatement.of(dialect).text()),
            Map.entry("schedules", ScheduleFactsStatement.of(dialect).text()),
            Map.entry("blocked-key-names", BlockedKeyFactsStatement.of(dialect).text()),
            Map.entry("job-facts", JobFactsStatement.of(dialect).text()),
            Map.entry("queue-facts", QueueFactsStatement.of(dialect).text()),
            Map.entry("limit-facts", LimitFactsStatement.of(dialect).text()),
            Map.entry("limit-settings", LimitSettingsStatement.of(dialect).text()),
            Map.entry("worker-facts", WorkerFactsStatement.of(dialect).text()),
            Map.entry("lease-holder", LeaseHolderStatement.of(dialect).text()),
            Map.entry("ordering-facts", OrderingFactsStatement.of(dialect).text()),
            Map.entry("wait-facts", WaitFactsStatement.of(dialect).text()),
            Map.entry("key-holder", KeyHolderStatement.of(dialect).text())));
  }

  /** Runs the statements that explain a job. Each of them needs a job with a different status. */
  public static void runThoseOfAJob(OwnTransactions transactions, String schema) {
    DSLContext dialect = StatementDialect.forSchema(schema);
    JobFacts job =
        new JobFacts(
            new JobId(1),
            JobStatus.PENDING,
            "default",
            "work",
            "group",
            0,
            0,
            0,
            1,
            Instant.EPOCH,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            "key",
            false,
            1,
            "review",
            null,
            Instant.EPOCH);
    transactions.run(JobFactsStatement.of(dialect), job.id());
    transactions.run(
        QueueFactsStatement.of(dialect),
        new QueueFactsStatement.Request(
            job,
            List.of(
                new WorkerFactsStatement.Facts(
                    "w/01234567", List.of("default"), List.of("work"), true, true, 1))));
    transactions.run(LimitFactsStatement.of(dialect), job);
    transactions.run(WorkerFactsStatement.of(dialect), job);
    transactions.run(LeaseHolderStatement.of(dialect), "w");
    transactions.run(OrderingFactsStatement.of(dialect), job);
    transactions.run(KeyHolderStatement.of(dialect), "key");
    transactions.run(WaitFactsStatement.of(dialect), job);
  }
}
