package dev.skipjack.outbox;

import com.zaxxer.hikari.HikariDataSource;
import dev.skipjack.outbox.internal.DoctorStatements;
import dev.skipjack.sql.StatementText;
import dev.skipjack.store.jooq.JobQueue;
import java.util.Map;
import java.util.TreeMap;
import org.jooq.DSLContext;

/** All statements of the outbox by name. */
final class Statements {

  private Statements() {}

  /** Returns the statements as rendered for the default schema. */
  static Map<String, StatementText> all() {
    try (HikariDataSource never = new HikariDataSource()) {
      return all(JobQueue.on(never).extension().dialect().get());
    }
  }

  static Map<String, StatementText> all(DSLContext dialect) {
    Map<String, StatementText> texts = new TreeMap<>();
    texts.put("record-one", RecordStatement.ofOne(dialect).text());
    texts.put("record-all", RecordStatement.ofAll(dialect).text());
    texts.put("lease-shards", LeaseShardsStatement.of(dialect).text());
    texts.put("fetch-pending", FetchStatement.pending(dialect).text());
    texts.put("fetch-retried", FetchStatement.retried(dialect).text());
    texts.put("lock-shards", LeaseWrites.lock(dialect).text());
    texts.put("extend-leases", LeaseWrites.extend(dialect).text());
    texts.put("release-shards", LeaseWrites.release(dialect).text());
    texts.put("publish", EventWrites.publish(dialect).text());
    texts.put("discard", EventWrites.discard(dialect).text());
    texts.put("change", EventWrites.change(dialect).text());
    texts.put("block", EventWrites.block(dialect).text());
    texts.put("unblock", EventWrites.unblock(dialect).text());
    texts.put("event-details", EventReads.details(dialect).text());
    texts.put("event-contents", EventReads.contents(dialect).text());
    texts.put("sweep-position", SweepStatements.position(dialect).text());
    texts.put("sweep-writers", SweepStatements.writers(dialect).text());
    texts.put("sweep-first", SweepStatements.first(dialect).text());
    texts.put("inbox-mark", Inbox.markStatement(dialect).text());
    texts.put("inbox-prune", Inbox.pruneStatement(dialect).text());
    texts.putAll(DoctorStatements.texts(dialect));
    return texts;
  }
}
