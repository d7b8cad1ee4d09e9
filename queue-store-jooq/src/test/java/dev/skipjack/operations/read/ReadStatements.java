package dev.skipjack.operations.read;

import dev.skipjack.sql.OwnTransactions;
import dev.skipjack.sql.StatementDialect;
import dev.skipjack.sql.StatementText;
import java.util.Map;
import java.util.TreeMap;
import org.jooq.DSLContext;

/** The statements of this package, for tests about all statements of the store. */
public final class ReadStatements {

  private ReadStatements() {}

  /** Returns the statements' texts in {@code schema}, by the names of their golden files. */
  public static Map<String, StatementText> texts(String schema) {
    DSLContext dialect = StatementDialect.forSchema(schema);
    Map<String, StatementText> texts =
        new TreeMap<>(
            Map.ofEntries(
                Map.entry("find", FindJobStatement.of(dialect).text()),
                Map.entry("find-without-payload", FindJobStatement.withoutPayload(dialect).text()),
                Map.entry("executions", ExecutionsStatement.of(dialect).text()),
                Map.entry(
                    "executions-without-stacks", ExecutionsStatement.withoutStacks(dialect).text()),
                Map.entry("counts", CountsStatement.of(dialect).text()),
                Map.entry("count-sample", CountSampleStatement.of(dialect).text()),
                Map.entry("oldest-pending", OldestPendingStatement.of(dialect).text()),
                Map.entry("dead-letters", GroupDeadJobsStatement.of(dialect).text()),
                Map.entry("queue-settings", QueueSettingsStatement.of(dialect).text()),
                Map.entry("limits", LimitsStatement.of(dialect).text()),
                Map.entry("groups", GroupsStatement.of(dialect).text()),
                Map.entry("limited-queues", LimitedQueuesStatement.of(dialect).text()),
                Map.entry("rated-groups", RatedGroupsStatement.of(dialect).text()),
                Map.entry("held-groups", HeldGroupsStatement.of(dialect).text()),
                Map.entry("blocked-keys", BlockedKeysStatement.of(dialect).text()),
                Map.entry("longest-running", LongestRunningStatement.of(dialect).text()),
                Map.entry("minutes", MinutesStatement.of(dialect).text()),
                Map.entry("activity", ActivityStatement.of(dialect).text()),
                Map.entry("depths", DepthsStatement.of(dialect).text()),
                Map.entry("workers", WorkersStatement.of(dialect).text())));
    for (JobFilter filter : JobFilter.values()) {
      String more = filter == JobFilter.PLAIN ? "" : "-with-payload";
      texts.put("list-live" + more, ListLiveStatement.of(dialect, filter).text());
      texts.put("list-running" + more, ListFewStatement.running(dialect, filter).text());
      texts.put("list-waiting" + more, ListFewStatement.waiting(dialect, filter).text());
      texts.put("list-dead" + more, ListDeadStatement.of(dialect, filter).text());
      texts.put("list-due" + more, ListDueStatement.of(dialect, filter).text());
      texts.put("list-archived" + more, ListArchivedStatement.of(dialect, filter).text());
    }
    return texts;
  }

  /** Runs the statement that the reader runs only if there are more jobs than it counts exactly. */
  public static void runCountSample(OwnTransactions transactions, String schema) {
    transactions.run(CountSampleStatement.of(StatementDialect.forSchema(schema)));
  }
}
