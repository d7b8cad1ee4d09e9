package dev.skipjack.steps;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.sql.StatementText;
import dev.skipjack.store.jooq.JobQueue;
import java.util.Map;
import java.util.TreeMap;
import org.jooq.DSLContext;

/** All statements on batches by name. */
final class BatchStatements {

  private BatchStatements() {}

  /** Returns the statements as rendered for the default schema. */
  static Map<String, StatementText> all() {
    try (HikariDataSource never = new HikariDataSource()) {
      return all(JobQueue.on(never).extension().dialect().get());
    }
  }

  static Map<String, StatementText> all(DSLContext dialect) {
    Map<String, StatementText> texts = new TreeMap<>();
    texts.put("find-batches", FindBatchesStatement.named(dialect).text());
    texts.put("sweep-batches", FindBatchesStatement.next(dialect).text());
    texts.put("settle-batches", SettleBatchesStatement.of(dialect).text());
    texts.put("open-batch", BatchTable.open(dialect).text());
    texts.put("grow-batch", BatchTable.grow(dialect).text());
    texts.put("grow-batch-by-callbacks", BatchTable.growByCallbacks(dialect).text());
    texts.put("seal-batch", BatchTable.seal(dialect).text());
    texts.put("cancel-batch", BatchTable.cancel(dialect).text());
    texts.put("cancel-inner-batches", BatchTable.cancelInner(dialect).text());
    texts.put("uncancelled-jobs", BatchTable.uncancelled(dialect).text());
    texts.put("dead-jobs-of-batch", BatchTable.dead(dialect).text());
    texts.put("batch-status", BatchTable.status(dialect).text());
    texts.put("unfinished-batches", BatchTable.unfinished(dialect).text());
    texts.put("prune-batches", BatchTable.prune(dialect).text());
    texts.put("archived-jobs-of-batch", BatchTable.archived(dialect).text());
    return texts;
  }
}
